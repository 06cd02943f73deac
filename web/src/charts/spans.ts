import type { Costs } from '../analysis/queries.ts';
import { addDays, daysBetween } from '../analysis/ranges.ts';
import type { Granularity } from '../analysis/words.ts';
import { longDay, monthName, shortDay } from '../ui/figures.ts';
import type { Series } from './series.ts';

export type Span = {
  start: string;
  total: number;
  previous: number | null;
  /** The day that `previous` is of; null if spans are longer. */
  comparedWith: string | null;
};

type Compared = Pick<Costs, 'period' | 'previous_period' | 'granularity'> & {
  total: { series: readonly Pick<Costs['total']['series'][number], 'start' | 'value' | 'previous_value'>[] };
};

/**
 * The total by day, week or month. Each day is compared with the same weekday, as a Saturday beside a Monday says nothing: so
 * a day may be compared with one of the same period.
 */
export function spansOf({ total, period, previous_period: before, granularity }: Compared): Span[] {
  if (granularity !== 'day' || !before)
    return total.series.map(({ start, value, previous_value: previous }) => ({
      ...{ start, total: value, previous },
      comparedWith: null,
    }));
  const known = new Map(total.series.map(({ start, value }) => [start, value]));
  const isRightBefore = addDays(before.end, 1) === period.start;
  for (const [index, { start, previous_value: value }] of total.series.entries()) {
    const day = isRightBefore
      ? addDays(before.start, index)
      : `${Number(start.slice(0, 4)) - 1}${start.slice(4)}`;
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

/** The span that a day is in; null before the first one. */
export function spanAt(day: string, starts: readonly string[]): string | null {
  return starts.findLast((start) => start <= day) ?? null;
}

/** Whether a line of the compared period helps: if there was anything before this period. */
export function showsPrevious(spans: readonly Span[]): boolean {
  const first = spans[0]?.start ?? '';
  const isBefore = ({ comparedWith }: Span) => comparedWith === null || comparedWith < first;
  return spans.some((span) => (span.previous ?? 0) > 0 && isBefore(span));
}

/** Each with what it is compared with, day by day as the total is. */
export function comparedSeries<T extends Pick<Series, 'values' | 'previous'>>(
  costs: Compared,
  series: readonly T[],
): T[] {
  const isShown = showsPrevious(spansOf(costs));
  return series.map((each) => {
    const points = costs.total.series.map(({ start }, index) => ({
      ...{ start, value: each.values[index] ?? 0, previous_value: each.previous[index] ?? null },
    }));
    const spans = isShown ? spansOf({ ...costs, total: { series: points } }) : [];
    return { ...each, previous: spans.map(({ previous }) => previous) };
  });
}

/** The series whose part of a stack has this amount, counted from the bottom; null above the stack. */
export function partAt(amount: number, values: readonly number[]): number | null {
  let height = 0;
  const index = values.findIndex((value) => {
    height += value;
    return amount <= height && value > 0;
  });
  return amount < 0 || index < 0 ? null : index;
}

/** The series whose line is nearest to this amount. */
export function nearestTo(amount: number, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce(
    (nearest, value, index) =>
      Math.abs(value - amount) < Math.abs(values[nearest]! - amount) ? index : nearest,
    0,
  );
}

/** The starts that get a label: Mondays over more than two weeks, evenly spaced and at most `most`. */
export function dateTicks(starts: readonly string[], granularity: Granularity, most: number): string[] {
  const mondays = starts.filter((day) => new Date(day).getUTCDay() === 1);
  const isByWeek = granularity === 'day' && starts.length > 14 && mondays.length > 1;
  const all = isByWeek ? mondays : starts;
  const step = Math.ceil(all.length / most);
  return all.filter((_, index) => index % step === 0);
}

/** The last day of the span that starts here, within the period. */
export function endOf(start: string, granularity: Granularity, period: { end: string }): string {
  const date = new Date(start);
  const last =
    granularity === 'day'
      ? start
      : granularity === 'week'
        ? addDays(start, (7 - date.getUTCDay()) % 7)
        : new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
  return last > period.end ? period.end : last;
}

/** The column that is not over yet; -1 if there is none, or if it stands alone, where it would look disabled. */
export function unfinishedOf(
  spans: readonly Span[],
  today: string,
  granularity: Granularity,
  period: { end: string },
): number {
  if (spans.filter(({ total }) => total > 0).length < 2) return -1;
  return spans.findLastIndex(({ start }) => start <= today && today <= endOf(start, granularity, period));
}

/** `Mon, Nov 16`, of a day that is near. */
export function weekdayTitle(day: string): string {
  return `${weekdays.format(new Date(day))}, ${shortDay(day)}`;
}

const weekdays = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' });

/** `Mon, Nov 16, 2026`, `Nov 16 – Nov 22, 2026`, `November 2026`; a span that is cut by its days. */
export function spanTitle(start: string, granularity: Granularity, period: { end: string }): string {
  if (granularity === 'day') return `${weekdays.format(new Date(start))}, ${longDay(start)}`;
  const end = endOf(start, granularity, period);
  const isWhole =
    granularity === 'month' && start.endsWith('-01') && endOf(start, 'month', { end: '9' }) === end;
  if (isWhole) return monthName(start.slice(0, 7));
  return start === end ? longDay(start) : `${shortDay(start)} – ${longDay(end)}`;
}
