import type { Book, ProposedRule, Rule } from './queries.ts';

/** The day from which a price holds that holds for all of history. */
export const always = '1970-01-01';

type KindChoice = { value: string; title: string; label: string };

/** Every kind of runner that there is, with what people call it: the books that come with the program name all. */
export function kindChoices(books: readonly Book[]): KindChoice[] {
  const prices = books.find(({ is_shipped: isShipped }) => isShipped)?.prices ?? [];
  return prices.map(({ runner_kind: value, title }) => ({ value, title, label: `${title} (${value})` }));
}

/** US dollars a minute while they are typed: '' is no price, and not a price of 0. */
export type TypedRate = number | '';

/** A key for another row of a form. Pages over plain http have no `crypto.randomUUID`. */
export function keyAfter(rows: readonly { key: number }[]): number {
  return 1 + Math.max(-1, ...rows.map(({ key }) => key));
}

/** What stands in the field, which may be as little as a point. */
export function typedRate(typed: number | string): TypedRate {
  return typed === '' || Number.isNaN(Number(typed)) ? '' : Number(typed);
}

/** US dollars a minute, exact: `$0.008`. */
export function rateInWords(rate: number): string {
  return `$${rate.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;
}

export const feeInWords =
  'GitHub announced and postponed $0.002 a minute for self-hosted runners of private repositories; not charged.';

export const matchWords = {
  label: 'label is',
  regex: 'a label matches',
  runner_group: 'runner group is',
} as const;

/** A stored rule as the preview takes it. */
export function proposedRule(rule: Rule): ProposedRule {
  const { match, pattern, runner_kind, name, usd_per_minute, rounding } = rule;
  return { match, pattern, runner_kind, name, usd_per_minute, rounding } as ProposedRule;
}

/** A difference with its sign, for what is read aloud: `$12.00 more`. */
export function differenceInWords(difference: number): string {
  if (difference === 0) return 'the same';
  const amount = Math.abs(difference).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  return `${amount} ${difference > 0 ? 'more' : 'less'}`;
}
