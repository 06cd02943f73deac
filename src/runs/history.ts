import type { Conclusion, Status } from './report.ts';

/** A run as it is stored, with all its jobs over all attempts. */
export type RunHistory = { run: StoredRun; jobs: StoredJob[] };

export type StoredRun = {
  id: string;
  workflowId: string;
  provider: string;
  repository: string;
  isPrivate: boolean | null;
  workflowName: string | null;
  workflowPath: string | null;
  event: string | null;
  branch: string | null;
  actor: string | null;
  /** 0 while no report has spoken of the run itself. */
  reportedAttempt: number;
  reportedStatus: Status;
  reportedRawConclusion: string | null;
  reportedStartedAt: Date | null;
  reportedCompletedAt: Date | null;
  reportedAt: Date;
  attempt: number;
  status: Status;
  conclusion: Conclusion | null;
  rawConclusion: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  durationSeconds: number;
  costNanos: bigint;
};

export type StoredJob = {
  runId: string;
  attempt: number;
  jobId: string;
  name: string | null;
  labels: string[];
  runnerName: string | null;
  runnerGroup: string | null;
  status: Status;
  rawConclusion: string | null;
  createdAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  ran: boolean | null;
  observedAt: Date;
  isCarriedOver: boolean;
  runnerKind: string | null;
  runnerRule: string;
  billedMinutes: number;
  nanosPerMinute: bigint;
  rounding: 'minute' | 'second';
  priceBookId: string;
  /** The organization's rule that decided its price. */
  priceRuleId: string | null;
  costNanos: bigint;
  isUnpriced: boolean;
  flags: string[];
};

/** The id that the dashboard and the events show: `run_github_9482310`. */
export function runIdOf(report: { provider: string; runId: string }): string {
  return `run_${report.provider}_${report.runId}`;
}

/** Statuses in the order in which a run or job passes through them. */
export const statusRank: Record<Status, number> = { queued: 0, in_progress: 1, completed: 2 };
