import { larger, median, smaller } from '../../platform/lib/compare.ts';
import { addDays, dayOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';

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
  /** The forecast: the middle of what is likely. */
  projectedNanos: Nanos;
  /** The forecast without the digits that the likely range leaves open: `6400` where it is 6,412.33, give or take 700. */
  roundedNanos: Nanos;
  /** The forecast before what earlier ones missed is added. */
  usualPaceNanos: Nanos;
  /** The likely range; null where there are too few earlier forecasts to judge. */
  band: Band | null;
  confidence: 'none' | 'low' | 'good';
  /** Today counts, however young it is. */
  daysElapsed: number;
  /** Every day of the period. */
  daily: ProjectedDay[];
};

/** Weeks whose days tell what a weekday costs, and how few of them are enough. */
const weeksBack = 8;
const fewestWeeks = 4;
const daysBack = weeksBack * 7;
const averagedDays = 28;
/** So many earlier projections are judged: those that knew four of each weekday. */
const mostErrors = 182;
const fewestDaysBefore = fewestWeeks * 7;
/** So few errors give no band, and so many a good one. */
const fewestErrors = 14;
const goodErrors = 42;
const deviationsInBand = 3n;
const longestMonth = 31;
const millisecondsPerDay = 86_400_000n;

/** How many days before today a projection can take into account. */
export const projectionHistoryDays = daysBack + longestMonth + mostErrors;

/** Forecasts what the UTC month of `now` will cost. */
export function projectMonth(now: Date, history: History): Projection {
  return projectPeriod(now, daysOfMonth(dayOf(now)), history);
}

/**
 * Forecasts what a period of successive days will cost; `now` is in one of them. The usual pace is what is spent, and for
 * each day to come the median of the same weekday over the last 8 weeks: of all whole days of these with fewer than 4 of
 * it, and today's cost so far without a whole day. Of today, the share of the expected cost that falls on its remaining
 * hours is added.
 *
 * The same pace is computed for each of the 182 latest days after which as many days are known as are left now. The median
 * of what it missed there, scaled to today's pace, is added. The likely range goes from there three median absolute
 * deviations of these misses to both sides: about three of four months end within it.
 */
export function projectPeriod(now: Date, period: readonly Day[], { costs, firstDay }: History): Projection {
  const today = dayOf(now);
  const toCome = period.filter((day) => day > today);
  const history = knownHistory(costs, firstDay, today);
  const shareLeft = millisecondsPerDay - BigInt(now.getTime() - startOfDay(today).getTime());
  const todayNanos = costOf(costs, today);
  const spentNanos = sum(period.filter((day) => day <= today).map((day) => costOf(costs, day)));
  const expect = expectations(history) ?? (() => todayNanos);
  const paces = [rest(expect(0), shareLeft), ...toCome.map((_day, index) => expect(index + 1))];
  const pace = sum(paces);
  const errors = errorsOf(history, toCome.length, shareLeft);
  const average = rest(averageOf(history), shareLeft + BigInt(toCome.length) * millisecondsPerDay);
  const projectedNanos = spentNanos + middleOf(pace, average, errors);
  const usualPaceNanos = spentNanos + pace;
  const band = bandAround(projectedNanos, spentNanos, errors);
  const days = shareOut(projectedNanos - spentNanos, paces);
  const dayErrors = errorsOf(history, 1, 0n);
  const restErrors = errorsOf(history, 0, shareLeft);
  return {
    spentNanos,
    projectedNanos,
    roundedNanos: roundToRange(projectedNanos, band),
    usualPaceNanos,
    band,
    confidence: confidenceOf(history, errors),
    daysElapsed: period.length - toCome.length,
    daily: period.map((day, index) => {
      const ahead = index - (period.length - days.length);
      const costNanos = day <= today ? costOf(costs, day) : null;
      if (ahead < 0) return { day, costNanos, projectedNanos: null, band: null };
      const least = costNanos ?? 0n;
      const projected = least + days[ahead]!;
      const ofDay = bandAround(projected, least, ahead === 0 ? restErrors : dayErrors);
      return { day, costNanos, projectedNanos: projected, band: ofDay };
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
 * What the usual pace would have missed: actual less expected cost, over the rest of their day and `daysAhead` whole days
 * after it. The hours of past days are not known: the rest has its share of the day's cost. Each grows with the pace
 * since then, for a company of twice the size errs by twice as much; at most it doubles or halves.
 */
function errorsOf(history: KnownHistory, daysAhead: number, shareLeft: Nanos): Nanos[] {
  const paceNow = weekAt(expectations(history));
  const errors: Nanos[] = [];
  for (let origin = daysAhead; origin < daysAhead + mostErrors; origin++) {
    const before = history.slice(origin + 1);
    if (before.length < fewestDaysBefore) break;
    const expected = expectations(before)!;
    const missed = (ahead: number) => history[origin - ahead]! - expected(ahead);
    const daysMissed = Array.from({ length: daysAhead }, (_, index) => missed(index + 1));
    const error = rest(missed(0), shareLeft) + sum(daysMissed);
    errors.push(scaled(error, weekAt(expected), paceNow));
  }
  return errors;
}

function weekAt(expected: ((ahead: number) => Nanos) | null): Nanos {
  return expected ? sum(Array.from({ length: 7 }, (_, ahead) => expected(ahead))) : 0n;
}

function scaled(error: Nanos, paceThen: Nanos, paceNow: Nanos): Nanos {
  if (paceThen === 0n || paceNow === 0n) return error;
  return (error * smaller(larger(paceNow, paceThen / 2n), paceThen * 2n)) / paceThen;
}

/**
 * The pace and what it missed in the middle. When costs have jumped, what it missed on the way says nothing of now: so
 * at most half is added to the higher, or taken off the lower, of the pace and the average of the last 28 days.
 */
function middleOf(pace: Nanos, average: Nanos, errors: readonly Nanos[]): Nanos {
  if (errors.length < fewestErrors) return pace;
  const lowest = smaller(pace, average) / 2n;
  const highest = (larger(pace, average) * 3n) / 2n;
  return smaller(highest, larger(lowest, pace + median(errors)));
}

function averageOf(history: KnownHistory): Nanos {
  const recent = history.slice(0, averagedDays);
  return sum(recent) / BigInt(Math.max(recent.length, 1));
}

/**
 * Three deviations to both sides, but never below what is spent. The deviation is the median one, for a few days in which
 * costs ran away do not make every month unsure; one mean deviation where more than half of the misses are alike.
 */
function bandAround(projected: Nanos, least: Nanos, errors: readonly Nanos[]): Band | null {
  if (errors.length < fewestErrors) return null;
  const middle = median(errors);
  const deviations = errors.map((error) => magnitude(error - middle));
  const mean = sum(deviations) / BigInt(deviations.length);
  const spread = deviationsInBand * median(deviations) || mean;
  return { lowNanos: larger(least, projected - spread), highNanos: projected + spread };
}

/** Splits the total by weight, exactly; evenly where no part weighs anything. */
function shareOut(total: Nanos, weights: readonly Nanos[]): Nanos[] {
  const all = sum(weights);
  const evenly = all === 0n;
  let reached = 0n;
  let given = 0n;
  return weights.map((weight) => {
    reached += evenly ? 1n : weight;
    const part = (total * reached) / (evenly ? BigInt(weights.length) : all) - given;
    given += part;
    return part;
  });
}

/** Two digits, and more where the likely range is so narrow that they are known. */
function roundToRange(nanos: Nanos, band: Band | null): Nanos {
  const twoDigits = powerOfTenIn(nanos / 10n);
  const width = band ? band.highNanos - band.lowNanos : null;
  const unit = width === null ? twoDigits : smaller(twoDigits, powerOfTenIn(width / 2n));
  return ((nanos + unit / 2n) / unit) * unit;
}

/** The highest power of ten that is not above the value; 1 where it is below 1. */
function powerOfTenIn(value: bigint): bigint {
  return 10n ** BigInt(value.toString().length - 1);
}

function confidenceOf(history: KnownHistory, errors: readonly Nanos[]): Projection['confidence'] {
  if (history.length === 0) return 'none';
  return errors.length < goodErrors ? 'low' : 'good';
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
