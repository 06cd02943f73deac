import type { Window } from '../../platform/lib/days.ts';
import type { ColumnName } from './dayColumns.queries.ts';

export const metrics = ['cost', 'minutes', 'jobs', 'runs'] as const;
export const granularities = ['total', 'day', 'week', 'month'] as const;
export const comparisons = ['none', 'previous_period', 'previous_year'] as const;
export const sorts = ['-value', 'value', '-change', 'change', 'name', '-name'] as const;

export type Metric = (typeof metrics)[number];

export type AmountName = 'costNanos' | 'minutes';

/** The column whose amounts a metric adds up; null counts rows. */
export const amountNames: Record<Metric, AmountName | null> = {
  cost: 'costNanos',
  minutes: 'minutes',
  jobs: null,
  runs: null,
};

export type TimeName = 'atMilliseconds' | 'startMilliseconds' | 'durationMilliseconds' | 'queueMilliseconds';

export type Dimension = Exclude<ColumnName, AmountName | TimeName> | 'day' | 'weekday';

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
  /** How many groups to return; the others are summed up. */
  limit: number;
};
