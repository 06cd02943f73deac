import type { EventData } from '../../../events/eventTypes.ts';
import { larger, median } from '../../../platform/lib/compare.ts';
import { daysOf, type Day, type Window } from '../../../platform/lib/days.ts';
import { magnitude, type Nanos } from '../../../platform/lib/money.ts';
import type { AlertNotice, AlertWords } from '../../notifications/wording.ts';
import type { Frequency, Period } from '../periods.ts';

/** What an alert watches: the whole organization, so far. */
export type Scope = { type: 'organization' };

/** What the rules of all alert types have. */
export type CommonRule = {
  scope: Scope;
  /** Billionths: of a US dollar for a budget, of a percent for an anomaly. */
  thresholdNanos: bigint;
  frequency: Frequency;
  enabled: boolean;
};

/** An organization's cost by UTC day; a day that is not there cost nothing. */
export type DayCosts = ReadonlyMap<Day, Nanos>;

export type MeasuredHistory = {
  costs: DayCosts;
  /** The first day with anything on it. */
  firstDay: Day | null;
  /** What the days of `daysComparedByNow` had cost by this time of day: for checks on demand. */
  costsByNow?: DayCosts;
};

export type Measured = {
  observedNanos: Nanos;
  /** What `observedNanos` is compared with: null for budgets, and without enough history. */
  baselineNanos: Nanos | null;
  /** The calendar period of a budget, the last days of an anomaly. */
  window: Window;
  /** Those days of `window` whose costs are in `observedNanos`: a budget's period is most often not over. */
  countedWindow: Window;
  /** The one window whose cost is the baseline, or the two that it lies halfway between; none without a baseline. */
  comparedWindows: Window[];
  /** The time of day until which the last day of `comparedWindows` counts, as today does; null for whole days. */
  comparedUntil: Date | null;
};

export type CheckKind = 'scheduled' | 'on_demand';

/** What a rule makes of a measurement, whether or not anybody is notified. */
export type Verdict = {
  state: 'ok' | 'triggered' | 'insufficient_data';
  /** Billionths: of a US dollar spent, or of a percent of rise (to two decimals); 0 with insufficient data. */
  currentNanos: bigint;
};

/** Dollars of a budget, percent of an anomaly; in billionths. */
export type Suggestion = {
  thresholdNanos: bigint;
  /** The highest complete period, or rise, that is no outlier. */
  usualNanos: bigint;
  /** How many complete periods, or checks, were so high that they are left out. */
  outliers: number;
  /** Whether the period that is not over heads higher than the usual one, and raised the threshold. */
  isRaised: boolean;
};

/** What a suggestion is made from. */
export type Seen = {
  history: MeasuredHistory;
  /** What the scheduled checks would have seen. */
  series: { observedNanos: Nanos; baselineNanos: Nanos | null }[];
  now: Date;
  /** The first day looked at, and the first one whose costs are known. */
  from: Day;
  knownFrom: Day;
};

/** All that is particular to one alert type. */
export type AlertType<Rule extends CommonRule> = {
  schema: {
    /** In the words of the API's description: `a budget`, of so many `US dollars`, triggers when … */
    noun: string;
    unit: string;
    condition: string;
    /** In whole units. */
    maxThreshold: number;
  };
  metric: EventData['alert.triggered']['trigger']['metric'];
  /** Whether it judges each calendar period by itself, and so the end of one that nobody checked in time. */
  isByPeriod: boolean;
  ruleOf: (settings: CommonRule & { period: Period }) => Rule;
  /**
   * Measures what the rule judges at `at`. A scheduled check, whose `at` is its tick, counts the days before it; one on
   * demand counts today so far as well, and of the days that today is compared with the same hours.
   */
  measure: (rule: Rule, history: MeasuredHistory, at: Date, kind: CheckKind) => Measured;
  /** The days of which a check on demand has to know what they had cost by this time of day. */
  daysComparedByNow: (rule: Rule, at: Date, firstDay: Day | null) => Day[];
  evaluate: (rule: Rule, measured: Measured) => Verdict;
  /** The windows that a measured cost is explained against. */
  explainedAgainst: (rule: Rule, measured: Measured) => Window[];
  /** A threshold that a normal period does not reach; null without enough history. */
  suggest: (rule: Rule, seen: Seen) => Suggestion | null;
  words: {
    value: (nanos: bigint) => string;
    rule: (rule: Rule) => string;
    /** What the usual value of a suggestion is the highest of. */
    usual: (rule: Rule) => string;
    message: (notice: Omit<AlertNotice, 'words'>) => AlertWords;
  };
};

/** What the days of the window cost together. */
export function costOf(costs: DayCosts, window: Window): Nanos {
  return daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}

/** The last instant that a check at `at` looks at: a scheduled one judges the time before its tick. */
export function lastInstantOf(at: Date, kind: CheckKind): Date {
  return kind === 'scheduled' ? new Date(at.getTime() - 1) : at;
}

type Usual = Pick<Suggestion, 'usualNanos' | 'outliers'>;

/**
 * The highest value that is no outlier. An outlier lies above the median by more than three deviations, by the median
 * absolute deviation (MAD), and by `minDistance` at least: where most are alike, the MAD is next to nothing.
 */
export function usualOf(values: readonly bigint[], minDistance: (middle: bigint) => bigint): Usual {
  if (values.length === 0) return { usualNanos: 0n, outliers: 0 };
  const middle = median(values);
  const deviation = median(values.map((value) => magnitude(value - middle)));
  // 1.4826 × MAD is the standard deviation where values are spread normally.
  const limit = middle + larger((deviation * 3n * 14_826n) / 10_000n, minDistance(middle));
  const usual = values.filter((value) => value <= limit);
  return { usualNanos: usual.reduce(larger), outliers: values.length - usual.length };
}

/** 10 % more than the usual and than what is expected, rounded up to two significant digits; null where that is 0. */
export function suggestionOf(
  { usualNanos, outliers }: Usual,
  { least, expected, highest }: { least: bigint; expected: bigint; highest: bigint },
): Suggestion | null {
  const usual = larger(least, withHeadroom(usualNanos));
  const rounded = roundUpToTwoDigits(larger(usual, withHeadroom(expected)));
  if (rounded <= 0n) return null;
  const thresholdNanos = rounded > highest ? highest : rounded;
  return { thresholdNanos, usualNanos, outliers, isRaised: thresholdNanos > roundUpToTwoDigits(usual) };
}

function withHeadroom(value: bigint): bigint {
  return (value * 11n) / 10n;
}

function roundUpToTwoDigits(value: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - 2));
  return ((value + unit - 1n) / unit) * unit;
}
