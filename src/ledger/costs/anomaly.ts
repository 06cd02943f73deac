import {
  addDays,
  addMonths,
  daysOf,
  monthAround,
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
/** The days that a day is compared with are at most this far back. */
const maxComparedDays = 34;
/** How many days of history the rule needs to judge one day: the same place of three months, and what that is compared with. */
export const maxBaselineDays = 93 + maxComparedDays;
const minBaselines = 3;

type DayCosts = ReadonlyMap<Day, Nanos>;
type Days = Pick<Window, 'start' | 'end'>;

/**
 * The days to compare a day with: the same weekday of the four previous weeks, or the seven previous days if the
 * first of those weeks cost nothing.
 */
export function dailyBaselines(day: Day, costs: DayCosts): Window[] {
  const window = windowEnding(day, 1);
  const hasCost = (from: number, until: number) =>
    Array.from({ length: 1 + from - until }, (_, index) => until + index).some((back) =>
      costs.get(addDays(day, -back)),
    );
  if (hasCost(maxComparedDays, 28)) return windowsBefore(window, 4, 7);
  // With less than a week of history, a Monday would be compared mostly with a weekend.
  return hasCost(27, 7) ? windowsBefore(window, 7, 1) : [];
}

export function windowsBefore(window: Window, count: number, daysApart: number): Window[] {
  return Array.from({ length: count }, (_, index) =>
    windowEnding(addDays(window.end, -daysApart * (index + 1)), window.days),
  );
}

/** Why a rise is no anomaly: two of the last three months had it as many days before their end, or on the same day. */
export type Recurrence = 'month_end' | 'day_of_month';

export type Baseline = { costNanos: Nanos; windows: Window[]; recurs: Recurrence | null };

type Comparison = {
  costs: DayCosts;
  thresholdNanos: bigint;
  baselinesOf: (window: Window) => Window[];
  /** What a window that it is compared with has cost, until the same time of day. */
  costOf: (window: Window) => Nanos;
};

/** What a window is compared with: the median of its baselines, or that times the rise which comes back each month. */
export function baselineOf(window: Window, comparison: Comparison): Baseline | null {
  const { costs, thresholdNanos } = comparison;
  const usual = usualOf(window, comparison);
  if (!usual) return null;
  const observed = wholeCost(window, costs);
  const isUnusual = (baselineNanos: Nanos) => isAnomaly(observed, baselineNanos, thresholdNanos);
  if (!isUnusual(usual.costNanos)) return { ...usual, recurs: null };
  for (const { recurs, days } of samePlaces(window.end)) {
    const rises = days.flatMap((day) => risesAt(windowEnding(day, window.days), comparison));
    const expected = rises
      .map(({ from, to }) => (usual.costNanos * to) / from)
      .toSorted((a, b) => compare(b, a))[minRecurrences - 1];
    if (expected !== undefined && !isUnusual(expected)) return { ...usual, costNanos: expected, recurs };
  }
  return { ...usual, recurs: null };
}

const minRecurrences = 2;

/** The anomalous rise of a window over its own baselines; empty if it was normal. */
function risesAt(window: Window, comparison: Comparison) {
  const { costs, thresholdNanos } = comparison;
  const whole = { ...comparison, costOf: (each: Window) => wholeCost(each, costs) };
  const [from, to] = [usualOf(window, whole)?.costNanos, wholeCost(window, costs)];
  return from !== undefined && isAnomaly(to, from, thresholdNanos) ? [{ from, to }] : [];
}

/** Of the last days of a month, the distance to its end counts too. */
const maxDaysToEnd = 6;

/** The same place in each of the three months before. */
function samePlaces(day: Day): { recurs: Recurrence; days: Day[] }[] {
  const before = [1, 2, 3].map((months) => addMonths(day, -months));
  const daysToEnd = windowBetween(day, monthAround(day).end).days - 1;
  const sameDistances = before.map((each) => addDays(monthAround(each).end, -daysToEnd));
  return [
    ...(daysToEnd <= maxDaysToEnd ? [{ recurs: 'month_end' as const, days: sameDistances }] : []),
    { recurs: 'day_of_month', days: before.filter((each) => each.slice(8) === day.slice(8)) },
  ];
}

function wholeCost(window: Window, costs: DayCosts): Nanos {
  return daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}

type Usual = Pick<Comparison, 'baselinesOf' | 'costOf'>;

function usualOf(window: Window, { baselinesOf, costOf }: Usual): ReturnType<typeof medianOf> {
  return medianOf(baselinesOf(window).map((each) => ({ window: each, costNanos: costOf(each) })));
}

/** `windows` has the median window, or the two around the median. Returns null if too few windows have costs. */
function medianOf(
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
 * today is not over and is not an anomaly yet. `costs` must include `maxBaselineDays` days before.
 */
export function judgeDay(day: Day, costs: DayCosts, { thresholdNanos, today }: AnomalyRule): boolean | null {
  const baseline = baselineOf(windowEnding(day, 1), { costs, thresholdNanos, ...dailyUsual(costs) });
  if (!baseline) return null;
  return (
    isAnomaly(costs.get(day) ?? 0n, baseline.costNanos, thresholdNanos) || (day === today ? null : false)
  );
}

function dailyUsual(costs: DayCosts): Usual {
  return {
    baselinesOf: ({ end }) => dailyBaselines(end, costs),
    costOf: ({ end }) => costs.get(end) ?? 0n,
  };
}

/** `costs` must include `maxBaselineDays` days before. With fewer, the first days are not judged. */
export function unusualDays({ start, end }: Days, costs: DayCosts, rule: AnomalyRule): Day[] {
  if (end < start) return [];
  return daysOf(windowBetween(start, end)).filter((day) => judgeDay(day, costs, rule) === true);
}

/** The same costs, but each of these unusual days costs the median that it was compared with. */
export function usualCosts(costs: DayCosts, unusual: readonly Day[]): DayCosts {
  const usual = new Map(costs);
  for (const day of unusual) usual.set(day, usualOf(windowEnding(day, 1), dailyUsual(costs))!.costNanos);
  return usual;
}
