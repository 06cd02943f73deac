/**
 * What any CI provider tells about a run, in the provider-neutral words that recording understands.
 * A report may speak of the run (`state`), of its jobs, or of both.
 */
export type RunReport = {
  /** `github`, `gitlab`, `jenkins` …; of a server of one's own with a dot and its host: `github.git.acme.example`. */
  provider: string;
  /** The provider's own id of the run; the same over all its attempts. */
  runId: string;
  /** 1 for the first try; a re-run counts up. */
  attempt: number;
  /** `owner/name`. */
  repository: string;
  /** Whether the repository is private, where the provider says so. */
  isPrivate: boolean | null;
  workflowName: string | null;
  /** Path of the workflow's file; tells apart two workflows of one name. */
  workflowPath: string | null;
  event: string | null;
  branch: string | null;
  actor: string | null;
  /** When the provider saw what it reports: of two reports of one attempt and status, the later one counts. */
  observedAt: Date;
  /** Read from a trace, which only adds to what the provider itself reports. */
  isTrace?: true;
  /** Null when the report speaks of jobs only. */
  state: RunState | null;
  jobs: JobReport[];
};

/** A report, and when it came if it came live: what is brought in from before announces nothing. */
export type ReceivedReport = RunReport & { liveAt: Date | null };

export type RunState = {
  status: Status;
  /** The provider's own word for how the run ended. */
  rawConclusion: string | null;
  createdAt: Date;
  /** Start of this attempt. */
  startedAt: Date | null;
  /** End of this attempt where the provider knows it; otherwise the last job's completion is used. */
  completedAt: Date | null;
};

export type JobReport = {
  jobId: string;
  attempt: number;
  name: string | null;
  labels: string[];
  runnerName: string | null;
  runnerGroup: string | null;
  status: Status;
  /** The provider's own word for how the job ended. */
  rawConclusion: string | null;
  createdAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Whether the provider says that a runner took the job; null where it does not tell. */
  ran: boolean | null;
  observedAt: Date;
};

export type Status = 'queued' | 'in_progress' | 'completed';
export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

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
