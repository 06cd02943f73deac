import { addDays, daysOf, weekdayOf, type Day, type Window } from '../../../platform/lib/days.ts';
import { larger, median, sumOf } from '../../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../../platform/lib/money.ts';
import { minRiseNanos, unusualDays, type AnomalyRule } from '../anomaly.ts';

export type Costs = ReadonlyMap<Day, Nanos>;

/** 1 looks for days that cost more, -1 for days that cost less. */
type Direction = 1n | -1n;

export type Calendar = {
  direction: Direction;
  /** The days of the period that can be judged, oldest first. */
  days: readonly Day[];
  /** The days before the period that count as usual, oldest first. */
  before: readonly Day[];
  /** The days before the period that a day is compared with. */
  comparable: ReadonlyMap<Day, readonly Day[]>;
  /** What everything that was asked about cost on each day. */
  costs: Costs;
  today: Day;
  /** Set if it looks for what ended before the period, compared with what is usual in the period. */
  past: Window | null;
};

export type Windows = { window: Window; previousWindow: Window };

/** The days before the first that cost something say nothing about what is usual. */
export function calendarOf(windows: Windows, costs: Costs, rule: AnomalyRule): Calendar {
  const { window, previousWindow } = windows;
  const before = previousWindow.end < window.start ? usualDays(previousWindow, costs, rule) : [];
  const { today } = rule;
  const comparable = comparableDays(daysOf(window), before);
  const days = daysOf(window).filter((day) => comparable.has(day) && day <= today);
  const whole: Calendar = { direction: 1n, days, before, comparable, costs, today, past: null };
  if (changeOf(costs, windows, whole) >= 0n) return whole;
  // Today can still become as expensive as usual.
  return { ...whole, direction: -1n, days: days.filter((day) => day < today) };
}

/** For a period that cost less: what made the period directly before it expensive, and has ended. */
export function pastCalendarOf({ window, previousWindow }: Windows, { costs, today }: Calendar): Calendar {
  const isNext = addDays(previousWindow.end, 1) === window.start;
  const after = isNext ? daysOf(window).filter((day) => day < today) : [];
  const all = [...daysOf(previousWindow), ...after];
  const firstDay = [...costs.keys()].toSorted()[0];
  const comparable = comparableDays(all, after);
  const days = all.filter((day) => comparable.has(day) && day >= firstDay!);
  return { direction: 1n, days, before: after, comparable, costs, today, past: previousWindow };
}

function usualDays(window: Window, costs: Costs, rule: AnomalyRule): Day[] {
  const firstDay = [...costs.keys()].toSorted()[0];
  if (firstDay === undefined) return [];
  const unusual = new Set(unusualDays(window, costs, rule));
  return daysOf(window).filter((day) => day >= firstDay && !unusual.has(day));
}

function comparableDays(days: readonly Day[], before: readonly Day[]): Map<Day, readonly Day[]> {
  const comparable = new Map<Day, readonly Day[]>();
  for (const day of [...before, ...days]) {
    const alike = comparableWith(day, before);
    if (alike) comparable.set(day, alike);
  }
  return comparable;
}

/** The difference of the periods, or of what is usual if they differ in length. */
export function changeOf(costs: Costs, { window, previousWindow }: Windows, calendar: Calendar): Nanos {
  if (window.days === previousWindow.days)
    return sumWithin(costs, daysOf(window)) - sumWithin(costs, daysOf(previousWindow));
  const { whole, weights } = weightsOf(calendar.days, calendar);
  const usual = [...weights].reduce((sum, [day, weight]) => sum + weight * (costs.get(day) ?? 0n), 0n);
  return sumWithin(costs, calendar.days) - usual / whole;
}

const minSameWeekdays = 3;
const minAlike = 2;

/** The same weekdays, or else the working days for a working day and the weekends for a weekend. */
function comparableWith(day: Day, before: readonly Day[]): readonly Day[] | null {
  const others = before.filter((each) => each !== day);
  const same = others.filter((each) => weekdayOf(each) === weekdayOf(day));
  if (same.length >= minSameWeekdays) return same;
  const alike = others.filter((each) => isWeekend(each) === isWeekend(day));
  return alike.length >= minAlike ? alike : null;
}

function isWeekend(day: Day): boolean {
  return weekdayOf(day).startsWith('s');
}

/** Consecutive days that cost more, or less, than usual. */
export type Span = {
  from: Day;
  to: Day;
  /** No day stands out by itself: each one costs a little more than usual. */
  isDrift: boolean;
  /** The first day that was as usual again. */
  overSince: Day | null;
  /** Whether it lasted for days, until the last one that can be judged. Neither is set if that is not clear yet. */
  isLasting: boolean;
};

const minDriftDays = 7;

/** The days that stand out most, together. Null if chance explains them. */
export function findSpan(costs: Costs, calendar: Calendar): Span | null {
  const noiseOf = noises(costs, calendar);
  const judged = calendar.days.map((day) => judge(day, costs, { ...calendar, noiseOf }));
  const found = sharpened(judged);
  if (found && isClear(daysOfRun(judged, found), calendar)) {
    const span = spanOf(found, judged, false);
    return calendar.past && !isBurst(found, judged, calendar.past) ? null : span;
  }
  if (calendar.past) return null;
  const drift = heaviestRun(judged.map(({ excess }) => excess));
  if (!drift || judged.slice(drift.last + 1).some(({ isQuiet }) => !isQuiet)) return null;
  const active = activeOf(daysOfRun(judged, drift));
  return active.length >= minDriftDays && isClear(active, calendar) ? spanOf(drift, judged, true) : null;
}

type Judged = {
  day: Day;
  /** In the direction of the calendar. */
  excess: Nanos;
  /** Of everything that was asked about, if these jobs usually cost nothing. */
  usual: Nanos;
  noise: Nanos;
  /** How much more is nothing special. */
  allowance: Nanos;
  /** Usually costs nothing, and did not. */
  isQuiet: boolean;
  /** Whether a usual cost shows that it is over. */
  isEvidence: boolean;
};

type Judging = Calendar & { noiseOf: (day: Day) => Nanos };

function judge(
  day: Day,
  costs: Costs,
  { comparable, direction, costs: all, today, noiseOf }: Judging,
): Judged {
  const days = comparable.get(day)!;
  const usualOf = (of: Costs) => median(days.map((each) => of.get(each) ?? 0n));
  const [usual, cost, noise] = [usualOf(costs), costs.get(day) ?? 0n, noiseOf(day)];
  const isQuiet = usual === 0n && cost === 0n;
  const usualOrAll = usual > 0n ? usual : usualOf(all);
  return {
    day,
    excess: direction * (cost - usual),
    usual: usualOrAll,
    noise,
    allowance: isQuiet ? 0n : larger(noise, usual / 10n),
    isQuiet,
    isEvidence: usualOrAll > 0n && day < today,
  };
}

/** How much a day usually differs from comparable ones: about a standard deviation, of working days and of weekends. */
function noises(costs: Costs, { before, comparable }: Calendar): (day: Day) => Nanos {
  const differences = before.flatMap((day) => {
    const usual = comparable.get(day)?.map((each) => costs.get(each) ?? 0n);
    return usual
      ? [{ isWeekend: isWeekend(day), size: magnitude((costs.get(day) ?? 0n) - median(usual)) }]
      : [];
  });
  const [ofWeekends, ofWorkdays] = [true, false].map((is) => {
    const own = differences.filter((each) => each.isWeekend === is);
    return own.length === 0 ? 0n : (5n * sumOf(own, 'size')) / (4n * BigInt(own.length));
  });
  return (day) => (isWeekend(day) ? ofWeekends! : ofWorkdays!);
}

/** Without days at the edges that exceed what is usual by much less than the others. */
function sharpened(judged: readonly Judged[]): Run | null {
  const rough = heaviestRun(judged.map(({ excess, allowance }) => excess - allowance));
  if (!rough) return null;
  const days = activeOf(daysOfRun(judged, rough));
  const [excess, usual] = [sumOf(days, 'excess'), larger(sumOf(days, 'usual'), 1n)];
  const leastOf = (day: Judged) =>
    day.isQuiet ? 0n : larger(day.allowance, (day.usual * excess) / (3n * usual));
  return heaviestRun(judged.map((day) => day.excess - leastOf(day))) ?? rough;
}

/** Standard deviations, squared, that chance does not explain: what is usual is itself an estimate of as many days. */
const minDeviationsSquared = 16n;

function isClear(days: readonly Judged[], { before }: Calendar): boolean {
  const active = activeOf(days);
  const excess = sumOf(active, 'excess');
  const variance = active.reduce((sum, { noise }) => sum + noise * noise, 0n);
  const [count, known] = [active.length, before.length].map(BigInt) as [bigint, bigint];
  return (
    excess >= minRiseNanos && excess * excess * known > minDeviationsSquared * variance * (known + count)
  );
}

type Run = { first: number; last: number };

/** The consecutive values with the highest sum; null if none is above 0. */
export function heaviestRun(values: readonly bigint[]): Run | null {
  let best: (Run & { sum: bigint }) | null = null;
  let [first, sum] = [0, 0n];
  for (const [last, value] of values.entries()) {
    if (sum <= 0n) [first, sum] = [last, 0n];
    sum += value;
    if (value > 0n && sum > (best?.sum ?? 0n)) best = { first, last, sum };
  }
  return best;
}

function daysOfRun(judged: readonly Judged[], { first, last }: Run): Judged[] {
  return judged.slice(first, last + 1);
}

function spanOf(run: Run, judged: readonly Judged[], isDrift: boolean): Span {
  const during = daysOfRun(judged, run);
  const active = activeOf(during);
  const after = judged.slice(run.last + 1).filter(({ isEvidence }) => isEvidence);
  const to = during.at(-1)!.day;
  return {
    from: during[0]!.day,
    to,
    isDrift,
    overSince: areUsual(after, during) ? addDays(to, 1) : null,
    isLasting: after.length === 0 && active.length > 1,
  };
}

/** Whether it began and ended: what only ended is a fall, and days before it show the difference if they are half as many. */
function isBurst(run: Run, judged: readonly Judged[], past: Window): boolean {
  const evidence = (days: readonly Judged[]) => days.filter(({ isEvidence }) => isEvidence);
  const during = daysOfRun(judged, run);
  const [before, after] = [evidence(judged.slice(0, run.first)), evidence(judged.slice(run.last + 1))];
  const isKnown = 2 * before.length >= activeOf(during).length;
  return during[0]!.day <= past.end && isKnown && areUsual(before, during) && areUsual(after, during);
}

function activeOf(days: readonly Judged[]): Judged[] {
  return days.filter(({ isQuiet }) => !isQuiet);
}

/** If a quarter of the event's daily excess is left, it is neither over nor lasting. */
function areUsual(days: readonly Judged[], during: readonly Judged[]): boolean {
  const [excess, left] = [sumOf(during, 'excess'), sumOf(days, 'excess')];
  return days.length > 0 && 4n * left * BigInt(activeOf(during).length) < excess * BigInt(days.length);
}

export function daysWithin({ from, to }: Pick<Span, 'from' | 'to'>, { days }: Calendar): Day[] {
  return days.filter((day) => day >= from && day <= to);
}

function sumWithin(costs: Costs, days: readonly Day[]): Nanos {
  return days.reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}

/**
 * How often each day before counts toward what is usual on these days, in parts of `whole`. A day's usual is the mean of the days that
 * it is compared with.
 */
export function weightsOf(
  days: readonly Day[],
  { comparable }: Calendar,
): { whole: bigint; weights: ReadonlyMap<Day, bigint> } {
  const sets = days.map((day) => comparable.get(day)!);
  const whole = sets.reduce((product, { length }) => leastMultiple(product, BigInt(length)), 1n);
  const weights = new Map<Day, bigint>();
  for (const set of sets) {
    for (const day of set) weights.set(day, (weights.get(day) ?? 0n) + whole / BigInt(set.length));
  }
  return { whole, weights };
}

function leastMultiple(a: bigint, b: bigint): bigint {
  const divisor = (x: bigint, y: bigint): bigint => (y === 0n ? x : divisor(y, x % y));
  return (a * b) / divisor(a, b);
}
