import { count, dollars, limitDollars, shortDay } from '../../ui/figures.ts';
import type { IncludedMinutes, IncludedProduct } from './included.ts';

export type Gauge = {
  title: string;
  used: number;
  most: number;
  amount: string;
  left: string;
  of: string;
  until: string;
};

/** For example `36,100`, `of 50,000`, `13,900` left and `until Nov 24`; null without an allowance. Dollars at list prices. */
export function gaugeOf(
  found: Pick<
    IncludedMinutes,
    'included_minutes' | 'used_minutes' | 'used_usd' | 'is_exhausted' | 'exhausted_on'
  >,
): Gauge | null {
  const { included_minutes: included } = found;
  const most = included?.usd ?? included?.minutes;
  if (!included || !most) return null;
  const isMoney = included.usd !== null && found.used_usd !== null;
  // Rounded down, so that it reads full only if it is.
  const used = isMoney ? found.used_usd! : Math.floor(found.used_minutes);
  const inUnit = isMoney ? dollars : count;
  return {
    used,
    most,
    title: isMoney ? 'Included usage' : 'Included minutes',
    amount: inUnit(used),
    left: inUnit(Math.max(0, most - used)),
    of: `of ${isMoney ? limitDollars(most) : count(most)}`,
    until: untilOf(found),
  };
}

/** For example `1,116`, `of 1,488 GB-hours` and `until Mar 14`; null without an allowance or a bill. */
export function productGaugeOf(found: IncludedProduct): Omit<Gauge, 'left'> | null {
  const { title, included, used, unit, counted_until: day } = found;
  if (!included || day === null) return null;
  const amount = count(Math.floor(used));
  const of = `of ${count(included)}${unit === 'gb_hours' ? ' GB-hours' : ''}`;
  return { title, used, most: included, amount, of, until: untilOf(found) };
}

type End = Pick<IncludedMinutes, 'is_exhausted' | 'exhausted_on'>;

function untilOf({ is_exhausted: isExhausted, exhausted_on: day }: End): string {
  if (isExhausted) return `used up${day === null ? '' : ` on ${shortDay(day)}`}`;
  return day === null ? 'lasts the month' : `until ${shortDay(day)}`;
}
