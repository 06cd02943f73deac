import type { Generated } from 'kysely';
import type { Product } from '../../platform/lib/products.ts';
import type { Conclusion } from './report.ts';

export type RunTables = {
  workflows: WorkflowsTable;
  runs: RunsTable;
  /** Only columns of the table itself. Read the others from `recordedJobs`. */
  jobs: Omit<RecordedJobsView, keyof JobFacts> & { factsId: bigint | null };
  jobFacts: JobFacts & { orgId: string; id: bigint };
  recordedJobs: RecordedJobsView;
  workflowDays: RollupMeasures & {
    orgId: string;
    day: string;
    workflowId: string;
    /** Replaced whenever the outcomes of the day's runs change. */
    version: Generated<string>;
  };
  organizationDays: RollupMeasures & {
    orgId: string;
    day: string;
    /** Replaced whenever the day's runs or jobs change. */
    version: string;
  };
  unpricedDays: UnpricedDaysTable;
  runnerDays: RunnerDaysTable;
  chargeDays: ChargeDaysTable;
  runCompletions: RunCompletionsTable;
  removedRuns: { orgId: string; id: string };
  runAmounts: RunAmountsTable;
};

/** What a run cost beside its jobs. `costNanos` is text, because JSON numbers would lose digits. */
export type StoredAmount = {
  product: Exclude<Product, 'compute'>;
  unit: string | null;
  quantity: number | null;
  costNanos: string;
};

type RunAmountsTable = {
  orgId: string;
  runId: string;
  attempt: number;
  key: string;
  day: string;
  provider: string;
  repository: string;
  workflowId: string;
  amounts: StoredAmount[];
  reportedAt: Date;
};

type WorkflowsTable = { orgId: string; id: string; repository: string; name: string; namedAt: Date };

type RunsTable = {
  orgId: string;
  id: string;
  workflowId: string;
  provider: string;
  repository: string;
  isPrivate: boolean | null;
  workflowName: string | null;
  workflowPath: string | null;
  event: string | null;
  branch: string | null;
  /** Who triggered the latest attempt. */
  actor: string | null;
  /** Who triggered each attempt, if they differ. Null: the run's actor triggered all. */
  attemptActors: Record<string, string> | null;
  startedBy: string | null;
  pullRequest: number | null;
  runNumber: number | null;
  commit: string | null;
  /** 0 until a report describes the run itself. */
  reportedAttempt: number;
  reportedStatus: Status;
  reportedRawConclusion: string | null;
  reportedStartedAt: Date | null;
  reportedCompletedAt: Date | null;
  reportedAt: Date;
  attempt: number;
  status: Status;
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  rawConclusion: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  durationSeconds: number;
  costNanos: bigint;
  reports: ReportedRun[] | null;
};

type Status = 'queued' | 'in_progress' | 'completed';

type ReportedRun = Pick<
  RunsTable,
  'repository' | 'isPrivate' | 'workflowName' | 'workflowPath' | 'event' | 'branch' | 'actor'
> & {
  /** Absent in older reports. */
  startedBy?: string | null;
  /** This and the next two are absent in reports from before 0.1.0. */
  pullRequest?: number | null;
  runNumber?: number | null;
  commit?: string | null;
  /** 0 if the report is only about jobs. */
  attempt: number;
  status: Status;
  rawConclusion: string | null;
  createdAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
  observedAt: string;
  isTrace: boolean;
};

type RecordedJobsView = {
  orgId: string;
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
  /** Whether any report said that it waits for a person's approval. */
  awaitedApproval: boolean;
  runnerKind: string | null;
  runnerRule: string;
  billedMinutes: number;
  nanosPerMinute: bigint;
  rounding: 'minute' | 'second';
  priceBookId: string;
  priceRuleId: string | null;
  costNanos: bigint;
  isUnpriced: boolean;
  flags: string[];
  /** Who triggered the job, if its provider reports that for each job. */
  actor: string | null;
  reports: ReportedJob[] | null;
};

/** Values that many jobs share. */
export type JobFacts = Pick<
  RecordedJobsView,
  | 'labels'
  | 'runnerGroup'
  | 'rawConclusion'
  | 'ran'
  | 'runnerKind'
  | 'runnerRule'
  | 'nanosPerMinute'
  | 'rounding'
  | 'priceBookId'
  | 'priceRuleId'
  | 'isUnpriced'
  | 'flags'
>;

type ReportedJob = Pick<
  RecordedJobsView,
  'name' | 'labels' | 'runnerName' | 'runnerGroup' | 'status' | 'rawConclusion' | 'ran'
> & {
  /** Absent in older reports. */
  actor?: string | null;
  createdAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
  observedAt: string;
  isTrace: boolean;
};

type RollupMeasures = {
  costNanos: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  unpricedMinutes: bigint;
  runs: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  durationSeconds: bigint;
};

type UnpricedDaysTable = {
  orgId: string;
  day: string;
  runner: string;
  labels: string[];
  runnerGroup: string | null;
  jobs: bigint;
  minutes: bigint;
};

type RunnerDaysTable = ChargeDaysTable & { workflowId: string };

type ChargeDaysTable = {
  orgId: string;
  day: string;
  provider: string;
  runnerKind: string;
  isFree: boolean;
  jobs: bigint;
  minutes: bigint;
  costNanos: bigint;
};

type RunCompletionsTable = {
  orgId: string;
  runId: string;
  attempt: number;
  conclusion: Conclusion | 'completed';
  startedAt: Date | null;
  completedAt: Date;
  dueAt: Date;
  announcedAt: Date | null;
};
