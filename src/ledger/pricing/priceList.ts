import type { Nanos } from '../../platform/lib/money.ts';
import { readPattern } from './linearPattern.ts';
import type { PriceBook } from './priceBook.ts';
import type { Providers, Rounding, RunnerFacts } from './provider.ts';

/** A rule of an organization: runners that it matches are of a kind, or have a name and a rate of their own. */
export type PriceRule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  /** Compared without regard to case. A regular expression may match any part of a label. */
  pattern: string;
  /** Null where the rule has a rate of its own. */
  runnerKind: string | null;
  name: string | null;
  nanosPerMinute: Nanos | null;
  /** Null: as it is without the rule. */
  rounding: Rounding | null;
};

/** What prices the jobs of an organization: its rules, the first match first; what providers know of runners; its book. */
export type PriceList = { book: PriceBook; rules: readonly ReadyRule[]; providers: Providers };

type ReadyRule = PriceRule & { matches: (facts: RunnerFacts) => boolean };

/** The list of a book and of rules in their order. A pattern that cannot be read matches nothing. */
export function createPriceList(
  book: PriceBook,
  rules: readonly PriceRule[],
  providers: Providers,
): PriceList {
  return { book, rules: rules.map(readyRule), providers };
}

function readyRule(rule: PriceRule): ReadyRule {
  const wanted = rule.pattern.toLowerCase();
  if (rule.match === 'runner_group') {
    return { ...rule, matches: ({ runnerGroup }) => runnerGroup?.toLowerCase() === wanted };
  }
  if (rule.match === 'label') {
    return { ...rule, matches: ({ labels }) => labels.some((label) => label.toLowerCase() === wanted) };
  }
  const read = readPattern(rule.pattern);
  if ('fault' in read) return { ...rule, matches: () => false };
  return { ...rule, matches: ({ labels }) => labels.some(read.matches) };
}

const customPrefix = 'custom:';

/** The kind under which a rule's own rate is stored and summed up. */
export function kindOfRule({ runnerKind, name }: PriceRule): string {
  return runnerKind ?? `${customPrefix}${name}`;
}

/** The name of a rule with a rate of its own, from the kind that is stored; null for every other kind. */
export function customName(kind: string): string | null {
  return kind.startsWith(customPrefix) ? kind.slice(customPrefix.length) : null;
}

/** The rule as it is stored with a job, for its receipt, which outlives the rule: `label:big-box`. */
export function nameOfRule({ match, pattern }: Pick<PriceRule, 'match' | 'pattern'>): string {
  return `${match}:${pattern}`;
}

/** The rule of that name; null where the name is one of the program's own rules. */
export function ruleOfName(name: string): Pick<PriceRule, 'match' | 'pattern'> | null {
  const [, match, pattern] = /^(label|regex|runner_group):([^]*)$/.exec(name) ?? [];
  return match === undefined ? null : { match: match as PriceRule['match'], pattern: pattern! };
}
