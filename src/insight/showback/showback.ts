import {
  everyGroup,
  type CostQuestion,
  type Dimension,
  type Metric,
  type OwnerDimension,
  type ownerships,
} from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether, type CostContext, type Costs } from '../../ledger/costs/costs.ts';
import { isIdle } from '../../ledger/costs/fullCost.ts';
import { percentChange } from '../../ledger/costs/ratios.ts';
import { unowned, type OwnerKind } from '../../ledger/ownership/owners.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import {
  dayOf,
  monthAround,
  previousOf,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { compare } from '../../platform/lib/lists.ts';
import { formatNanos, percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';

export const showbackMetrics = ['cost', 'net_cost', 'full_cost'] as const satisfies Metric[];

export type AskedShowback = {
  metric: (typeof showbackMetrics)[number];
  month?: string | undefined;
  by: OwnerKind;
  ownership: (typeof ownerships)[number];
};

export type ShowbackQuestion = {
  metric: AskedShowback['metric'];
  month: string;
  by: OwnerKind;
  window: Window;
  previous: Window;
  ownersOn: Day | undefined;
};

export type RepositoryCost = { repository: string; cost: Nanos };

/** The costs of an owner's jobs, or idle time of a pool. `owner` is null for unowned costs. */
type OwnerCosts = Sums & {
  owner: string | null;
  isIdle: boolean;
  repositories: RepositoryCost[];
};

type Sums = { cost: Nanos; previousCost: Nanos; minutes: bigint; jobs: bigint };

export type Showback = { question: ShowbackQuestion; total: Sums; owners: OwnerCosts[] };

/** An incomplete month is compared with the same days of the previous month. */
export function readShowback(
  { metric, month, by, ownership }: AskedShowback,
  { clock, plan }: { clock: Clock; plan: Plan },
): ShowbackQuestion {
  const today = dayOf(clock.now());
  const asked = month ?? today.slice(0, 7);
  const whole = monthAround(`${asked}-01`);
  const { start: earliest } = planWindow(clock.now(), plan, historyDays[plan]);
  if (whole.start > today) throw invalid('month', 'must not be in the future');
  if (whole.end < earliest)
    throw invalid('month', `must not be before ${earliest.slice(0, 7)}, where your plan's history begins`);
  const end = whole.end > today ? today : whole.end;
  const start = whole.start < earliest ? earliest : whole.start;
  const window = windowBetween(start, end);
  return {
    metric,
    month: asked,
    by,
    window,
    previous: previousOf(window, 'month'),
    ownersOn: ownership === 'today' ? today : undefined,
  };
}

const dimensionOf: Record<OwnerKind, OwnerDimension> = { team: 'team', cost_center: 'costCenter' };

export async function getShowback(ctx: CostContext, question: ShowbackQuestion): Promise<Showback> {
  const owner = dimensionOf[question.by];
  const ask = (metric: CostQuestion['metric'], groupBy: readonly Dimension[], window = question.window) => ({
    metric,
    groupBy,
    window,
    ownersOn: question.ownersOn,
    filters: [],
    ...everyGroup,
  });
  const [costs, minutes, jobs, previous] = (await getCostsTogether(ctx, [
    ask(question.metric, [owner, 'repository']),
    ask('minutes', [owner]),
    ask('jobs', [owner]),
    ask(question.metric, [owner], question.previous),
  ])) as [Costs, Costs, Costs, Costs];
  const ofOwner = Map.groupBy(costs.groups, ({ values: [name] }) => name ?? null);
  const [minutesOf, jobsOf, beforeOf] = [byOwner(minutes), byOwner(jobs), byOwner(previous)];
  const owners = [...new Set([...ofOwner.keys(), ...beforeOf.keys()])].map((name) => {
    const groups = ofOwner.get(name) ?? [];
    const isIdleTime = question.metric === 'full_cost' && isIdle(name);
    return {
      owner: name,
      isIdle: isIdleTime,
      cost: groups.reduce((sum, { value }) => sum + value, 0n),
      previousCost: beforeOf.get(name) ?? 0n,
      minutes: minutesOf.get(name) ?? 0n,
      jobs: jobsOf.get(name) ?? 0n,
      repositories: isIdleTime
        ? []
        : groups.map(({ values: [, repository], value }) => ({ repository: repository ?? '', cost: value })),
    };
  });
  const total = {
    cost: costs.total.value,
    previousCost: previous.total.value,
    minutes: minutes.total.value,
    jobs: jobs.total.value,
  };
  return { question, total, owners: owners.toSorted(inOrder) };
}

function byOwner({ groups }: Costs): ReadonlyMap<string | null, bigint> {
  return new Map(groups.map(({ values: [name], value }) => [name ?? null, value]));
}

/** Most expensive first, then unowned costs, and idle time last. */
function inOrder(a: OwnerCosts, b: OwnerCosts): number {
  const rank = ({ owner, isIdle: isIdleTime }: OwnerCosts) => (isIdleTime ? 2 : Number(owner === null));
  return rank(a) - rank(b) || compare(b.cost, a.cost) || compare(a.owner ?? '', b.owner ?? '');
}

const maxRepositories = 5;

export function showbackView({ question, total, owners }: Showback) {
  const { metric, month, by, window, previous, ownersOn } = question;
  return {
    metric,
    month,
    by,
    ownership: ownersOn === undefined ? ('of_day' as const) : ('today' as const),
    period: window,
    previous_period: previous,
    total: sumsView(total),
    owners: owners.map((each) => ({
      owner: each.owner,
      name: nameOf(each),
      is_idle: each.isIdle,
      share_percent: percentOf(each.cost, total.cost),
      ...sumsView(each),
      ...mostExpensiveView(each.repositories),
    })),
  };
}

/** `repositories` are sorted, the most expensive first. */
export function mostExpensiveView(repositories: readonly RepositoryCost[]) {
  return {
    repositories: repositories
      .slice(0, maxRepositories)
      .map(({ repository, cost }) => ({ repository, cost: usd(cost) })),
    other_repositories: Math.max(0, repositories.length - maxRepositories),
  };
}

function nameOf({ owner }: OwnerCosts): string {
  return owner ?? unowned;
}

function sumsView({ cost, previousCost, minutes, jobs }: Sums) {
  return {
    cost: usd(cost),
    minutes: Number(minutes),
    jobs: Number(jobs),
    previous_cost: usd(previousCost),
    change: usd(cost - previousCost),
    change_percent: previousCost === 0n ? null : percentChange(cost, previousCost),
  };
}

/** One line per owner. The line without a name has the unowned costs. */
export function showbackCsv({ question: { metric, month, by }, total, owners }: Showback): string {
  const change = metric === 'cost' ? 'change_usd' : `change_${metric}_usd`;
  const columns = [
    'month',
    'by',
    'owner',
    `${metric}_usd`,
    'share_percent',
    'minutes',
    'jobs',
    `previous_${metric}_usd`,
    change,
  ];
  const lines = owners.map(({ owner, cost, previousCost, minutes, jobs }) => [
    month,
    by,
    harmless(owner ?? ''),
    formatNanos(cost),
    String(percentOf(cost, total.cost)),
    String(minutes),
    String(jobs),
    formatNanos(previousCost),
    formatNanos(cost - previousCost),
  ]);
  return [columns, ...lines].map(csvLine).join('');
}
