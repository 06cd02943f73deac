import { count, countOf, dollars, exactDollars, longDay } from '../../../ui/figures.ts';
import type { Pool, ProposedRule, PublishedTerm, Rule, RunnerKind } from './queries.ts';

/** In a column, such as `1,234 min`. */
export const minutesText = (minutes: number): string => `${count(minutes)} min`;

/** The start day of prices that apply to all of history. */
export const always = '1970-01-01';

type KindChoice = { value: string; title: string; label: string };

export function kindChoices(kinds: readonly RunnerKind[]): KindChoice[] {
  return kinds.map(({ runner_kind: value, title, usd_per_minute: price }) => ({
    value,
    title,
    label: price === null ? `${title} (${value}, no price)` : `${title} (${value})`,
  }));
}

/** A rate while it is typed; '' means no rate, not a rate of 0. */
export type TypedRate = number | '';

/** A key for a new row. Pages over plain HTTP have no `crypto.randomUUID`. */
export function keyAfter(rows: readonly { key: number }[]): number {
  return 1 + Math.max(-1, ...rows.map(({ key }) => key));
}

type Stored = { runner_kind: string; usd_per_minute: number; effective_from: string };
export type DatedRate = { key: number; kind: string; rate: TypedRate; from: string };

/** A rate with its first day, for a form that changes it. */
export function datedRate(stored: Stored, key: number): DatedRate {
  const { runner_kind: kind, usd_per_minute: rate, effective_from: from } = stored;
  return { key, kind, rate, from: from === always ? '' : from };
}

export function storedRate({ kind, rate, from }: DatedRate): Stored {
  return { runner_kind: kind, usd_per_minute: Number(rate), effective_from: from || always };
}

/**
 * Accepts dollars with a decimal point, up to the API's limit of 100. Anything else, such as `0,05` or `1e3`, is not a
 * rate.
 */
export function typedRate(typed: string): TypedRate {
  const [, amount] = /^\s*\$?(\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})\s*$/.exec(typed) ?? [];
  return amount === undefined || Number(amount) > 100 ? '' : Number(amount);
}

/** The text of a rate in a field, without an exponent. */
export function rateText(rate: TypedRate): string {
  return rate === '' ? '' : rate.toFixed(9).replace(/\.?0+$/, '');
}

export function rateInWords(rate: number, minDecimals = 2): string {
  return `$${rate.toLocaleString('en-US', { minimumFractionDigits: minDecimals, maximumFractionDigits: 9 })}`;
}

/** For example `$0.001 per minute, $0.00125 from Sep 1, 2026`. */
export function ratesInWords({
  usd_per_minute: rate,
  later_rates: later,
}: Pick<Rule, 'usd_per_minute' | 'later_rates'>): string {
  if (rate === null) return 'Price list';
  const words = later.map(
    (each) => `${rateInWords(each.usd_per_minute)} from ${longDay(each.effective_from)}`,
  );
  return [`${rateInWords(rate)} per minute`, ...words].join(', ');
}

/** Three decimals, as in published rates, so that the decimal points line up. */
export function rateInCells(rate: number): string {
  return rate === 0 ? 'free' : rateInWords(rate, 3);
}

export const feeInWords =
  'GitHub announced a fee of $0.002 per minute for self-hosted runners in private repositories, then postponed it. It is not charged.';

export const matchWords = {
  label: 'label is',
  regex: 'label matches',
  runner_group: 'runner group is',
} as const;

export const matchChoices = [
  { value: 'label', label: 'Label is' },
  { value: 'regex', label: 'Label matches regular expression' },
  { value: 'runner_group', label: 'Runner group is' },
] as const;

export function proposedRule(rule: Rule): ProposedRule {
  const { match, pattern, runner_kind, name, usd_per_minute, later_rates, rounding } = rule;
  return { match, pattern, runner_kind, name, usd_per_minute, later_rates, rounding } as ProposedRule;
}

/** For example `$12.00 more`, without a sign, for screen readers. */
export function differenceInWords(difference: number): string {
  if (difference === 0) return 'the same';
  const amount = Math.abs(difference).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  return `${amount} ${difference > 0 ? 'more' : 'less'}`;
}

type PerMonth = Pick<PublishedTerm, 'unit' | 'per_month'> & Partial<Pick<PublishedTerm, 'product'>>;

const productWords = {
  artifacts: 'GB of artifacts',
  packages: 'GB of packages',
  ai_credits: 'AI credits',
};

export function allowanceText({ unit, per_month: amount, product }: PerMonth): string {
  if (product) return `${amount!.toLocaleString('en-US')} ${productWords[product]}`;
  return unit === 'usd' ? dollars(amount!).replace(/\.00$/, '') : countOf(amount!, 'minute');
}

export function periodText({ first_day: first, last_day: last }: PublishedTerm): string {
  const isFromStart = first === '1970-01-01';
  if (last === null) return isFromStart ? 'Always' : `Since ${longDay(first)}`;
  return isFromStart ? `Until ${longDay(last)}` : `${longDay(first)} to ${longDay(last)}`;
}

/** What people need to know before they choose dollars in place of minutes. */
export function dollarsHint(terms: readonly PublishedTerm[], plan: string): string | null {
  const of = (unit: PublishedTerm['unit']) =>
    terms.findLast((term) => term.about === 'plan' && term.github_plan === plan && term.unit === unit);
  const [minutes, usd] = [of('minutes'), of('usd')];
  if (!minutes || !usd) return null;
  const amounts = `${allowanceText(usd)} in place of ${allowanceText(minutes)}`;
  return `GitHub may include ${amounts} since ${usd.first_day.slice(0, 4)}, for larger runners too. Choose what your billing page shows. Source: ${usd.source}`;
}

/** `4 machines, $0.12 per hour each, from Jan 1, 2026` */
export function periodInWords({
  machines,
  monthly_usd,
  usd_per_hour,
  ...days
}: Pool['periods'][number]): string {
  const price =
    usd_per_hour !== null
      ? `${exactDollars(usd_per_hour)} per hour each`
      : monthly_usd !== null && `${exactDollars(monthly_usd)} per month`;
  const until = days.last_day === null ? '' : ` to ${longDay(days.last_day)}`;
  const size = machines !== null && countOf(machines, 'machine');
  return [size, price, `from ${longDay(days.first_day)}${until}`].filter(Boolean).join(', ');
}
