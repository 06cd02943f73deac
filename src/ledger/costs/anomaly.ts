import { addDays, windowEnding, type Day, type Window } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** One dollar: smaller rises are no anomaly. */
export const minRiseNanos = 1_000_000_000n;
/** A percent in the billionths of a threshold. */
export const nanosPerPercent = 1_000_000_000n;
export const defaultThresholdNanos = 50n * nanosPerPercent;
/** How many days before a day its rule looks back. */
export const comparedDays = 28;
const minBaselines = 3;

/**
 * The days that a day is compared with: the same weekday of the four weeks before. `firstDay` is the first day with any
 * cost: earlier days are no baselines.
 */
export function dailyBaselines(window: Window, firstDay: Day | null): Window[] {
  if (firstDay === null) return [];
  if (firstDay <= addDays(window.start, -comparedDays)) return windowsBefore(window, 4, 7);
  // With less than a week, a Monday would be compared with little more than a weekend.
  return firstDay <= addDays(window.start, -7) ? windowsBefore(window, 7, 1) : [];
}

export function windowsBefore(window: Window, count: number, daysApart: number): Window[] {
  return Array.from({ length: count }, (_, index) =>
    windowEnding(addDays(window.end, -daysApart * (index + 1)), window.days),
  );
}

/** `windows` has the median window, or the two around the median. Null without enough windows with cost. */
export function medianOf(
  baselines: readonly { window: Window; costNanos: Nanos }[],
): { costNanos: Nanos; windows: Window[] } | null {
  if (baselines.filter(({ costNanos }) => costNanos > 0n).length < minBaselines) return null;
  const sorted = baselines.toSorted((a, b) => compare(a.costNanos, b.costNanos));
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  const costNanos = middle.reduce((total, each) => total + each.costNanos, 0n) / BigInt(middle.length);
  return costNanos === 0n ? null : { costNanos, windows: middle.map(({ window }) => window) };
}

/** No division, so that no rounding decides. */
export function isAnomaly(observedNanos: Nanos, baselineNanos: Nanos, thresholdNanos: bigint): boolean {
  const rise = observedNanos - baselineNanos;
  return rise >= minRiseNanos && rise * 100n * nanosPerPercent > thresholdNanos * baselineNanos;
}

export type AnomalyRule = { thresholdNanos: bigint; firstDay: Day | null; today: Day };

/**
 * Whether a daily alert of this threshold would call the day an anomaly. Null without enough history, and for today
 * until it is one: it is not over. `costs` must have the 28 days before.
 */
export function judgeDay(
  day: Day,
  costs: ReadonlyMap<Day, Nanos>,
  { thresholdNanos, firstDay, today }: AnomalyRule,
): boolean | null {
  const costOf = (each: Day) => costs.get(each) ?? 0n;
  const baselines = dailyBaselines(windowEnding(day, 1), firstDay);
  const baseline = medianOf(baselines.map((window) => ({ window, costNanos: costOf(window.end) })));
  if (!baseline) return null;
  return isAnomaly(costOf(day), baseline.costNanos, thresholdNanos) || (day === today ? null : false);
}
