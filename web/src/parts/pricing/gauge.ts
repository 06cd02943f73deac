import { count, dollars, limitDollars, shortDay } from '../../ui/figures.ts';
import type { IncludedMinutes } from './included.ts';

/** For example `36,100`, `of 50,000` and `until Nov 24`; null without an allowance. Dollars at list prices. */
export function gaugeOf(
  found: Pick<
    IncludedMinutes,
    'included_minutes' | 'used_minutes' | 'used_usd' | 'is_exhausted' | 'exhausted_on'
  >,
): { title: string; used: number; most: number; amount: string; of: string; until: string } | null {
  const { included_minutes: included, is_exhausted: isExhausted, exhausted_on: day } = found;
  const most = included?.usd ?? included?.minutes;
  if (!included || !most) return null;
  const isMoney = included.usd !== null && found.used_usd !== null;
  // Rounded down, so that it reads full only if it is.
  const used = isMoney ? found.used_usd! : Math.floor(found.used_minutes);
  return {
    used,
    most,
    title: isMoney ? 'Included usage' : 'Included minutes',
    amount: isMoney ? dollars(used) : count(used),
    of: `of ${isMoney ? limitDollars(most) : count(most)}`,
    until: isExhausted
      ? `used up${day === null ? '' : ` on ${shortDay(day)}`}`
      : day === null
        ? 'lasts the month'
        : `until ${shortDay(day)}`,
  };
}
