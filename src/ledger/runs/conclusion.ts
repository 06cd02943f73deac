import type { Conclusion, Status } from './report.ts';

export const conclusionWords = [
  'success',
  'failure',
  'cancelled',
  'skipped',
  'timed_out',
  'startup_failure',
  'neutral',
  'action_required',
  'stale',
] as const;

/** A word that we know, in lower case, for JSON APIs differ in theirs; any other word as it is. */
export function conclusionWord<Word extends string | null>(word: Word): Word | string {
  return conclusionWords.find((known) => known === word?.toLowerCase()) ?? word;
}

const conclusionOfWord = new Map<string, Conclusion>(
  Object.entries({
    success: 'success',
    neutral: 'success',
    failure: 'failure',
    timed_out: 'failure',
    startup_failure: 'failure',
    cancelled: 'cancelled',
    skipped: 'skipped',
  }),
);

/**
 * How a run ended, from the provider's word. `action_required` and `stale` mean that the run was given up:
 * skipped if nothing had run, else cancelled. A word nobody knows gives null and stays readable as it came.
 */
export function concludeRun(rawConclusion: string | null, anyJobRan: boolean): Conclusion | null {
  if (rawConclusion === null) return null;
  const word = conclusionWord(rawConclusion);
  if (word === 'action_required' || word === 'stale') return anyJobRan ? 'cancelled' : 'skipped';
  return conclusionOfWord.get(word) ?? null;
}

type JobOutcome = { status: Status; rawConclusion: string | null };

/** The status and the provider's word of a run that is known by its jobs only. */
export function outcomeOfJobs(jobs: readonly JobOutcome[]): JobOutcome {
  if (jobs.every((job) => job.status === 'completed')) {
    const words = jobs.map((job) => concludeRun(job.rawConclusion, true));
    const worst = (['failure', 'cancelled', 'success'] as const).find((word) => words.includes(word));
    return { status: 'completed', rawConclusion: worst ?? 'skipped' };
  }
  const status = jobs.every((job) => job.status === 'queued') ? 'queued' : 'in_progress';
  return { status, rawConclusion: null };
}
