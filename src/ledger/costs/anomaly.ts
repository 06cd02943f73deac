import {
  addDays,
  daysOf,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** One dollar. Smaller rises are not anomalies. */
export const minRiseNanos = 1_000_000_000n;
/** Thresholds are in billionths of a percent. */
export const nanosPerPercent = 1_000_000_000n;
export const defaultThresholdNanos = 50n * nanosPerPercent;
/** How many days of history the rule needs to judge one day. */
export const maxBaselineDays = 34;
const minBaselines = 3;

type DayCosts = ReadonlyMap<Day, Nanos>;

/**
 * The days to compare a day with: the same weekday of the four previous weeks, or the seven previous days if the
 * first of those weeks cost nothing.
 */
export function dailyBaselines(day: Day, costs: DayCosts): Window[] {
  const window = windowEnding(day, 1);
  const hasCost = (from: number, until: number) =>
    daysOf(windowBetween(addDays(day, -from), addDays(day, -until))).some((each) => costs.get(each));
  if (hasCost(maxBaselineDays, 28)) return windowsBefore(window, 4, 7);
  // With less than a week of history, a Monday would be compared mostly with a weekend.
  return hasCost(27, 7) ? windowsBefore(window, 7, 1) : [];
}

export function windowsBefore(window: Window, count: number, daysApart: number): Window[] {
  return Array.from({ length: count }, (_, index) =>
    windowEnding(addDays(window.end, -daysApart * (index + 1)), window.days),
  );
}

/** `windows` has the median window, or the two around the median. Returns null if too few windows have costs. */
export function medianOf(
  baselines: readonly { window: Window; costNanos: Nanos }[],
): { costNanos: Nanos; windows: Window[] } | null {
  if (baselines.filter(({ costNanos }) => costNanos > 0n).length < minBaselines) return null;
  const sorted = baselines.toSorted((a, b) => compare(a.costNanos, b.costNanos));
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  const costNanos = middle.reduce((total, each) => total + each.costNanos, 0n) / BigInt(middle.length);
  return costNanos === 0n ? null : { costNanos, windows: middle.map(({ window }) => window) };
}

/** Multiplies instead of dividing, so that rounding decides nothing. */
export function isAnomaly(observedNanos: Nanos, baselineNanos: Nanos, thresholdNanos: bigint): boolean {
  const rise = observedNanos - baselineNanos;
  return rise >= minRiseNanos && rise * 100n * nanosPerPercent > thresholdNanos * baselineNanos;
}

export type AnomalyRule = { thresholdNanos: bigint; today: Day };

/**
 * Whether a daily alert with this threshold would call the day an anomaly. Null means too little history, or that
 * today is not over and is not an anomaly yet. `costs` must include the 34 days before.
 */
export function judgeDay(day: Day, costs: DayCosts, { thresholdNanos, today }: AnomalyRule): boolean | null {
  const costOf = (each: Day) => costs.get(each) ?? 0n;
  const baselines = dailyBaselines(day, costs);
  const baseline = medianOf(baselines.map((window) => ({ window, costNanos: costOf(window.end) })));
  if (!baseline) return null;
  return isAnomaly(costOf(day), baseline.costNanos, thresholdNanos) || (day === today ? null : false);
}
