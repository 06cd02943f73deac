import type { ProposedRule, Rule } from './queries.ts';

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
