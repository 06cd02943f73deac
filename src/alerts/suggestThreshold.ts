import { compare } from '../lib/compare.ts';
import { startOfDay, type Day } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';
import { measure, type DayCosts } from './measure.ts';
import type { Rule } from './rule.ts';

type History = {
  costs: DayCosts;
  /** What the scheduled checks would have seen. */
  series: { observedNanos: Nanos; baselineNanos: Nanos | null }[];
  from: Day;
  today: Day;
  firstDay: Day | null;
};

const nanosPerPercent = 1_000_000_000n;
const leastRiseNanos = 1_000_000_000n; // one dollar: a smaller rise never triggers
const leastPercent = 10n * nanosPerPercent;
const highest = { budget: 1_000_000_000n * 1_000_000_000n, anomaly: 1_000_000n * nanosPerPercent };

/** How many values it takes to tell what is usual. */
const fewestValues = { day: 7, daily: 7, week: 4, weekly: 4, month: 2, monthly: 2 };
/** From so many values on, one of them may be the outlier that one wants to hear of. */
const manyValues = 10;

/**
 * The highest period total of a budget, or the highest rise of an anomaly, of the days looked at (the second highest where
 * there are ten or more, so that one outlier does not count), rounded up to two significant digits and for an anomaly
 * at least 10 %. Null with fewer than 7 days, 4 weeks or 2 months to judge by, or where they cost nothing.
 */
export function suggestThreshold(rule: Rule, history: History): bigint | null {
  const { values, known } = rule.type === 'budget' ? totalsOf(rule, history) : risesOf(history);
  const fewest = fewestValues[rule.type === 'budget' ? rule.period : rule.frequency];
  if (known < fewest) return null;
  const descending = values.toSorted((a, b) => compare(b, a));
  const usual = descending[values.length >= manyValues ? 1 : 0]!;
  const atLeast = rule.type === 'anomaly' && usual < leastPercent ? leastPercent : usual;
  const rounded = roundUpToTwoDigits(atLeast);
  if (rounded === 0n) return null;
  return rounded > highest[rule.type] ? highest[rule.type] : rounded;
}

/** Totals of all periods that the checks could see, also of those cut short; only whole ones count as known. */
function totalsOf(rule: Rule, { costs, from, today, firstDay }: History) {
  const values: Nanos[] = [];
  let known = 0;
  let measured = measure(rule, { costs, firstDay }, startOfDay(today), 'scheduled');
  while (measured.window.end >= from) {
    const { start, end } = measured.window;
    values.push(measured.observedNanos);
    if (end < today && firstDay !== null && firstDay <= start) known += 1;
    measured = measure(rule, { costs, firstDay }, startOfDay(start), 'scheduled');
  }
  return { values, known };
}

function risesOf({ series }: History) {
  const values = series.flatMap(({ observedNanos, baselineNanos }) => {
    if (baselineNanos === null) return [];
    const rise = observedNanos - baselineNanos;
    return [rise < leastRiseNanos ? 0n : ceilDivide(rise * 100n * nanosPerPercent, baselineNanos)];
  });
  return { values, known: values.length };
}

function roundUpToTwoDigits(value: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - 2));
  return ceilDivide(value, unit) * unit;
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
