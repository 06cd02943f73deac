import { dayOf, type Day } from '../../platform/lib/days.ts';

/** How dates with slashes are read: month/day, as GitHub writes them, or day/month. */
export const dateOrders = ['mdy', 'dmy'] as const;
export type DateOrder = (typeof dateOrders)[number];

const slashes = /^(\d\d?)\/(\d\d?)\/(\d{4}|\d\d)$/;

/**
 * The UTC day of a report's date: `2026-01-31`, an instant such as `2026-01-31T00:01:14Z`, or as Excel and old reports
 * have it `01/31/2026` and `1/31/26`. Null where the text is no day.
 */
export function readDay(text: string, order: DateOrder): Day | null {
  const trimmed = text.trim();
  const [, year, month, date, time = ''] = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ](.+))?$/.exec(trimmed) ?? [];
  if (year) return /(z|[+-]\d\d:?\d\d)$/i.test(time) ? dayOfInstant(trimmed) : dayFrom(year, month!, date!);
  const [, first, second, ofYear] = slashes.exec(trimmed) ?? [];
  if (!ofYear) return null;
  const fullYear = ofYear.length === 2 ? `20${ofYear}` : ofYear;
  return order === 'mdy' ? dayFrom(fullYear, first!, second!) : dayFrom(fullYear, second!, first!);
}

/** The order that a date with slashes proves; `open` if it is another day in each, null if the order does not matter. */
export function orderOf(text: string): DateOrder | 'open' | null {
  if (!slashes.test(text.trim())) return null;
  const [mdy, dmy] = [readDay(text, 'mdy'), readDay(text, 'dmy')];
  if (mdy === dmy) return null;
  if (mdy && dmy) return 'open';
  return mdy ? 'mdy' : 'dmy';
}

function dayFrom(year: string, month: string, date: string): Day | null {
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const instant = new Date(`${day}T00:00:00Z`);
  // February 30 would be March 2.
  return !Number.isNaN(instant.getTime()) && dayOf(instant) === day && isPlausible(day) ? day : null;
}

function dayOfInstant(text: string): Day | null {
  const instant = new Date(text.replace(' ', 'T'));
  if (Number.isNaN(instant.getTime())) return null;
  const day = instant.toISOString().slice(0, 10);
  return isPlausible(day) ? day : null;
}

/** GitHub is from 2008. */
function isPlausible(day: Day): boolean {
  return day >= '2008-01-01' && day < '2100-01-01';
}
