import type { Costs } from '../analysis/queries.ts';
import { addDays, daysBetween, periodAround } from '../analysis/ranges.ts';
import type { Granularity } from '../analysis/words.ts';
import { longDay, monthName, shortDay } from '../ui/figures.ts';
import type { Series } from './series.ts';

export type Span = {
  start: string;
  total: number;
  previous: number | null;
  /** The day that `previous` belongs to; null if spans are longer than a day. */
  comparedWith: string | null;
};

type Compared = Pick<Costs, 'period' | 'previous_period' | 'granularity'> & {
  total: { series: readonly Pick<Costs['total']['series'][number], 'start' | 'value' | 'previous_value'>[] };
};

/**
 * The total by day, week or month. Days are compared with the same weekday, which can lie in the same period, because
 * comparing a Saturday with a Monday says nothing.
 */
export function spansOf({ total, period, previous_period: before, granularity }: Compared): Span[] {
  if (granularity !== 'day' || !before)
    return total.series.map(({ start, value, previous_value: previous }) => ({
      start,
      total: value,
      previous,
      comparedWith: null,
    }));
  const known = new Map(total.series.map(({ start, value }) => [start, value]));
  // Days of months and years are compared by date. Without a gap between equally long periods, that is the same.
  const isByPlace =
    before.days === period.days && total.series.every(({ previous_value: value }) => value !== null);
  const months = monthsBetween(before.start, period.start);
  for (const [index, { start, previous_value: value }] of total.series.entries()) {
    const day = isByPlace ? addDays(before.start, index) : monthsEarlier(start, months);
    if (value !== null && !known.has(day)) known.set(day, value);
  }
  const distance = daysBetween({ from: before.start, to: period.start }) - 1;
  const wholeWeeks = distance - (distance % 7);
  return total.series.map(({ start, value }) => {
    const comparedWith = addDays(start, -(wholeWeeks || distance));
    const previous = known.get(comparedWith);
    return { start, total: value, previous: previous ?? null, comparedWith };
  });
}

function monthsBetween(earlier: string, day: string): number {
  const monthOf = (text: string) => 12 * Number(text.slice(0, 4)) + Number(text.slice(5, 7));
  return monthOf(day) - monthOf(earlier);
}

/** The same date, for days that the earlier month has. */
function monthsEarlier(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1 - months, date)).toISOString().slice(0, 10);
}

/** The start of the span that contains the day; null if the day is before the first span. */
export function spanAt(day: string, starts: readonly string[]): string | null {
  return starts.findLast((start) => start <= day) ?? null;
}

/** Whether the line of the previous period is useful: something must have been recorded before this period. */
export function showsPrevious(spans: readonly Span[]): boolean {
  const first = spans[0]?.start ?? '';
  const isBefore = ({ comparedWith }: Span) => comparedWith === null || comparedWith < first;
  return spans.some((span) => (span.previous ?? 0) > 0 && isBefore(span));
}

/** With more lines, only the line at the pointer shows its previous period. */
export const maxWithPrevious = 4;

/** Each series with its previous values by day, aligned as those of the total. */
export function comparedSeries<T extends Pick<Series, 'values' | 'previous'>>(
  costs: Compared,
  series: readonly T[],
): T[] {
  const isShown = showsPrevious(spansOf(costs));
  return series.map((each) => {
    const points = costs.total.series.map(({ start }, index) => ({
      start,
      value: each.values[index] ?? 0,
      previous_value: each.previous[index] ?? null,
    }));
    const spans = isShown ? spansOf({ ...costs, total: { series: points } }) : [];
    return { ...each, previous: spans.map(({ previous }) => previous) };
  });
}

/** The series whose part of a stack contains this amount, counted from the bottom; null above the stack. */
export function partAt(amount: number, values: readonly number[]): number | null {
  let height = 0;
  const index = values.findIndex((value) => {
    height += value;
    return amount <= height && value > 0;
  });
  return amount < 0 || index < 0 ? null : index;
}

export function nearestTo(amount: number, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce(
    (nearest, value, index) =>
      Math.abs(value - amount) < Math.abs(values[nearest]! - amount) ? index : nearest,
    0,
  );
}

/** Whether a note of this many columns hides less on the left of a column than on its right. */
export function isLowerLeft(heights: readonly number[], index: number, columns: number): boolean {
  const left = heights.slice(Math.max(0, index - columns), index);
  const right = heights.slice(index + 1, index + 1 + columns);
  return Math.max(0, ...left) < Math.max(0, ...right);
}

type NotePlace = { isLeft: boolean; isTop: boolean };
const notePlaces: NotePlace[] = [
  { isLeft: false, isTop: true },
  { isLeft: false, isTop: false },
  { isLeft: true, isTop: true },
  { isLeft: true, isTop: false },
];

/** Where a note at a point hides least of its line. `heights` are pixels from the top, null without a value. */
export function placeOfNote(
  heights: readonly (number | null)[],
  index: number,
  { columns, chartHeight, noteHeight }: { columns: number; chartHeight: number; noteHeight: number },
): NotePlace {
  const hiddenBy = ({ isLeft, isTop }: NotePlace): number => {
    const [first, last] = isTop ? [0, noteHeight] : [chartHeight - noteHeight, chartHeight];
    const side = isLeft ? heights.slice(0, index + 1).toReversed() : heights.slice(index);
    const isHidden = (height: number | null, at: number) => {
      const next = side[at + 1] ?? null;
      if (height === null || next === null) return false;
      return Math.min(height, next) <= last && Math.max(height, next) >= first;
    };
    const hidden = side.slice(0, columns).filter(isHidden).length;
    return side.length > columns ? hidden : hidden + columns;
  };
  return notePlaces.reduce((best, place) => (hiddenBy(place) < hiddenBy(best) ? place : best));
}

/** The starts that get a label: those of weeks if there are more than two weeks of days. At most `most`, evenly spaced. */
export function dateTicks(starts: readonly string[], granularity: Granularity, most: number): string[] {
  const ofWeeks = starts.filter((day) => periodAround(day, 'week').from === day);
  const isByWeek = granularity === 'day' && starts.length > 14 && ofWeeks.length > 1;
  const all = isByWeek ? ofWeeks : starts;
  const step = Math.ceil(all.length / most);
  return all.filter((_, index) => index % step === 0);
}

export function endOf(start: string, granularity: Granularity, period: { end: string }): string {
  const last = granularity === 'day' ? start : periodAround(start, granularity).to;
  return last > period.end ? period.end : last;
}

type Dated = { granularity: Granularity; period: { end: string }; today: string };

/** Today, and incomplete weeks and months. If the chart has a single column, it would look disabled. */
export function partialOf(spans: readonly Span[], { granularity, period, today }: Dated): Set<string> {
  if (spans.filter(({ total }) => total > 0).length < 2) return new Set();
  const isPartial = (start: string) =>
    granularity === 'day' ? start >= today : daysTitle(start, { granularity, period, today }) !== null;
  return new Set(spans.map(({ start }) => start).filter(isPartial));
}

/** The legend's name for pale columns. Days need none. */
export function partialTitle(spans: readonly Span[], dated: Dated): string | null {
  if (dated.granularity === 'day') return null;
  return partialOf(spans, dated).size > 0 ? `Partial ${dated.granularity}` : null;
}

/** For example `4 of 7 days`; null if the week or month is complete. */
export function daysTitle(start: string, { granularity, period, today }: Dated): string | null {
  if (granularity === 'day') return null;
  const end = endOf(start, granularity, period);
  const days = daysBetween({ from: start, to: end < today ? end : today });
  const whole = daysBetween(periodAround(start, granularity));
  return days < whole ? `${days} of ${whole} days` : null;
}

/** What a small line draws: a week or month that lacks days would look like a rise or a fall, so it is left out. */
export function trendOf(
  series: readonly { start: string; value: number }[],
  { granularity, period }: Pick<Costs, 'granularity'> & { period: { end: string } },
): number[] {
  if (granularity === 'total') return [];
  const dated = { granularity, period, today: period.end };
  return series.filter(({ start }) => daysTitle(start, dated) === null).map(({ value }) => value);
}

/** For example `Mon, Nov 16`, for recent days. */
export function weekdayTitle(day: string): string {
  return `${weekdays.format(new Date(day))}, ${shortDay(day)}`;
}

const weekdays = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' });

/** For example `Mon, Nov 16, 2026`, `Nov 16 – Nov 22, 2026` or `November 2026`. Incomplete spans show their days. */
export function spanTitle(start: string, granularity: Granularity, period: { end: string }): string {
  if (granularity === 'day') return `${weekdays.format(new Date(start))}, ${longDay(start)}`;
  const end = endOf(start, granularity, period);
  const month = periodAround(start, 'month');
  if (granularity === 'month' && start === month.from && end === month.to)
    return monthName(start.slice(0, 7));
  return start === end ? longDay(start) : `${shortDay(start)} – ${longDay(end)}`;
}
