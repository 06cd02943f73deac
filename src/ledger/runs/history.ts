import type { Tables } from '../../tables.ts';
import type { JobCost } from '../pricing/cost.ts';
import type { Status } from './report.ts';

export type RunHistory = {
  run: StoredRun;
  jobs: StoredJob[];
  /** Sums of the jobs that no report can change, so that we need not read thousands of them. */
  otherJobs: CountedJob[];
};

export type StoredRun = Omit<Tables['runs'], 'orgId'>;

/**
 * The fields of a run that cost queries read. A change of one affects every day on which a job of the run completed.
 */
export const queriedFields = [
  'repository',
  'workflowId',
  'provider',
  'branch',
  'event',
  'actor',
  'startedBy',
  'pullRequest',
  'conclusion',
  'isPrivate',
  'workflowPath',
] as const satisfies (keyof StoredRun)[];

export type QueriedField = (typeof queriedFields)[number];

export type StoredJob = Omit<Tables['recordedJobs'], 'orgId'>;

export type JobKey = Pick<StoredJob, 'runId' | 'attempt' | 'jobId'>;

/** Identifies a job within its run. */
export function jobKey({ attempt, jobId }: Pick<JobKey, 'attempt' | 'jobId'>): string {
  return `${attempt}/${jobId}`;
}

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

/** The content of one report about a run or job. A row keeps the reports that decide one of its fields. */
export type ReportedRun = Required<NonNullable<StoredRun['reports']>[number]>;
export type ReportedJob = Required<NonNullable<StoredJob['reports']>[number]>;

/**
 * The part of its jobs that a run needs. An entry can stand for several jobs that are alike, with their first start,
 * last end, total cost and maximum minutes.
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

const statusRank: Record<Status, number> = { queued: 0, in_progress: 1, completed: 2 };

export type Order<Report> = (first: Report, second: Report) => number;

/** The report that decides a field: the first that has a value, in an order without ties. */
export type Decision<Report> = { order: Order<Report>; says: (report: Report) => boolean };

export function deciding<Report>(
  reports: readonly Report[],
  { order, says }: Decision<Report>,
): Report | null {
  let first: Report | null = null;
  for (const report of reports) {
    if (says(report) && (first === null || order(report, first) < 0)) first = report;
  }
  return first;
}

/**
 * Keeps the reports that decide a field. The first of a set is also the first among the firsts of its parts, so the
 * result does not depend on the order, repetition or grouping of reports.
 */
export function keepDeciding<Report>(
  reports: readonly Report[],
  decisions: readonly Decision<Report>[],
  order: Order<Report>,
): Report[] {
  if (reports.length === 1) return [...reports];
  const kept = new Set(decisions.map((decision) => deciding(reports, decision)));
  return reports.filter((report) => kept.has(report)).toSorted(order);
}

export function inTurn<Report>(...orders: Order<Report>[]): Order<Report> {
  return (first, second) => {
    for (const order of orders) {
      const difference = order(first, second);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

type Value = string | number | boolean | null | readonly string[];

export function greatest<Report>(valueOf: (report: Report) => Value): Order<Report> {
  return (first, second) => {
    const [a, b] = [valueOf(first), valueOf(second)];
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    if (typeof a !== 'object' || typeof b !== 'object') return a > b ? -1 : 1;
    const [aText, bText] = [JSON.stringify(a), JSON.stringify(b)];
    return aText === bText ? 0 : aText > bText ? -1 : 1;
  };
}

export function byFields<Report extends Record<keyof Report, Value>>(
  ...fields: (keyof Report)[]
): Order<Report> {
  return inTurn(...fields.map((field) => greatest<Report>((report) => report[field])));
}

export const byStatus = greatest<{ status: Status }>(({ status }) => statusRank[status]);
export const byProvider = greatest<{ isTrace: boolean }>(({ isTrace }) => !isTrace);

export function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
