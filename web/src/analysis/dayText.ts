import { isDay } from '../ui/useAddress.ts';

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** The UTC day that somebody typed, as pages show it or as `2026-11-21`; empty for nothing, null for no day. */
export function dayFrom(text: string): string | null {
  const typed = text.trim();
  if (typed === '' || isDay(typed)) return typed;
  const [, month = '', date = '', year = ''] = /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i.exec(typed) ?? [];
  const number = months.indexOf(month.toLowerCase()) + 1;
  const day = `${year}-${String(number).padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) ? day : null;
}
