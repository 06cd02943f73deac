import type { Conclusion, Status } from './report.ts';

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
  if (rawConclusion === 'action_required' || rawConclusion === 'stale') {
    return anyJobRan ? 'cancelled' : 'skipped';
  }
  return conclusionOfWord.get(rawConclusion) ?? null;
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
