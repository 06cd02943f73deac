const counts = new Intl.NumberFormat('en-US');
const shares = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const datedDays = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `12,345`. */
export function count(value: number): string {
  return counts.format(value);
}

/** `1 run`, `2,000 runs`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `92.5%`, of a fraction from 0 to 1. */
export function share(fraction: number): string {
  return shares.format(fraction);
}

/** A UTC day such as `2026-11-21`, without its year. */
export function shortDay(day: string): string {
  return days.format(new Date(day));
}

/** A UTC day such as `2026-11-21`, with its year. */
export function longDay(day: string): string {
  return datedDays.format(new Date(day));
}

/** A UTC month such as `2026-11`. */
export function monthName(month: string): string {
  return months.format(new Date(`${month}-01`));
}
