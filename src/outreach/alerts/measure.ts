import { compare } from '../../platform/lib/compare.ts';
import { addDays, dayOf, daysOf, windowEnding, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { budgetPeriod } from './periods.ts';
import type { Rule } from './rule.ts';

/** An organization's cost by UTC day; a day that is not there cost nothing. */
export type DayCosts = ReadonlyMap<Day, Nanos>;

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

export type MeasuredHistory = {
  costs: DayCosts;
  /** The first day with anything on it. */
  firstDay: Day | null;
  /** What the days of `daysComparedByNow` had cost by this time of day: for checks on demand. */
  costsByNow?: DayCosts;
};

/**
 * How many days back from now a check needs costs. A monthly one made up for late looks from a tick 30 days ago at the
 * 30 days before it and at the three windows before those.
 */
export const measuredDays = 30 + 4 * 30;

const millisecond = 1;
const fewestBaselines = 3;
const windowDays = { daily: 1, weekly: 7, monthly: 30 } as const;

/**
 * Measures what a rule judges at `at`. A scheduled check, whose `at` is its tick, counts the days before it; one on
 * demand counts today so far as well, and of the days that an anomaly compares it with the same hours. `firstDay` is the
 * first day with any cost: windows before it are no baselines.
 */
export function measure(
  rule: Rule,
  { costs, firstDay, costsByNow = new Map() }: MeasuredHistory,
  at: Date,
  how: 'scheduled' | 'on_demand',
): Measured {
  const lastInstant = how === 'scheduled' ? new Date(at.getTime() - millisecond) : at;
  if (rule.type === 'budget') return measureBudget(rule, costs, lastInstant);
  const window = windowOf(rule, dayOf(lastInstant));
  const costOfWindow = (baseline: Window) => {
    const whole = costOf(costs, baseline);
    if (how === 'scheduled') return whole;
    return whole - (costs.get(baseline.end) ?? 0n) + (costsByNow.get(baseline.end) ?? 0n);
  };
  const baselines = baselineWindows(rule.frequency, window, firstDay);
  return {
    observedNanos: costOf(costs, window),
    ...medianOf(baselines.map((baseline) => ({ window: baseline, costNanos: costOfWindow(baseline) }))),
    window,
    countedWindow: window,
    comparedUntil: how === 'scheduled' ? null : at,
  };
}

/** The days of which a check on demand has to know what they had cost by this time of day. */
export function daysComparedByNow(rule: Rule, at: Date, firstDay: Day | null): Day[] {
  if (rule.type === 'budget') return [];
  return baselineWindows(rule.frequency, windowOf(rule, dayOf(at)), firstDay).map(({ end }) => end);
}

function windowOf({ frequency }: Rule, lastDay: Day): Window {
  return windowEnding(lastDay, windowDays[frequency]);
}

function measureBudget({ period }: Rule, costs: DayCosts, lastInstant: Date): Measured {
  const window = budgetPeriod(lastInstant, period);
  const lastDay = dayOf(lastInstant);
  // A check made late, or a preview, knows costs of days after its tick.
  const counted = daysOf(window).filter((day) => day <= lastDay).length;
  const countedWindow = windowEnding(lastDay, counted);
  const observedNanos = costOf(costs, countedWindow);
  const none = { baselineNanos: null, comparedWindows: [], comparedUntil: null };
  return { observedNanos, ...none, window, countedWindow };
}

/** The windows of the same length that `window` is compared with; no two of them, nor any and `window`, overlap. */
function baselineWindows(frequency: Rule['frequency'], window: Window, firstDay: Day | null): Window[] {
  if (firstDay === null) return [];
  const back = (count: number, days: number) =>
    Array.from({ length: count }, (_, index) =>
      windowEnding(addDays(window.end, -days * (index + 1)), window.days),
    );
  if (frequency === 'daily') {
    const sameWeekday = back(4, 7);
    if (firstDay <= addDays(window.start, -28)) return sameWeekday;
    // With less than a week, a Monday would be compared with little else than a weekend.
    return firstDay <= addDays(window.start, -7) ? back(7, 1) : [];
  }
  return back(frequency === 'weekly' ? 4 : 3, window.days).filter(({ end }) => end >= firstDay);
}

function medianOf(
  baselines: { window: Window; costNanos: Nanos }[],
): Pick<Measured, 'baselineNanos' | 'comparedWindows'> {
  const none = { baselineNanos: null, comparedWindows: [] };
  if (baselines.filter(({ costNanos }) => costNanos > 0n).length < fewestBaselines) return none;
  const sorted = baselines.toSorted((a, b) => compare(a.costNanos, b.costNanos));
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  const sum = middle.reduce((total, { costNanos }) => total + costNanos, 0n);
  const baselineNanos = sum / BigInt(middle.length);
  if (baselineNanos === 0n) return none;
  return { baselineNanos, comparedWindows: middle.map(({ window }) => window) };
}

/** What the days of the window cost together. */
export function costOf(costs: DayCosts, window: Window): Nanos {
  return daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}
