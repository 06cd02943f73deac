import { calendar } from '../ui/calendar.ts';
import { longDay, monthName, shortDay } from '../ui/figures.ts';
import { dayIn, oneOf } from '../ui/useAddress.ts';

/** Days are UTC, such as `2026-11-21`; both ends belong to the range. */
export type Dates = { from: string; to: string };

const units = ['week', 'month', 'fiscal_quarter', 'fiscal_year'] as const;
type Unit = (typeof units)[number];

const named = units.flatMap((unit) => [`this_${unit}`, `last_${unit}`] as const);

/** What moves on with the calendar keeps its name, so that a shared link does not grow old. */
export type Range =
  | { kind: 'days'; days: number }
  | { kind: (typeof named)[number] }
  | ({ kind: 'dates' } & Dates);

/** The last 12 months. */
const maxDays = 365;

/** To choose from. Where the fiscal year is the calendar's, its quarters and last year are left out. */
export function presets({ fiscal_year_start_month: start } = calendar()): Range[] {
  const isPlain = (kind: string) => kind === 'this_fiscal_year' || !kind.includes('fiscal');
  const chosen = start === 1 ? named.filter(isPlain) : named;
  return [
    ...[7, 30, 90, maxDays].map((days): Range => ({ kind: 'days', days })),
    ...chosen.map((kind): Range => ({ kind })),
  ];
}

export const defaultRange: Range = { kind: 'days', days: 30 };

const msPerDay = 86_400_000;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * msPerDay).toISOString().slice(0, 10);
}

/** With both ends. */
export function daysBetween({ from, to }: Dates): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / msPerDay) + 1;
}

function monthFrom(year: number, month: number): string {
  return new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);
}

/** The whole week, month, fiscal quarter or fiscal year that the day is in. */
export function periodAround(day: string, unit: Unit, asRead = calendar()): Dates {
  if (unit === 'week') {
    const isoDay = (new Date(day).getUTCDay() + (asRead.week_start === 'monday' ? 6 : 0)) % 7;
    return { from: addDays(day, -isoDay), to: addDays(day, 6 - isoDay) };
  }
  const [year, month] = day.split('-').map(Number) as [number, number];
  const months = { month: 1, fiscal_quarter: 3, fiscal_year: 12 }[unit];
  const since = unit === 'month' ? 0 : (month - asRead.fiscal_year_start_month + 12) % months;
  return { from: monthFrom(year, month - since), to: addDays(monthFrom(year, month - since + months), -1) };
}

const monthAround = (day: string): Dates => periodAround(day, 'month');

function unitOf(kind: (typeof named)[number]): Unit {
  return kind.replace(/^(this|last)_/, '') as Unit;
}

export function datesOf(range: Range, today: string, asRead = calendar()): Dates {
  if (range.kind === 'dates') return { from: range.from, to: range.to };
  if (range.kind === 'days') return { from: addDays(today, 1 - range.days), to: today };
  const unit = unitOf(range.kind);
  const { from } = periodAround(today, unit, asRead);
  return range.kind.startsWith('this') ? { from, to: today } : periodAround(addDays(from, -1), unit, asRead);
}

/** These dates, by the name they have today. */
export function rangeOf(dates: Dates, today: string): Range {
  const isSame = (range: Range) => {
    const { from, to } = datesOf(range, today);
    return from === dates.from && to === dates.to;
  };
  return presets().find(isSame) ?? { kind: 'dates', ...dates };
}

/** As long a time before or after. Months, quarters and years go by their own length. Null if it would lie in the future. */
export function shifted(range: Range, today: string, direction: -1 | 1): Range | null {
  const { from, to } = datesOf(range, today);
  const days = daysBetween({ from, to });
  const unit = wholeUnitOf(range, { from, to });
  const whole = unit && periodAround(from, unit);
  const moved = whole
    ? periodAround(direction < 0 ? addDays(from, -1) : addDays(whole.to, 1), unit)
    : { from: addDays(from, direction * days), to: addDays(to, direction * days) };
  if (moved.from > today) return null;
  return rangeOf({ from: moved.from, to: moved.to > today ? today : moved.to }, today);
}

function wholeUnitOf(range: Range, { from, to }: Dates): Unit | null {
  if (range.kind !== 'dates' && range.kind !== 'days') return unitOf(range.kind);
  const isWhole = (unit: Unit) => {
    const whole = periodAround(from, unit);
    return whole.from === from && whole.to === to;
  };
  return units.find(isWhole) ?? null;
}

export function rangeIn(params: URLSearchParams): Range {
  const from = dayIn(params, 'from');
  const to = dayIn(params, 'to');
  if (from && to) return { kind: 'dates', from, to };
  const kind = oneOf(named, params.get('range'), null);
  if (kind) return { kind };
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

export function rangeTitle(range: Range, { fiscal_year_start_month: start } = calendar()): string {
  if (range.kind === 'days') {
    if (range.days === maxDays) return 'Last 12 months';
    return range.days === 1 ? 'Today' : `Last ${range.days} days`;
  }
  if (range.kind === 'dates') return datesTitle(range);
  if (range.kind === 'this_fiscal_year' && start === 1) return 'Year to date';
  const text = range.kind.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Nov 21, 2026`, `November 2026`, `Oct 24 – Nov 22, 2026`. */
export function datesTitle({ from, to }: Dates): string {
  if (from === to) return longDay(from);
  const month = monthAround(from);
  if (from === month.from && to === month.to) return monthName(from.slice(0, 7));
  return `${from.slice(0, 4) === to.slice(0, 4) ? shortDay(from) : longDay(from)} – ${longDay(to)}`;
}
