import type { Context } from '../../context.ts';
import { addDays, dayOf, windowBetween } from '../../platform/lib/days.ts';
import { readPattern } from '../pricing/linearPattern.ts';
import type { RateHint } from '../pricing/provider.ts';
import { listRules, type Rule } from '../pricing/rules.ts';
import { labelsIn } from './columns/dayColumns.queries.ts';
import { getCosts, type CostContext } from './costs.ts';

export type UsedHint = RateHint & {
  /** Labels of the last days that it is about, most minutes first. */
  labels: string[];
  minutes: number;
  /** The rule that somebody made of it. */
  ruleId: string | null;
};

const maxLabels = 1_000;

/** Those for labels that third-party jobs of the last days have come first. */
export async function listRateHints(ctx: Context & CostContext, days: number): Promise<UsedHint[]> {
  const { providers, clock } = ctx;
  const today = dayOf(clock.now());
  const { groups } = await getCosts(ctx, {
    window: windowBetween(addDays(today, 1 - days), today),
    groupBy: ['label'],
    filters: [{ dimension: 'runner', values: ['=third_party'] }],
    metric: 'minutes',
    granularity: 'total',
    compare: 'none',
    sort: '-value',
    limit: maxLabels,
  });
  const used = groups.map(({ values: [label], value }) => ({
    labels: labelsIn(label),
    minutes: Number(value),
  }));
  const rules = await listRules(ctx);
  const hints = providers.list.flatMap(({ rateHints }) => rateHints);
  return hints
    .map((hint) => ({ ...hint, ...useOf(hint, used), ruleId: ruleOf(hint, rules)?.id ?? null }))
    .toSorted((a, b) => b.minutes - a.minutes);
}

function useOf({ pattern }: RateHint, used: readonly { labels: string[]; minutes: number }[]) {
  const read = readPattern(pattern);
  if ('fault' in read) throw new Error(`the pattern ${pattern} of a hint ${read.fault}`);
  const found = used.filter(({ labels }) => labels.some(read.matches));
  return {
    labels: [...new Set(found.flatMap(({ labels }) => labels.filter(read.matches)))],
    minutes: found.reduce((sum, { minutes }) => sum + minutes, 0),
  };
}

function ruleOf({ pattern }: RateHint, rules: readonly Rule[]): Rule | undefined {
  return rules.find((rule) => rule.match === 'regex' && rule.pattern === pattern);
}
