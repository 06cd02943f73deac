import type { Tables } from '../../tables.ts';
import type { JobCost } from '../pricing/cost.ts';
import type { Status } from './report.ts';

export type RunHistory = {
  run: StoredRun;
  jobs: StoredJob[];
  /** Jobs that no report can change, summed up: so we do not read thousands of them. */
  otherJobs: CountedJob[];
};

export type StoredRun = Omit<Tables['runs'], 'orgId'>;

export type StoredJob = Omit<Tables['jobs'], 'orgId'>;

export type JobKey = Pick<StoredJob, 'runId' | 'attempt' | 'jobId'>;

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

/** What one report says about a run or job. A row keeps the reports that decide something. */
export type ReportedRun = NonNullable<StoredRun['reports']>[number];
export type ReportedJob = NonNullable<StoredJob['reports']>[number];

/**
 * What a run takes from its jobs. One entry may stand for several alike: with the first start, the last end, the sum of
 * costs, and the largest number of minutes.
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

/** The id in the API and in events: `run_github_9482310`. */
export function runIdOf(report: { provider: string; runId: string }): string {
  return `run_${report.provider}_${report.runId}`;
}

export const statusRank: Record<Status, number> = { queued: 0, in_progress: 1, completed: 2 };
