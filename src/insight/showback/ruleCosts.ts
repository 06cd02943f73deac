import {
  everyGroup,
  ownerKindOf,
  type Dimension,
  type OwnerDimension,
} from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether, type CostContext, type Costs } from '../../ledger/costs/costs.ts';
import type { OwnerKind } from '../../ledger/ownership/owners.ts';
import type { Window } from '../../platform/lib/days.ts';
import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import { mostExpensiveView, type RepositoryCost } from './showback.ts';

type Sums = { cost: Nanos; jobs: bigint };

/** Costs of one rule, or of no rule of the kind if `rule` is null. */
type DecidedCosts = Sums & {
  kind: OwnerKind;
  rule: string | null;
  repositories: RepositoryCost[];
};

/** Rules that decided about no job are left out. */
export type RuleCosts = { window: Window; total: Sums; decided: DecidedCosts[] };

const dimensions = Object.keys(ownerKindOf) as OwnerDimension[];

/** What each ownership rule decided about in the window, by the rules of each day. */
export async function getRuleCosts(ctx: CostContext, window: Window): Promise<RuleCosts> {
  const ask = (metric: 'cost' | 'jobs', groupBy: readonly Dimension[]) => ({
    metric,
    groupBy,
    window,
    filters: [],
    namesRules: true,
    ...everyGroup,
  });
  const answers = await getCostsTogether(
    ctx,
    dimensions.flatMap((owner) => [ask('cost', [owner, 'repository']), ask('jobs', [owner])]),
  );
  const decided = dimensions.flatMap((owner, index) => {
    const [costs, jobs] = answers.slice(2 * index) as [Costs, Costs];
    return decidedBy(ownerKindOf[owner], costs, jobs);
  });
  const [costs, jobs] = answers as [Costs, Costs];
  return { window, total: { cost: costs.total.value, jobs: jobs.total.value }, decided };
}

function decidedBy(kind: OwnerKind, costs: Costs, jobs: Costs): DecidedCosts[] {
  const ofRule = Map.groupBy(costs.groups, ({ values: [rule] }) => rule ?? null);
  return jobs.groups.map(({ values: [rule = null], value }) => {
    const groups = ofRule.get(rule) ?? [];
    return {
      kind,
      rule,
      cost: groups.reduce((sum, group) => sum + group.value, 0n),
      jobs: value,
      repositories: groups.map(({ values: [, name], value: cost }) => ({ repository: name ?? '', cost })),
    };
  });
}

export function ruleCostsView({ window, total, decided }: RuleCosts) {
  return {
    period: window,
    total: sumsView(total),
    rules: decided.flatMap(({ rule, ...sums }) => (rule === null ? [] : { id: rule, ...sumsView(sums) })),
    unowned: decided.flatMap(({ rule, kind, repositories, ...sums }) =>
      rule !== null
        ? []
        : {
            kind,
            ...sumsView(sums),
            share_percent: percentOf(sums.cost, total.cost),
            ...mostExpensiveView(repositories),
          },
    ),
  };
}

function sumsView({ cost, jobs }: Sums) {
  return { cost: usd(cost), jobs: Number(jobs) };
}
