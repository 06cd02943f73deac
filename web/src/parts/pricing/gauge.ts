import { count, shortDay } from '../../ui/figures.ts';
import type { IncludedMinutes } from './included.ts';

/** For example `36,100 of 50,000 included minutes` and `until Nov 24 at this pace`; null without an allowance. */
export function gaugeOf(
  found: Pick<IncludedMinutes, 'included_minutes' | 'used_minutes' | 'is_exhausted' | 'exhausted_on'>,
): { used: number; most: number; amount: string; until: string } | null {
  const { included_minutes: included, is_exhausted: isExhausted, exhausted_on: day } = found;
  if (!included || included.minutes === 0) return null;
  // Rounded down, so that it reads full only if it is.
  const used = Math.floor(found.used_minutes);
  return {
    used,
    most: included.minutes,
    amount: `${count(used)} of ${count(included.minutes)} included minutes`,
    until: isExhausted
      ? `used up${day === null ? '' : ` on ${shortDay(day)}`}`
      : day === null
        ? 'lasts to the end of the month'
        : `until ${shortDay(day)} at this pace`,
  };
}
