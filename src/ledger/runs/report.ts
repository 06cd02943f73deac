import { reportedName } from '../../platform/lib/text.ts';

export type RunReport = {
  /** `github`, `gitlab`, `jenkins` …; a self-hosted server adds a dot and its host: `github.git.acme.example`. */
  provider: string;
  /** The provider's id of the run, the same for all attempts. */
  runId: string;
  attempt: number;
  /** `owner/name`. */
  repository: string;
  isPrivate: boolean | null;
  workflowName: string | null;
  /** The path of the workflow's file. It distinguishes workflows of the same name. */
  workflowPath: string | null;
  event: string | null;
  branch: string | null;
  /** Who triggered this attempt. Without a state, nobody. */
  actor: string | null;
  /** Who started the run, by default who triggered its first attempt. */
  startedBy?: string | null;
  /** Accounts among them that the provider reports as programs. */
  bots?: readonly string[];
  /** The number of the pull request (GitLab: merge request) in `repository`. */
  pullRequest: number | null;
  /** The number that the provider's pages show instead of the id. */
  runNumber: number | null;
  /** The hash or name of the revision that was built. */
  commit: string | null;
  /** When the provider observed this. Of two reports with the same attempt and status, the later one wins. */
  observedAt: Date;
  /** Read from a trace, which only fills in what the provider itself does not report. */
  isTrace?: true;
  /**
   * The source of the pull request if GitHub does not report its number, and the app installation that received the
   * event.
   */
  fork?: { repository: string; branch: string; installationId: string };
  /** Null if the report is only about jobs. */
  state: RunState | null;
  jobs: JobReport[];
};

/**
 * `liveAt` is null for a backfilled report, which announces nothing. `mayComment`: the provider itself sent it. Other
 * senders can name any pull request, so we write nothing there because of them.
 */
export type ReceivedReport = RunReport & { liveAt: Date | null; mayComment?: boolean };

export type RunState = {
  status: Status;
  rawConclusion: string | null;
  createdAt: Date;
  startedAt: Date | null;
  /** The end of this attempt. Null means that the end of the last job counts. */
  completedAt: Date | null;
};

export type JobReport = {
  jobId: string;
  attempt: number;
  /** Who triggered this job, if that can differ within an attempt. */
  actor?: string | null;
  name: string | null;
  labels: string[];
  runnerName: string | null;
  runnerGroup: string | null;
  status: Status;
  rawConclusion: string | null;
  createdAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Whether a runner took the job. Null means that the provider does not report it. */
  ran: boolean | null;
  observedAt: Date;
  /** It waits for a person's approval. No later report says so. */
  awaitsApproval?: true;
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

/** Known words in lower case, because JSON APIs differ. Other words are unchanged. */
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
 * How a run ended. `action_required` and `stale` mean that the run was given up: `skipped` if nothing ran, else
 * `cancelled`. Unknown words give null and stay in `rawConclusion`.
 */
export function concludeRun(rawConclusion: string | null, anyJobRan: boolean): Conclusion | null {
  if (rawConclusion === null) return null;
  const word = conclusionWord(rawConclusion);
  if (word === 'action_required' || word === 'stale') return anyJobRan ? 'cancelled' : 'skipped';
  return conclusionOfWord.get(word) ?? null;
}

type JobOutcome = { status: Status; rawConclusion: string | null };

export function outcomeOfJobs(jobs: readonly JobOutcome[]): JobOutcome {
  if (jobs.every((job) => job.status === 'completed')) {
    const words = jobs.map((job) => concludeRun(job.rawConclusion, true));
    const worst = (['failure', 'cancelled', 'success'] as const).find((word) => words.includes(word));
    return { status: 'completed', rawConclusion: worst ?? 'skipped' };
  }
  const status = jobs.every((job) => job.status === 'queued') ? 'queued' : 'in_progress';
  return { status, rawConclusion: null };
}

/**
 * Replaces characters in names that cannot be stored or shown. Ids with such characters are refused earlier, because
 * replacing could make two ids equal.
 */
export function withSafeNames(report: RunReport): RunReport {
  const { state, jobs } = report;
  return {
    ...report,
    repository: reportedName(report.repository),
    workflowName: safe(report.workflowName),
    workflowPath: safe(report.workflowPath),
    event: safe(report.event),
    branch: safe(report.branch),
    actor: safe(report.actor),
    startedBy: safe(report.startedBy ?? null),
    ...(report.bots && { bots: report.bots.map(reportedName) }),
    state: state && { ...state, rawConclusion: safe(state.rawConclusion) },
    jobs: jobs.map(withSafeNamesOfJob),
  };
}

function withSafeNamesOfJob(job: JobReport): JobReport {
  return {
    ...job,
    actor: safe(job.actor ?? null),
    name: safe(job.name),
    labels: job.labels.map(reportedName),
    runnerName: safe(job.runnerName),
    runnerGroup: safe(job.runnerGroup),
    rawConclusion: safe(job.rawConclusion),
  };
}

const safe = (name: string | null) => name && reportedName(name);
