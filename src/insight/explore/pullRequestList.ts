import type { ActorKind } from '../../ledger/actors/actorPattern.ts';
import { idOfPullRequest, pullRequestIn } from '../../ledger/costs/columns/pullRequestColumns.ts';
import { everyGroup, type CostQuestion, type Dimension } from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether, type CostContext, type Costs } from '../../ledger/costs/costs.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import {
  findEndedPullRequests,
  findPullRequests,
  pullRequestKey,
  pullRequestStates,
  type PullRequestRow,
} from '../../ledger/pullRequests/pullRequests.ts';
import { countPullRequestRuns, type PullRequestActivity } from '../../ledger/runs/reading.ts';
import { pullRequestPage } from '../../ledger/runs/views.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { addDays, sliceOfDays, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { compare, median, onPage, sumOf, type Page } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';

export type ListContext = CostContext & { clock: Clock; plan: Plan };

export type ListQuestion = Pick<CostQuestion, 'window' | 'filters' | 'ownersOn'>;

type State = (typeof pullRequestStates)[number];

/** The most expensive first; null for attempts whose actor nobody reports. */
type KindCosts = { kind: ActorKind | null; costNanos: Nanos }[];

type Listed = Pick<PullRequestRow, 'provider' | 'repository' | 'number'> & {
  id: string;
  state: State;
  costNanos: Nanos;
  /** They add up to the cost. */
  actorKinds: KindCosts;
  /** From `countedFrom` to the end of the period. */
  totalCostNanos: Nanos;
};

type ListedPullRequest = Listed &
  Pick<PullRequestRow, 'title' | 'author' | 'createdAt' | 'endedAt'> &
  Pick<PullRequestActivity, 'runs' | 'pushes' | 'reruns'>;

/** With their total costs. */
type Ended = { pullRequests: number; costNanos: Nanos; medianCostNanos: Nanos | null };

export type PullRequestList = {
  period: Window;
  countedFrom: Day;
  costNanos: Nanos;
  /** These and the states add up to the cost. */
  actorKinds: KindCosts;
  states: { state: State; pullRequests: number; costNanos: Nanos }[];
  /** Those that were merged or closed in the period. */
  merged: Ended;
  closed: Ended;
  /** A page of those with jobs in the period, most expensive first. */
  listed: ListedPullRequest[];
  total: number;
};

/** A pull request that is older counts from here, so that the answer reads no more than these days. */
const maxEarlierDays = 90;

export async function listPullRequests(
  ctx: ListContext,
  question: ListQuestion,
  page: Page,
): Promise<PullRequestList> {
  const { db, actor, clock, plan } = ctx;
  const { window } = question;
  const first = planWindow(clock.now(), plan, historyDays[plan]).start;
  const wanted = addDays(window.start, -maxEarlierDays);
  const lives = windowBetween(wanted < first ? first : wanted, window.end);
  const [inPeriod, inLives, ofKinds] = (await getCostsTogether(ctx, [
    asked(question, window, 'pullRequestState'),
    asked(question, lives, 'pullRequestState'),
    asked(question, window, 'actorKind'),
  ])) as [Costs, Costs, Costs];
  const kinds = Map.groupBy(ofKinds.groups, ({ values: [id] }) => id);
  const totals = new Map(inLives.groups.map(({ values: [id], value }) => [id!, value]));
  const all = inPeriod.groups.map(({ values: [id, state], value }): Listed => {
    const named = pullRequestIn(id!);
    const actorKinds = kindCosts(kinds.get(id!) ?? []);
    const totalCostNanos = totals.get(id!)!;
    return { id: id!, ...named, state: state as State, costNanos: value, actorKinds, totalCostNanos };
  });
  const ended = await findEndedPullRequests(db, actor.orgId, sliceOfDays(window.start, window.end));
  return {
    period: window,
    countedFrom: lives.start,
    costNanos: inPeriod.total.value,
    actorKinds: kindCosts(ofKinds.groups),
    states: statesOf(all),
    merged: endedOf(inLives, ended, 'merged'),
    closed: endedOf(inLives, ended, 'closed'),
    listed: await withFacts(ctx, onPage(all, page)),
    total: all.length,
  };
}

function asked({ filters, ownersOn }: ListQuestion, window: Window, by: Dimension): CostQuestion {
  return {
    window,
    ownersOn,
    filters: [...filters, { dimension: 'pullRequest', values: ['!'] }],
    metric: 'cost',
    groupBy: ['pullRequestId', by],
    ...everyGroup,
  };
}

function kindCosts(groups: Costs['groups']): KindCosts {
  return [...Map.groupBy(groups, ({ values: [, kind] }) => kind)]
    .map(([kind, own]) => ({ kind: (kind ?? null) as ActorKind | null, costNanos: sumOf(own, 'value') }))
    .toSorted((a, b) => compare(b.costNanos, a.costNanos) || compare(a.kind ?? '', b.kind ?? ''));
}

function statesOf(all: readonly Listed[]): PullRequestList['states'] {
  return pullRequestStates.map((state) => {
    const own = all.filter((each) => each.state === state);
    return { state, pullRequests: own.length, costNanos: sumOf(own, 'costNanos') };
  });
}

/** Costs have states of their own snapshot, so a pull request that was reopened meanwhile counts in neither. */
function endedOf({ groups }: Costs, ended: readonly PullRequestRow[], wanted: State): Ended {
  const keys = new Set(ended.map(pullRequestKey));
  const costs = groups
    .filter(({ values: [id, state] }) => state === wanted && keys.has(pullRequestKey(pullRequestIn(id!))))
    .map(({ value }) => value);
  return {
    pullRequests: costs.length,
    costNanos: costs.reduce((sum, cost) => sum + cost, 0n),
    medianCostNanos: costs.length === 0 ? null : median(costs),
  };
}

async function withFacts(ctx: ListContext, listed: readonly Listed[]): Promise<ListedPullRequest[]> {
  const { db, actor } = ctx;
  const rows = await findPullRequests(db, actor.orgId, {
    repositories: listed.map(({ repository }) => repository),
    numbers: listed.map(({ number }) => number),
  });
  const known = new Map(rows.map((row) => [pullRequestKey(row), row]));
  const counted = new Map(
    (await countPullRequestRuns(ctx, listed)).map((each) => [idOfPullRequest(each), each]),
  );
  return listed.map((each) => {
    const {
      title = null,
      author = null,
      createdAt = null,
      endedAt = null,
    } = known.get(pullRequestKey(each)) ?? {};
    const { spelling, runs, pushes, reruns } = counted.get(each.id)!;
    return { ...each, repository: spelling, title, author, createdAt, endedAt, runs, pushes, reruns };
  });
}

export function listView(
  { listed, total: _total, actorKinds, states, merged, closed, ...list }: PullRequestList,
  providers: Providers,
) {
  return {
    ...apiFields(list),
    actor_kinds: actorKinds.map((each) => apiFields(each)),
    states: states.map((state) => apiFields(state)),
    merged: apiFields(merged),
    closed: apiFields(closed),
    pull_requests: listed.map(({ id: _id, actorKinds: own, ...each }) => ({
      ...apiFields(each),
      actor_kinds: own.map((kind) => apiFields(kind)),
      url: pullRequestPage(each, providers),
    })),
  };
}
