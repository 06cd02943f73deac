import type { Day, Unit, Window } from '../../platform/lib/days.ts';
import type { WeekStart } from '../../tenancy/organizations/organizations.ts';
import type { OwnerKind } from '../ownership/owners.ts';
import type { ColumnName } from './columns/dayColumns.queries.ts';

export const metrics = ['cost', 'net_cost', 'full_cost', 'minutes', 'jobs', 'runs'] as const;
export const granularities = ['total', 'day', 'week', 'month'] as const;
export const comparisons = ['none', 'previous_period', 'previous_year'] as const;
/** Which ownership rules apply to a cost: those of its own day, or those of today. */
export const ownerships = ['of_day', 'today'] as const;
export const sorts = ['-value', 'value', '-change', 'change', 'name', '-name'] as const;

export type Metric = (typeof metrics)[number];

export type AmountName = 'costNanos' | 'minutes';

/** The column that a metric sums up. Null means that it counts rows. Net and full cost are computed from list cost. */
export const amountNames: Record<Metric, AmountName | null> = {
  cost: 'costNanos',
  net_cost: 'costNanos',
  full_cost: 'costNanos',
  minutes: 'minutes',
  jobs: null,
  runs: null,
};

export function isMoney(metric: Metric): boolean {
  return amountNames[metric] === 'costNanos';
}

/** Dimensions that ownership rules derive from other columns. */
export const ownerKindOf = { team: 'team', costCenter: 'cost_center' } as const satisfies Record<
  string,
  OwnerKind
>;

export type OwnerDimension = keyof typeof ownerKindOf;

/** Dimensions that the reported pull requests of runs decide. An id stands for provider, repository and number. */
const pullRequestDimensions = ['pullRequestId', 'pullRequestState', 'pullRequestAuthor'] as const;
export type PullRequestDimension = (typeof pullRequestDimensions)[number];

/** Those that rules, patterns and pull requests decide when somebody asks. */
export type DerivedDimension = OwnerDimension | PullRequestDimension | 'actorKind';

export type TimeName = 'atMilliseconds' | 'startMilliseconds' | 'durationMilliseconds' | 'queueMilliseconds';

/** All rows of a day have the same value of each; all but lines of the bill the same product. */
const constantDimensions = ['product', 'day', 'weekday'] as const;
type ConstantDimension = (typeof constantDimensions)[number];

export type Dimension =
  | Exclude<ColumnName, AmountName | TimeName | 'nanosPerMinute' | 'workflowPath'>
  | DerivedDimension
  | ConstantDimension;

/** A run can have several values of each of these. */
export const ofJobsOnly: ReadonlySet<Dimension> = new Set(['job', 'runner', 'runnerGroup', 'label']);

export function isOwnerDimension(name: string): name is OwnerDimension {
  return Object.hasOwn(ownerKindOf, name);
}

export function isPullRequestDimension(name: string): name is PullRequestDimension {
  return (pullRequestDimensions as readonly string[]).includes(name);
}

/**
 * Values as a query writes them: a row must match one of them, and none that begins with `!`. An empty value means
 * none, `*` any characters, and a leading `=` takes the rest literally.
 */
export type Filter = { dimension: Dimension; values: readonly string[] };

export type CostQuestion = {
  window: Window;
  /** Decides which days the previous period has; days if left out. */
  unit?: Unit | undefined;
  groupBy: readonly Dimension[];
  filters: readonly Filter[];
  metric: Metric;
  granularity: (typeof granularities)[number];
  /** Of the granularity `week`; Monday if left out. */
  weekStart?: WeekStart | undefined;
  compare: (typeof comparisons)[number];
  sort: (typeof sorts)[number];
  limit: number;
  /** The day whose ownership rules apply to all days. If undefined, each day uses its own rules. */
  ownersOn?: Day | undefined;
  /** Whether the values of owner dimensions are the ids of the deciding rules, in place of the owners' names. */
  namesRules?: boolean;
};

/** Asks for every group of the whole window, the largest first. */
export const everyGroup = { granularity: 'total', compare: 'none', sort: '-value', limit: Infinity } as const;

/** Whether days have it as a column. */
export function isStoredDimension(
  name: Dimension,
): name is Exclude<Dimension, DerivedDimension | ConstantDimension> {
  const isDerived = isOwnerDimension(name) || isPullRequestDimension(name) || name === 'actorKind';
  return !isConstantDimension(name) && !isDerived;
}

function isConstantDimension(name: string): name is ConstantDimension {
  return (constantDimensions as readonly string[]).includes(name);
}

/** Whether the question is about the whole bill. Others are about jobs and runs only. */
export function namesProduct(question: Pick<CostQuestion, 'groupBy' | 'filters'>): boolean {
  return dimensionsOf(question).includes('product');
}

export function dimensionsOf({ groupBy, filters }: Pick<CostQuestion, 'groupBy' | 'filters'>): Dimension[] {
  return [...groupBy, ...filters.map(({ dimension }) => dimension)];
}
