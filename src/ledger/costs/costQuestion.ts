import type { Day, Window } from '../../platform/lib/days.ts';
import type { OwnerKind } from '../ownership/owners.ts';
import type { ColumnName } from './dayColumns.queries.ts';

export const metrics = ['cost', 'net_cost', 'minutes', 'jobs', 'runs'] as const;
export const granularities = ['total', 'day', 'week', 'month'] as const;
export const comparisons = ['none', 'previous_period', 'previous_year'] as const;
/** Whose rules map a cost to its owner: those of its day, or those of today. */
export const ownerships = ['of_day', 'today'] as const;
export const sorts = ['-value', 'value', '-change', 'change', 'name', '-name'] as const;

export type Metric = (typeof metrics)[number];

export type AmountName = 'costNanos' | 'minutes';

/** The column whose amounts a metric adds up; null counts rows. Net cost is computed from list cost. */
export const amountNames: Record<Metric, AmountName | null> = {
  cost: 'costNanos',
  net_cost: 'costNanos',
  minutes: 'minutes',
  jobs: null,
  runs: null,
};

export function isMoney(metric: Metric): boolean {
  return metric === 'cost' || metric === 'net_cost';
}

/** Dimensions that rules map other columns to. */
export const ownerKindOf = { team: 'team', costCenter: 'cost_center' } as const satisfies Record<
  string,
  OwnerKind
>;

export type OwnerDimension = keyof typeof ownerKindOf;

export type TimeName = 'atMilliseconds' | 'startMilliseconds' | 'durationMilliseconds' | 'queueMilliseconds';

export type Dimension =
  | Exclude<ColumnName, AmountName | TimeName | 'nanosPerMinute' | 'workflowPath'>
  | OwnerDimension
  | 'day'
  | 'weekday';

/** A run has several of each. */
export const ofJobsOnly: ReadonlySet<Dimension> = new Set(['job', 'runner', 'runnerGroup', 'label']);

export function isOwnerDimension(name: string): name is OwnerDimension {
  return Object.hasOwn(ownerKindOf, name);
}

/**
 * `values` as they stand in a query: a row must have any of them, and none of those that begin with `!`. Empty stands
 * for none, `*` for any characters, and `=` before a value takes it literally.
 */
export type Filter = { dimension: Dimension; values: readonly string[] };

export type CostQuestion = {
  window: Window;
  groupBy: readonly Dimension[];
  filters: readonly Filter[];
  metric: Metric;
  granularity: (typeof granularities)[number];
  compare: (typeof comparisons)[number];
  sort: (typeof sorts)[number];
  limit: number;
  /** The day whose rules of ownership apply to all days; without it, each day has its own. */
  ownersOn?: Day | undefined;
};

export function dimensionsOf({ groupBy, filters }: Pick<CostQuestion, 'groupBy' | 'filters'>): Dimension[] {
  return [...groupBy, ...filters.map(({ dimension }) => dimension)];
}
