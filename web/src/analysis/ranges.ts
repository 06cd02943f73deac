import { longDay, monthName, shortDay } from '../ui/figures.ts';
import { dayIn, oneOf } from '../ui/useAddress.ts';

/** Days are UTC, such as `2026-11-21`; both ends belong to the range. */
export type Dates = { from: string; to: string };

/** What moves on with the calendar keeps its name, so that a shared link does not grow old. */
export type Range =
  | { kind: 'days'; days: number }
  | { kind: 'this_month' }
  | { kind: 'last_month' }
  | ({ kind: 'dates' } & Dates);

export const presets: readonly Range[] = [
  { kind: 'days', days: 7 },
  { kind: 'days', days: 30 },
  { kind: 'days', days: 90 },
  { kind: 'this_month' },
  { kind: 'last_month' },
];
const maxDays = 365;

export const defaultRange: Range = { kind: 'days', days: 30 };

const msPerDay = 86_400_000;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * msPerDay).toISOString().slice(0, 10);
}

/** With both ends. */
export function daysBetween({ from, to }: Dates): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / msPerDay) + 1;
}

function monthAround(day: string): Dates {
  const [year, month] = day.split('-').map(Number) as [number, number];
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { from: `${day.slice(0, 7)}-01`, to: last };
}

export function datesOf(range: Range, today: string): Dates {
  if (range.kind === 'dates') return { from: range.from, to: range.to };
  if (range.kind === 'days') return { from: addDays(today, 1 - range.days), to: today };
  const month = monthAround(today);
  if (range.kind === 'this_month') return { from: month.from, to: today };
  return monthAround(addDays(month.from, -1));
}

/** These dates, by the name they have today. */
export function rangeOf(dates: Dates, today: string): Range {
  const isSame = (range: Range) => {
    const { from, to } = datesOf(range, today);
    return from === dates.from && to === dates.to;
  };
  return presets.find(isSame) ?? { kind: 'dates', ...dates };
}

/** As long a time before or after. Months go by month. Null if it would lie in the future. */
export function shifted(range: Range, today: string, direction: -1 | 1): Range | null {
  const { from, to } = datesOf(range, today);
  const month = monthAround(from);
  const isMonth = from === month.from && (to === month.to || range.kind === 'this_month');
  const days = daysBetween({ from, to });
  const moved = isMonth
    ? monthAround(direction < 0 ? addDays(from, -1) : addDays(month.to, 1))
    : { from: addDays(from, direction * days), to: addDays(to, direction * days) };
  if (moved.from > today) return null;
  return rangeOf({ from: moved.from, to: moved.to > today ? today : moved.to }, today);
}

export function rangeIn(params: URLSearchParams): Range {
  const from = dayIn(params, 'from');
  const to = dayIn(params, 'to');
  if (from && to) return { kind: 'dates', from, to };
  const named = oneOf(['this_month', 'last_month'], params.get('range'), null);
  if (named) return { kind: named };
  const days = Number(params.get('days'));
  return Number.isInteger(days) && days > 0 && days <= maxDays ? { kind: 'days', days } : defaultRange;
}

export function rangeParameters(range: Range): [name: string, value: string][] {
  if (range.kind === 'dates')
    return [
      ['from', range.from],
      ['to', range.to],
    ];
  if (range.kind !== 'days') return [['range', range.kind]];
  return range.days === 30 ? [] : [['days', String(range.days)]];
}

export function rangeTitle(range: Range): string {
  if (range.kind === 'days') return range.days === 1 ? 'Today' : `Last ${range.days} days`;
  if (range.kind === 'this_month') return 'This month';
  if (range.kind === 'last_month') return 'Last month';
  return datesTitle(range);
}

/** `Nov 21, 2026`, `November 2026`, `Oct 24 – Nov 22, 2026`. */
export function datesTitle({ from, to }: Dates): string {
  if (from === to) return longDay(from);
  const month = monthAround(from);
  if (from === month.from && to === month.to) return monthName(from.slice(0, 7));
  return `${from.slice(0, 4) === to.slice(0, 4) ? shortDay(from) : longDay(from)} – ${longDay(to)}`;
}
