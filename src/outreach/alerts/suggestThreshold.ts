import { projectPeriod } from '../../ledger/costs/projection.ts';
import { larger, median } from '../../platform/lib/compare.ts';
import { addDays, dayOf, daysOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { measure, type MeasuredHistory } from './measure.ts';
import { budgetPeriod } from './periods.ts';
import type { Rule } from './rule.ts';

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

type Seen = {
  history: MeasuredHistory;
  /** What the scheduled checks would have seen. */
  series: { observedNanos: Nanos; baselineNanos: Nanos | null }[];
  now: Date;
  /** The first day looked at, and the first one whose costs are known. */
  from: Day;
  knownFrom: Day;
};

const nanosPerPercent = 1_000_000_000n;
const minRiseNanos = 1_000_000_000n; // one dollar: a smaller rise never triggers
const minPercent = 10n * nanosPerPercent;
const highest = { budget: 1_000_000_000n * 1_000_000_000n, anomaly: 1_000_000n * nanosPerPercent };

/** How many complete periods, or checks, it takes to know what is usual. */
const minKnown = { day: 7, daily: 7, week: 4, weekly: 4, month: 2, monthly: 2 };

/**
 * 10 % more than the highest complete period of a budget, or the highest rise that a check of an anomaly has seen, without
 * outliers; rounded up to two significant digits. What is not over yet says nothing of what is usual, but raises a budget
 * that it would exceed: to 10 % above what the current period is heading for. An anomaly is at least 10 %. Null with
 * fewer than 7 days, 4 weeks or 2 months to judge by, or where they cost nothing.
 */
export function suggestThreshold(rule: Rule, seen: Seen): Suggestion | null {
  const values = rule.type === 'budget' ? completePeriods(rule, seen) : risesOf(seen);
  if (values.length < minKnown[rule.type === 'budget' ? rule.period : rule.frequency]) return null;
  const { usualNanos, outliers } = usualOf(rule, values);
  const expected = rule.type === 'budget' && usualNanos > 0n ? expectedOf(rule, seen) : 0n;
  const least = rule.type === 'anomaly' ? minPercent : 0n;
  const usual = larger(least, withHeadroom(usualNanos));
  const rounded = roundUpToTwoDigits(larger(usual, withHeadroom(expected)));
  if (rounded <= 0n) return null;
  const thresholdNanos = rounded > highest[rule.type] ? highest[rule.type] : rounded;
  return { thresholdNanos, usualNanos, outliers, isRaised: thresholdNanos > roundUpToTwoDigits(usual) };
}

/**
 * The highest value that is no outlier. An outlier lies above the median by more than three deviations, as the median
 * absolute deviation (MAD) tells them, and by half of what is usual at least: where most are alike, the MAD is next to
 * nothing. Periods that cost nothing say nothing of those that do.
 */
function usualOf({ type }: Rule, all: readonly bigint[]): { usualNanos: bigint; outliers: number } {
  const values = type === 'budget' ? all.filter((value) => value > 0n) : all;
  if (values.length === 0) return { usualNanos: 0n, outliers: 0 };
  const middle = median(values);
  const deviation = median(values.map((value) => magnitude(value - middle)));
  const half = type === 'budget' ? middle / 2n : 50n * nanosPerPercent;
  // 1.4826 × MAD is the standard deviation where values are spread normally.
  const limit = middle + larger((deviation * 3n * 14_826n) / 10_000n, half);
  const usual = values.filter((value) => value <= limit);
  return { usualNanos: usual.reduce(larger), outliers: values.length - usual.length };
}

/** Totals of the periods that are over and known from their first day on. */
function completePeriods(rule: Rule, { history, from, now }: Seen): Nanos[] {
  const { firstDay } = history;
  const today = dayOf(now);
  const totals: Nanos[] = [];
  let measured = measure(rule, history, startOfDay(today), 'scheduled');
  while (measured.window.end >= from) {
    const { start, end } = measured.window;
    if (end < today && firstDay !== null && firstDay <= start) totals.push(measured.observedNanos);
    measured = measure(rule, history, startOfDay(start), 'scheduled');
  }
  return totals;
}

/** What the current period is heading for: what it has spent, and what its days after today are expected to cost. */
function expectedOf({ period }: Rule, { history, now, knownFrom }: Seen): Nanos {
  const { costs, firstDay } = history;
  const endOfToday = new Date(startOfDay(addDays(dayOf(now), 1)).getTime() - 1);
  const known = firstDay !== null && firstDay < knownFrom ? knownFrom : firstDay;
  return projectPeriod(endOfToday, daysOf(budgetPeriod(now, period)), { costs, firstDay: known })
    .projectedNanos;
}

/** Rises in percent to two decimals, falls below zero; those of less than a dollar count as none. */
function risesOf({ series }: Seen): bigint[] {
  return series.flatMap(({ observedNanos, baselineNanos }) => {
    if (baselineNanos === null) return [];
    const rise = observedNanos - baselineNanos;
    const hundredths = magnitude(rise) < minRiseNanos ? 0n : (rise * 10_000n) / baselineNanos;
    return [(hundredths * nanosPerPercent) / 100n];
  });
}

function withHeadroom(value: bigint): bigint {
  return (value * 11n) / 10n;
}

function roundUpToTwoDigits(value: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - 2));
  return ((value + unit - 1n) / unit) * unit;
}
