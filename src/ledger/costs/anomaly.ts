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

/** One dollar: smaller rises are no anomaly. */
export const minRiseNanos = 1_000_000_000n;
/** A percent in the billionths of a threshold. */
export const nanosPerPercent = 1_000_000_000n;
export const defaultThresholdNanos = 50n * nanosPerPercent;
/** How many days before a day its rule looks back. Older costs do not matter, so any 34 days are enough to judge it. */
export const comparedDays = 34;
const minBaselines = 3;

type DayCosts = ReadonlyMap<Day, Nanos>;

/**
 * The days that a day is compared with: the same weekday of the four weeks before, or the seven days before if nothing
 * cost in the first week of these.
 */
export function dailyBaselines(day: Day, costs: DayCosts): Window[] {
  const window = windowEnding(day, 1);
  const hasCost = (from: number, until: number) =>
    daysOf(windowBetween(addDays(day, -from), addDays(day, -until))).some((each) => costs.get(each));
  if (hasCost(comparedDays, 28)) return windowsBefore(window, 4, 7);
  // With less than a week, a Monday would be compared with little more than a weekend.
  return hasCost(27, 7) ? windowsBefore(window, 7, 1) : [];
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

export type AnomalyRule = { thresholdNanos: bigint; today: Day };

/**
 * Whether a daily alert of this threshold would call the day an anomaly. Null without enough history, and for today
 * until it is one: it is not over. `costs` must have the 34 days before.
 */
export function judgeDay(day: Day, costs: DayCosts, { thresholdNanos, today }: AnomalyRule): boolean | null {
  const costOf = (each: Day) => costs.get(each) ?? 0n;
  const baselines = dailyBaselines(day, costs);
  const baseline = medianOf(baselines.map((window) => ({ window, costNanos: costOf(window.end) })));
  if (!baseline) return null;
  return isAnomaly(costOf(day), baseline.costNanos, thresholdNanos) || (day === today ? null : false);
}
