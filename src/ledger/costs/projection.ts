import {
  addDays,
  dayOf,
  daysOf,
  isLastOfMonth,
  monthAround,
  startOfDay,
  type Day,
} from '../../platform/lib/days.ts';
import { compare, larger, median, smaller } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { unusualDays, usualCosts, type AnomalyRule } from './anomaly.ts';

type DayCosts = ReadonlyMap<Day, Nanos>;

type History = {
  costs: DayCosts;
  /** The first day with anything recorded. A later day without an entry cost nothing; earlier days are unknown. */
  firstDay: Day | null;
  /** Marks the days that the pace leaves out. Without it, all days count. */
  unusualRule?: AnomalyRule;
};

type Band = { lowNanos: Nanos; highNanos: Nanos };

type ProjectedDay = {
  day: Day;
  /** Null for days after today. */
  costNanos: Nanos | null;
  /** Null for days before today. */
  projectedNanos: Nanos | null;
  band: Band | null;
};

export type Projection = {
  spentNanos: Nanos;
  projectedNanos: Nanos;
  /** The forecast without the digits that the likely range leaves open: `6400` for 6,412.33 ± 700. */
  roundedNanos: Nanos;
  usualPaceNanos: Nanos;
  /** The likely range. Null if there are too few earlier forecasts. */
  band: Band | null;
  confidence: 'none' | 'low' | 'good';
  /** Today counts as a whole day. */
  daysElapsed: number;
  /** Days marked unusual that the usual pace leaves out, oldest first. */
  leftOutDays: Day[];
  daily: ProjectedDay[];
};

const weeksBack = 8;
const minWeeks = 4;
const daysBack = weeksBack * 7;
const averagedDays = 28;
const maxErrors = 182;
const minDaysBefore = minWeeks * 7;
const minErrors = 14;
const goodErrors = 42;
const maxEnds = 3;
const maxLeftOut = 7;
const minEnds = 2;
const deviationsInBand = 3n;
const maxMonthDays = 31;
const millisecondsPerDay = 86_400_000n;

export const projectionHistoryDays = daysBack + maxMonthDays + maxErrors;

export function projectMonth(now: Date, history: History): Projection {
  return projectPeriod(now, daysOf(monthAround(dayOf(now))), history);
}

/**
 * The amount spent, plus the weekday median of 8 weeks for each later day, plus the median error of the last 182
 * forecasts. The range is three median absolute deviations: about three of four months end within it. Errors made as
 * many days before the end of earlier months decide both where they differ from the others.
 */
export function projectPeriod(now: Date, period: readonly Day[], known: History): Projection {
  const { costs, firstDay } = known;
  const today = dayOf(now);
  const toCome = period.filter((day) => day > today);
  const unusual = unusualBefore(today, known);
  const history = knownHistory(usualCosts(costs, unusual), firstDay, today);
  const millisecondsLeft = millisecondsPerDay - BigInt(now.getTime() - startOfDay(today).getTime());
  const todayNanos = costOf(costs, today);
  const spentNanos = sum(period.filter((day) => day <= today).map((day) => costOf(costs, day)));
  const expect = expectations(history) ?? (() => todayNanos);
  const paces = [rest(expect(0), millisecondsLeft), ...toCome.map((_day, index) => expect(index + 1))];
  const pace = sum(paces);
  const errors = errorsOf(history, toCome.length, millisecondsLeft);
  const ends = isLastOfMonth(period.at(-1)!)
    ? endErrors(history, knownHistory(costs, firstDay, today), {
        today,
        daysAhead: toCome.length,
        millisecondsLeft,
      })
    : [];
  const average = rest(averageOf(history), millisecondsLeft + BigInt(toCome.length) * millisecondsPerDay);
  const projectedNanos = spentNanos + middleOf(pace, average, errors, ends);
  const usualPaceNanos = spentNanos + pace;
  const missed = ends.map((error) => error - (projectedNanos - usualPaceNanos));
  const band = bandAround(projectedNanos, spentNanos, errors, missed);
  const days = distribute(projectedNanos - spentNanos, paces);
  const dayErrors = errorsOf(history, 1, 0n);
  const restErrors = errorsOf(history, 0, millisecondsLeft);
  return {
    spentNanos,
    projectedNanos,
    roundedNanos: roundToRange(projectedNanos, band),
    usualPaceNanos,
    band,
    confidence: confidenceOf(history, errors),
    daysElapsed: period.length - toCome.length,
    leftOutDays: unusual,
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

/** Costs of the whole days before today, latest first, as far back as they are known and used. */
type KnownHistory = readonly Nanos[];

/** More than a week of marked days is a new level or the end of a holiday. Without them, the pace would stay too low. */
function unusualBefore(today: Day, { costs, unusualRule }: History): Day[] {
  const window = { start: addDays(today, -daysBack), end: addDays(today, -1) };
  const unusual = unusualRule ? unusualDays(window, costs, unusualRule) : [];
  return unusual.length > maxLeftOut ? [] : unusual;
}

function knownHistory(costs: DayCosts, firstDay: Day | null, today: Day): KnownHistory {
  return Array.from({ length: projectionHistoryDays }, (_, index) => addDays(today, -1 - index))
    .filter((day) => firstDay !== null && day >= firstDay)
    .map((day) => costOf(costs, day));
}

/**
 * The expected cost of the day `ahead` days after the history, from 0. Returns null without history. With fewer than
 * 4 days of a weekday, it uses the median of all days.
 */
function expectations(history: KnownHistory): ((ahead: number) => Nanos) | null {
  const recent = history.slice(0, daysBack);
  if (recent.length === 0) return null;
  const byWeekday = Array.from({ length: 7 }, (_, weekday) => {
    // Index 6 is the day one week before the first expected day.
    const same = recent.filter((_cost, place) => place % 7 === 6 - weekday);
    return median(same.length >= minWeeks ? same : recent);
  });
  return (ahead) => byWeekday[ahead % 7]!;
}

/**
 * Actual minus expected cost over the rest of each earlier day and `daysAhead` whole days, scaled by the growth since
 * then (½ to 2), because twice the cost means twice the error.
 */
function errorsOf(
  history: KnownHistory,
  daysAhead: number,
  millisecondsLeft: Nanos,
  { actual, origins }: { actual: KnownHistory; origins: readonly number[] } = {
    actual: history,
    origins: originsFor(daysAhead),
  },
): Nanos[] {
  const paceNow = weekAt(expectations(history));
  const errors: Nanos[] = [];
  for (const origin of origins) {
    const before = history.slice(origin + 1);
    if (before.length < minDaysBefore) break;
    const expected = expectations(before)!;
    const missed = (ahead: number) => actual[origin - ahead]! - expected(ahead);
    const daysMissed = Array.from({ length: daysAhead }, (_, index) => missed(index + 1));
    const error = rest(missed(0), millisecondsLeft) + sum(daysMissed);
    errors.push(scaled(error, weekAt(expected), paceNow));
  }
  return errors;
}

function originsFor(daysAhead: number): number[] {
  return Array.from({ length: maxErrors }, (_, index) => daysAhead + index);
}

/**
 * The errors made as many days before the end of the last three months. They compare with the real costs, because a
 * peak at each month's end is marked unusual until it has come back twice.
 */
function endErrors(
  history: KnownHistory,
  actual: KnownHistory,
  { today, daysAhead, millisecondsLeft }: { today: Day; daysAhead: number; millisecondsLeft: Nanos },
): Nanos[] {
  const endsMonth = (origin: number) => isLastOfMonth(addDays(today, daysAhead - 1 - origin));
  const origins = originsFor(daysAhead).filter(endsMonth).slice(0, maxEnds);
  return errorsOf(history, daysAhead, millisecondsLeft, { actual, origins });
}

function weekAt(expected: ((ahead: number) => Nanos) | null): Nanos {
  return expected ? sum(Array.from({ length: 7 }, (_, ahead) => expected(ahead))) : 0n;
}

function scaled(error: Nanos, paceThen: Nanos, paceNow: Nanos): Nanos {
  if (paceThen === 0n || paceNow === 0n) return error;
  return (error * smaller(larger(paceNow, paceThen / 2n), paceThen * 2n)) / paceThen;
}

/**
 * Adds the median error to the expected cost. Earlier errors mislead after a jump in cost, so the result stays between
 * half of the lower and 1½ times the higher of the expected cost and the average of the last 28 days.
 */
function middleOf(pace: Nanos, average: Nanos, errors: readonly Nanos[], ends: readonly Nanos[]): Nanos {
  if (errors.length < minErrors) return pace;
  const lowest = smaller(pace, average) / 2n;
  const highest = (larger(pace, average) * 3n) / 2n;
  return smaller(highest, larger(lowest, pace + usualErrorOf(errors, ends)));
}

/** The median error; if all month ends lie above it, or all below, the middle one of these. */
function usualErrorOf(errors: readonly Nanos[], ends: readonly Nanos[]): Nanos {
  const usual = median(errors);
  const apart = ends.map((error) => error - usual);
  const areAlike = apart.every((each) => each > 0n) || apart.every((each) => each < 0n);
  return ends.length >= minEnds && areAlike ? usual + middleBySize(apart) : usual;
}

/** The middle one by size; of two the smaller one, because the other can be an incident. */
function middleBySize(errors: readonly Nanos[]): Nanos {
  return errors.toSorted((a, b) => compare(magnitude(a), magnitude(b)))[(errors.length - 1) >> 1]!;
}

function averageOf(history: KnownHistory): Nanos {
  const recent = history.slice(0, averagedDays);
  return sum(recent) / BigInt(Math.max(recent.length, 1));
}

/**
 * Three deviations on each side, but never below the amount spent. We use the median deviation, so that a few runaway
 * days do not widen every range, or the mean if the median is 0.
 */
function bandAround(
  projected: Nanos,
  least: Nanos,
  errors: readonly Nanos[],
  missed: readonly Nanos[] = [],
): Band | null {
  if (errors.length < minErrors) return null;
  const middle = median(errors);
  const deviations = errors.map((error) => magnitude(error - middle));
  const mean = sum(deviations) / BigInt(deviations.length);
  const usual = deviationsInBand * median(deviations) || mean;
  // A month may end farther off than two of three did.
  const wide = missed.length < minEnds ? 0n : 2n * magnitude(middleBySize(missed));
  const spread = larger(usual, wide);
  return { lowNanos: larger(least, projected - spread), highNanos: projected + spread };
}

/** Splits the total exactly in proportion to the weights, or evenly if all weights are 0. */
function distribute(total: Nanos, weights: readonly Nanos[]): Nanos[] {
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

export function roundToRange(nanos: Nanos, band: Band | null): Nanos {
  const twoDigits = powerOfTenIn(nanos / 10n);
  const width = band ? band.highNanos - band.lowNanos : null;
  let unit = width === null ? twoDigits : smaller(twoDigits, powerOfTenIn(width / 2n));
  const rounded = () => ((nanos + unit / 2n) / unit) * unit;
  const isWithin = (value: Nanos) => !band || (band.lowNanos <= value && value <= band.highNanos);
  // The amount spent can cut the range close to the forecast. Then it takes more digits to stay within it.
  while (!isWithin(rounded())) unit /= 10n;
  return rounded();
}

function powerOfTenIn(value: bigint): bigint {
  return 10n ** BigInt(value.toString().length - 1);
}

function confidenceOf(history: KnownHistory, errors: readonly Nanos[]): Projection['confidence'] {
  if (history.length === 0) return 'none';
  return errors.length < goodErrors ? 'low' : 'good';
}

function rest(dayNanos: Nanos, millisecondsLeft: bigint): Nanos {
  return (dayNanos * millisecondsLeft) / millisecondsPerDay;
}

function costOf(costs: DayCosts, day: Day): Nanos {
  return costs.get(day) ?? 0n;
}

function sum(values: readonly Nanos[]): Nanos {
  return values.reduce((total, value) => total + value, 0n);
}
