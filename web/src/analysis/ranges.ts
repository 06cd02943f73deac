import { calendar } from '../api/calendar.ts';
import { longDay, monthName, shortDay } from '../ui/figures.ts';
import { dayIn, oneOf } from '../ui/useAddress.ts';

/** UTC days such as `2026-11-21`, both inclusive. */
export type Dates = { from: string; to: string };

const units = ['week', 'month', 'fiscal_quarter', 'fiscal_year'] as const;
type Unit = (typeof units)[number];

const wholes = units.flatMap((unit) => [`this_${unit}`, `last_${unit}`] as const);
const named = ['yesterday', ...wholes] as const;

/** Ranges relative to today keep their name, so that shared links stay current. */
export type Range =
  | { kind: 'days'; days: number }
  | { kind: (typeof named)[number] }
  | ({ kind: 'dates' } & Dates);

const maxDays = 365;

/** The first day that the API shows. */
export function historyStart(plan: 'free' | 'pro' | 'team', today: string): string {
  return addDays(today, 1 - (plan === 'free' ? 30 : maxDays));
}

/** Ranges to choose from. If the fiscal year is the calendar year, its quarters and last year are left out. */
export function presets({ fiscal_year_start_month: start } = calendar()): Range[] {
  const isPlain = (kind: string) => kind === 'this_fiscal_year' || !kind.includes('fiscal');
  const chosen = start === 1 ? wholes.filter(isPlain) : wholes;
  return [
    { kind: 'days', days: 1 },
    { kind: 'yesterday' },
    ...[7, 30, 90, maxDays].map((days): Range => ({ kind: 'days', days })),
    ...chosen.map((kind): Range => ({ kind })),
  ];
}

export const defaultRange: Range = { kind: 'days', days: 30 };

const msPerDay = 86_400_000;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * msPerDay).toISOString().slice(0, 10);
}

export function daysBetween({ from, to }: Dates): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / msPerDay) + 1;
}

function monthFrom(year: number, month: number): string {
  return new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);
}

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

function unitOf(kind: (typeof wholes)[number]): Unit {
  return kind.replace(/^(this|last)_/, '') as Unit;
}

export function datesOf(range: Range, today: string, asRead = calendar()): Dates {
  if (range.kind === 'dates') return { from: range.from, to: range.to };
  if (range.kind === 'days') return { from: addDays(today, 1 - range.days), to: today };
  const yesterday = addDays(today, -1);
  if (range.kind === 'yesterday') return { from: yesterday, to: yesterday };
  const unit = unitOf(range.kind);
  const { from } = periodAround(today, unit, asRead);
  return range.kind.startsWith('this') ? { from, to: today } : periodAround(addDays(from, -1), unit, asRead);
}

/** The preset with these dates, or else the dates. */
export function rangeOf(dates: Dates, today: string): Range {
  const isSame = (range: Range) => {
    const { from, to } = datesOf(range, today);
    return from === dates.from && to === dates.to;
  };
  const [day, yesterday, ...longer] = presets();
  // On the first day of a month, these dates mean the month rather than the day.
  return [...longer, day!, yesterday!].find(isSame) ?? { kind: 'dates', ...dates };
}

/**
 * The equally long period before or after; whole months, quarters and years move by their own length. Null if it would
 * lie in the future.
 */
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
  if (range.kind !== 'dates' && range.kind !== 'days' && range.kind !== 'yesterday')
    return unitOf(range.kind);
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

/** For example `Nov 21, 2026`, `November 2026` or `Oct 24 – Nov 22, 2026`. */
export function datesTitle({ from, to }: Dates): string {
  if (from === to) return longDay(from);
  const month = monthAround(from);
  if (from === month.from && to === month.to) return monthName(from.slice(0, 7));
  return `${from.slice(0, 4) === to.slice(0, 4) ? shortDay(from) : longDay(from)} – ${longDay(to)}`;
}
