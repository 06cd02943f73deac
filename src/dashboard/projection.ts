import { addDays, dayOf, startOfDay, type Day } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';

/** Cost of each day that has any. */
type DayCosts = ReadonlyMap<Day, Nanos>;

type History = {
  costs: DayCosts;
  /** The first day with anything on it. Later days without cost cost nothing; of earlier ones nothing is known. */
  firstDay: Day | null;
};

type Band = { lowNanos: Nanos; highNanos: Nanos };

type ProjectedDay = {
  day: Day;
  /** Up to today; null for days to come. */
  costNanos: Nanos | null;
  /** From today on; null for days that are over. */
  projectedNanos: Nanos | null;
  band: Band | null;
};

export type Projection = {
  spentNanos: Nanos;
  projectedNanos: Nanos;
  /** Null where there are too few earlier projections to tell how far off they were. */
  band: Band | null;
  confidence: 'none' | 'low' | 'good';
  /** Today counts, however young it is. */
  daysElapsed: number;
  /** Every day of the month. */
  daily: ProjectedDay[];
};

/** Weeks whose days tell what a weekday costs, and how few of them are enough. */
const weeksBack = 8;
const fewestWeeks = 4;
const daysBack = weeksBack * 7;
/** So many earlier projections are judged: those that knew four of each weekday. */
const mostErrors = 182;
const fewestDaysBefore = fewestWeeks * 7;
/** So few errors give no band, and so many a good one. */
const fewestErrors = 14;
const goodErrors = 42;
const longestMonth = 31;
const millisecondsPerDay = 86_400_000n;

/** How many days before today a projection can take into account. */
export const projectionHistoryDays = daysBack + longestMonth + mostErrors;

/**
 * What the UTC month of `now` will cost. What is spent stays; each day to come is expected to cost the median of the same
 * weekday over the last 8 weeks. With fewer than 4 of these it is the median of all whole days of the 8 weeks, and
 * without a single one today's cost so far. Of today, the share of the expected cost that falls on its remaining hours
 * is added.
 *
 * The band comes of the errors that the same method would have made: for each of the 182 latest days after which as many
 * days are known as are left now, what the projection of that day would have missed in all. Its ends are the 10th and
 * the 90th percentile of them. Since such stretches overlap, about three of four months end within, not four of five. The
 * band never goes below what is spent, and holds the projection.
 */
export function projectMonth(now: Date, { costs, firstDay }: History): Projection {
  const today = dayOf(now);
  const month = daysOfMonth(today);
  const toCome = month.filter((day) => day > today);
  const history = knownHistory(costs, firstDay, today);
  const shareLeft = millisecondsPerDay - BigInt(now.getTime() - startOfDay(today).getTime());
  const spentNanos = sum(month.filter((day) => day <= today).map((day) => costOf(costs, day)));
  const expect = expectationAt(history, today, costOf(costs, today));
  const projectedNanos = spentNanos + rest(expect(today), shareLeft) + sum(toCome.map(expect));
  const monthErrors = errorsOf(history, toCome.length, shareLeft);
  const dayErrors = errorsOf(history, 1, 0n);
  const restErrors = errorsOf(history, 0, shareLeft);
  const band = bandAround(projectedNanos, spentNanos, monthErrors);
  return {
    spentNanos,
    projectedNanos,
    band,
    confidence: confidenceOf(history, monthErrors),
    daysElapsed: month.length - toCome.length,
    daily: month.map((day) => {
      if (day < today) return { day, costNanos: costOf(costs, day), projectedNanos: null, band: null };
      const costNanos = day === today ? costOf(costs, day) : null;
      const projected = day === today ? costNanos! + rest(expect(day), shareLeft) : expect(day);
      const errors = day === today ? restErrors : dayErrors;
      return {
        day,
        costNanos,
        projectedNanos: projected,
        band: bandAround(projected, costNanos ?? 0n, errors),
      };
    }),
  };
}

function daysOfMonth(day: Day): Day[] {
  const first = `${day.slice(0, 7)}-01`;
  return Array.from({ length: longestMonth }, (_, index) => addDays(first, index)).filter(
    (each) => each.slice(0, 7) === day.slice(0, 7),
  );
}

/** Costs of the whole days before today, the latest first: as many as are known and can count. */
type KnownHistory = readonly Nanos[];

function knownHistory(costs: DayCosts, firstDay: Day | null, today: Day): KnownHistory {
  return Array.from({ length: projectionHistoryDays }, (_, index) => addDays(today, -1 - index))
    .filter((day) => firstDay !== null && day >= firstDay)
    .map((day) => costOf(costs, day));
}

/** What a day from `today` on is expected to cost, by the days before `today` alone. */
function expectationAt(history: KnownHistory, today: Day, soFarNanos: Nanos): (day: Day) => Nanos {
  const ofDaysAhead = expectations(history);
  return (day) => {
    const ahead = Math.round((startOfDay(day).getTime() - startOfDay(today).getTime()) / 86_400_000);
    return ofDaysAhead?.(ahead) ?? soFarNanos;
  };
}

/** The expected cost of the day that comes `ahead` days after the history's end, 0 being the first; null without history. */
function expectations(history: KnownHistory): ((ahead: number) => Nanos) | null {
  const recent = history.slice(0, daysBack);
  if (recent.length === 0) return null;
  const byWeekday = Array.from({ length: 7 }, (_, weekday) => {
    // The same weekday as the first day after the history, a week before it, stands at place 6.
    const same = recent.filter((_cost, place) => place % 7 === 6 - weekday);
    return median(same.length >= fewestWeeks ? same : recent);
  });
  return (ahead) => byWeekday[ahead % 7]!;
}

/**
 * What earlier projections would have missed, smallest first: actual less expected cost, over the rest of their day and
 * `daysAhead` whole days after it. The hours of past days are not known: the rest has its share of the day's cost.
 */
function errorsOf(history: KnownHistory, daysAhead: number, shareLeft: Nanos): Nanos[] {
  const errors: Nanos[] = [];
  for (let origin = daysAhead; origin < daysAhead + mostErrors; origin++) {
    const before = history.slice(origin + 1);
    if (before.length < fewestDaysBefore) break;
    const expected = expectations(before)!;
    const error = (ahead: number) => history[origin - ahead]! - expected(ahead);
    errors.push(
      rest(error(0), shareLeft) + sum(Array.from({ length: daysAhead }, (_, index) => error(index + 1))),
    );
  }
  return errors.toSorted(ascending);
}

function bandAround(projected: Nanos, least: Nanos, errors: readonly Nanos[]): Band | null {
  if (errors.length < fewestErrors) return null;
  const low = projected + errors[Math.floor((errors.length - 1) / 10)]!;
  const high = projected + errors[Math.ceil(((errors.length - 1) * 9) / 10)]!;
  return {
    lowNanos: smaller(projected, larger(least, low)),
    highNanos: larger(projected, high),
  };
}

function confidenceOf(history: KnownHistory, errors: readonly Nanos[]): Projection['confidence'] {
  if (history.length === 0) return 'none';
  return errors.length < goodErrors ? 'low' : 'good';
}

/** Of an even number of values the mean of the two in the middle, rounded down. */
function median(values: readonly Nanos[]): Nanos {
  const sorted = values.toSorted(ascending);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2n;
}

/** The share of a day's cost that falls on its remaining milliseconds. */
function rest(dayNanos: Nanos, millisecondsLeft: bigint): Nanos {
  return (dayNanos * millisecondsLeft) / millisecondsPerDay;
}

function costOf(costs: DayCosts, day: Day): Nanos {
  return costs.get(day) ?? 0n;
}

function sum(values: readonly Nanos[]): Nanos {
  return values.reduce((total, value) => total + value, 0n);
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function smaller(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}

function larger(a: Nanos, b: Nanos): Nanos {
  return a > b ? a : b;
}
