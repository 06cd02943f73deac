import type { Tables } from '../../tables.ts';
import type { JobCost } from '../pricing/cost.ts';
import type { Status } from './report.ts';

/** A run as it is stored, with its jobs over all attempts. */
export type RunHistory = {
  run: StoredRun;
  jobs: StoredJob[];
  /** Those that are not in `jobs`, for nothing can change them: so a run of thousands is not read for each. */
  otherJobs: CountedJob[];
};

export type StoredRun = Omit<Tables['runs'], 'orgId'>;

export type StoredJob = Omit<Tables['jobs'], 'orgId'>;

export type JobKey = Pick<StoredJob, 'runId' | 'attempt' | 'jobId'>;

/** What pricing decides of a job. */
export type JobPrice = Pick<StoredJob, (typeof priceColumns)[number]>;

export const priceColumns = [
  'runnerKind',
  'runnerRule',
  'billedMinutes',
  'nanosPerMinute',
  'rounding',
  'priceBookId',
  'priceRuleId',
  'costNanos',
  'isUnpriced',
  'flags',
] as const satisfies readonly (keyof StoredJob)[];

/** The price of a paid job as it is stored. */
export function storedPrice(cost: JobCost): JobPrice {
  return {
    runnerKind: cost.kind,
    runnerRule: cost.rule,
    billedMinutes: cost.billedMinutes,
    nanosPerMinute: cost.nanosPerMinute,
    rounding: cost.rounding,
    priceBookId: cost.priceBookId,
    priceRuleId: cost.priceRuleId,
    costNanos: cost.costNanos,
    isUnpriced: cost.isUnpriced,
    flags: cost.flags,
  };
}

/** What one report says of a run or job: those that decide something are kept, and make up its row. */
export type ReportedRun = NonNullable<StoredRun['reports']>[number];
export type ReportedJob = NonNullable<StoredJob['reports']>[number];

/**
 * What a run's own row takes from its jobs: of one, or of several that ended alike as if they were one, with the first
 * start, the last end, the costs of all, and minutes where any has some.
 */
export type CountedJob = Pick<
  StoredJob,
  | 'attempt'
  | 'status'
  | 'rawConclusion'
  | 'isCarriedOver'
  | 'createdAt'
  | 'observedAt'
  | 'startedAt'
  | 'completedAt'
  | 'billedMinutes'
  | 'costNanos'
>;

/** The id that the dashboard and the events show: `run_github_9482310`. */
export function runIdOf(report: { provider: string; runId: string }): string {
  return `run_${report.provider}_${report.runId}`;
}

/** Statuses in the order in which a run or job passes through them. */
export const statusRank: Record<Status, number> = { queued: 0, in_progress: 1, completed: 2 };
