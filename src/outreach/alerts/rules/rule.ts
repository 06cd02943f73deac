import type { AnomalyRule, Recurrence } from '../../../ledger/costs/anomaly.ts';
import type { CostMeasure } from '../../../ledger/costs/costMeasures.ts';
import type { Projection } from '../../../ledger/costs/projection.ts';
import { daysOf, type Day, type Window } from '../../../platform/lib/days.ts';
import { larger, median } from '../../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../../platform/lib/money.ts';
import type { AlertNotice, AlertWords } from '../../channels/wording.ts';
import type { Frequency, Period } from '../periods.ts';
import type { Scope, ScopeType } from '../scope.ts';
import type { Described } from './described.schema.ts';

export type CommonRule = {
  scope: Scope;
  measure: CostMeasure;
  /** In billionths of the unit of the type and measure. */
  thresholdNanos: bigint;
  frequency: Frequency;
  enabled: boolean;
};

/** Costs by UTC day, in billionths of the observed unit. A missing day cost nothing. */
export type DayCosts = ReadonlyMap<Day, Nanos>;

export type MeasuredHistory = {
  costs: DayCosts;
  firstDay: Day | null;
  /** What the days of `baselineDaysByNow` had cost by this time of day, for checks on demand. */
  costsByNow?: DayCosts;
  /** Marks the days that a forecast leaves out. */
  unusualRule?: AnomalyRule;
};

export type Measured = {
  observedNanos: Nanos;
  /** What `observedNanos` is compared with; null if it is compared with nothing, or with too little history. */
  baselineNanos: Nanos | null;
  window: Window;
  /** The days of `window` that `observedNanos` covers: a budget's period is usually not over. */
  countedWindow: Window;
  /** The median window, or the two around the median; empty without a baseline. */
  baselineWindows: Window[];
  /** Why the baseline includes a rise; null for the usual baseline. */
  recurs: Recurrence | null;
  /** Time of day up to which the last day of `baselineWindows` counts; null for whole days. */
  baselineUntil: Date | null;
};

export type CheckKind = 'scheduled' | 'on_demand';

export type Condition = {
  state: 'ok' | 'triggered' | 'insufficient_data';
  /** In billionths of the type's unit; 0 if there is too little data. */
  currentNanos: bigint;
};

export type Suggestion = {
  thresholdNanos: bigint;
  usualNanos: bigint;
  outliers: number;
  isRaised: boolean;
  /** Days marked unusual, which it leaves out. */
  leftOutDays: Day[];
  /** Whether the current period already exceeds it, because of the days that it leaves out. */
  isExceeded: boolean;
};

export type PeriodForecast = Pick<
  Projection,
  'spentNanos' | 'projectedNanos' | 'roundedNanos' | 'band' | 'leftOutDays' | 'daily'
> & {
  window: Window;
  /** The day on which recorded or expected costs exceed the threshold; null if they never do. */
  overOn: Day | null;
};

export type Seen = {
  history: MeasuredHistory;
  /** The history if each unusual day had cost what is usual. */
  usual: MeasuredHistory;
  unusualDays: readonly Day[];
  ticks: readonly Date[];
  now: Date;
  from: Day;
  knownFrom: Day;
};

/** What differs from list cost if a rule watches something else. */
export type OtherMeasure = {
  title: string;
  described: Partial<Described>;
  metric: string;
  /** The periods and scopes that it is limited to, if any. */
  periods?: readonly Period[];
  scopeTypes?: readonly ScopeType[];
};

export type AlertType<Rule extends CommonRule> = {
  described: Described;
  /** The `metric` of its events. */
  metric: string;
  /** What it can watch instead of list cost. */
  otherMeasures: Partial<Record<CostMeasure, OtherMeasure>>;
  /**
   * Whether it adds up a calendar period, like a budget. Then it checks each period separately, has a forecast and
   * announces percentages of its amount, in US dollars.
   */
  isByPeriod: boolean;
  /** Whether its daily threshold for the organization also marks the unusual days of all series of costs. */
  marksUnusualDays: boolean;
  ruleOf: (settings: CommonRule & { period: Period }) => Rule;
  /**
   * What the rule checks at `at`. A scheduled check counts the days before its tick. A check on demand also
   * counts today so far, against the same hours of earlier days.
   */
  measure: (rule: Rule, history: MeasuredHistory, at: Date, kind: CheckKind) => Measured;
  baselineDaysByNow: (rule: Rule, at: Date, history: MeasuredHistory) => Day[];
  compareWithThreshold: (rule: Rule, measured: Measured) => Condition;
  explanationBaseline: (rule: Rule, measured: Measured) => Window[];
  suggest: (rule: Rule, seen: Seen) => Suggestion | null;
  /** The expected value of the current period; null if the rule does not add up a period. */
  forecast: (rule: Rule, history: MeasuredHistory, now: Date) => PeriodForecast | null;
  message: (notice: Omit<AlertNotice, 'words'>) => AlertWords;
};

export function costOf(costs: DayCosts, window: Window): Nanos {
  return daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}

/** A scheduled check covers the time before its tick. */
export function lastInstantOf(at: Date, kind: CheckKind): Date {
  return kind === 'scheduled' ? new Date(at.getTime() - 1) : at;
}

type Usual = Pick<Suggestion, 'usualNanos' | 'outliers'>;

/**
 * The highest value that is not an outlier. An outlier is above the median by more than three deviations (median
 * absolute deviation, MAD) and by at least `minDistance`, because the MAD of similar values is close to 0.
 */
export function usualOf(values: readonly bigint[], minDistance: (middle: bigint) => bigint): Usual {
  if (values.length === 0) return { usualNanos: 0n, outliers: 0 };
  const middle = median(values);
  const deviation = median(values.map((value) => magnitude(value - middle)));
  // 1.4826 × MAD estimates the standard deviation of normally distributed values.
  const limit = middle + larger((deviation * 3n * 14_826n) / 10_000n, minDistance(middle));
  const usual = values.filter((value) => value <= limit);
  return { usualNanos: usual.reduce(larger), outliers: values.length - usual.length };
}

/** 10% above the usual and the expected value, rounded up to two significant digits; null if that is 0. */
export function suggestionOf(
  { usualNanos, outliers }: Usual,
  { min, expected, max }: { min: bigint; expected: bigint; max: bigint },
): Omit<Suggestion, 'leftOutDays' | 'isExceeded'> | null {
  const usual = larger(min, withHeadroom(usualNanos));
  const rounded = roundUpToTwoDigits(larger(usual, withHeadroom(expected)));
  if (rounded <= 0n) return null;
  const thresholdNanos = rounded > max ? max : rounded;
  return { thresholdNanos, usualNanos, outliers, isRaised: thresholdNanos > roundUpToTwoDigits(usual) };
}

function withHeadroom(value: bigint): bigint {
  return (value * 11n) / 10n;
}

function roundUpToTwoDigits(value: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - 2));
  return ((value + unit - 1n) / unit) * unit;
}
