import type { ActorKind } from '../../ledger/actors/actorPattern.ts';
import {
  everyGroup,
  type CostQuestion,
  type Dimension,
  type Metric,
} from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether, type CostContext, type Costs } from '../../ledger/costs/costs.ts';
import { sumAmounts, type Amount } from '../../ledger/runs/amounts.ts';
import { listPullRequestRuns, type StartedRun } from '../../ledger/runs/reading.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { dayOf, windowBetween, type Window } from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import { getWasteOfRuns } from '../waste/getWaste.ts';
import { emptySplit, type Split } from '../waste/jobGroups.ts';

export type AskedPullRequest = { repository: string; number: number; provider?: string | undefined };

/** All runs and attempts of a pull request so far. A job counts once it has ended. */
export type PullRequestReport = AskedPullRequest & {
  /** From the first run to today. Null if there are no runs. */
  period: Window | null;
  runs: number;
  runsInProgress: number;
  reruns: number;
  cost: Nanos;
  netCost: Nanos;
  /** What its runs cost beside their jobs, such as AI credits. */
  amounts: Amount[];
  minutes: number;
  jobs: number;
  unpricedJobs: number;
  /** The most expensive first; null for attempts whose actor nobody reports. */
  actorKinds: { kind: ActorKind | null; cost: Nanos }[];
  mostExpensive: ExpensiveJob[];
  waste: Split;
  /** Oldest first. */
  rounds: Round[];
};

/** What a push of the pull request caused: the runs of one commit. */
type Round = {
  commit: string | null;
  startedAt: Date;
  /** Of who started its first run. */
  startedBy: string | null;
  actorKind: ActorKind | null;
  runs: number;
  reruns: number;
  costNanos: Nanos;
  /** Part of the cost: of attempts after the first. */
  rerunCostNanos: Nanos;
};

/** All jobs with this name in a workflow, across all runs. */
type ExpensiveJob = {
  workflowId: string;
  workflowName: string;
  name: string | null;
  cost: Nanos;
  times: number;
};

export type ReportContext = CostContext & { clock: Clock; plan: Plan };

const shownJobs = 2;

export async function pullRequestReport(
  ctx: ReportContext,
  { repository, number, provider }: AskedPullRequest,
): Promise<PullRequestReport> {
  const { clock, plan } = ctx;
  const runs = await listPullRequestRuns(ctx, { repository, number, provider });
  const [newest, oldest] = [runs[0], runs.at(-1)];
  if (!newest || !oldest) return { ...withoutRuns, repository, number, provider };
  const shown = planWindow(clock.now(), plan, historyDays[plan]);
  const first = dayOf(oldest.createdAt);
  const period = windowBetween(first > shown.start ? first : shown.start, shown.end);
  const inPeriod = runs.filter(({ createdAt }) => dayOf(createdAt) >= period.start);
  const valuesOf = (values: readonly string[]) => [...new Set(values)].map((value) => `=${value}`);
  const filters: CostQuestion['filters'] = [
    { dimension: 'pullRequest', values: [`=${number}`] },
    { dimension: 'repository', values: valuesOf(runs.map((run) => run.repository)) },
    { dimension: 'provider', values: valuesOf(runs.map((run) => run.provider)) },
  ];
  const ask = (metric: Metric, groupBy: readonly Dimension[] = []): CostQuestion => ({
    window: period,
    metric,
    groupBy,
    filters,
    ...everyGroup,
  });
  const [costs, netCosts, minutes, times, runners, kinds] = (await getCostsTogether(ctx, [
    ask('cost', ['workflowId', 'job']),
    ask('net_cost'),
    ask('minutes'),
    ask('jobs', ['workflowId', 'job']),
    ask('jobs', ['runner']),
    ask('cost', ['actorKind']),
  ])) as [Costs, Costs, Costs, Costs, Costs, Costs];
  return {
    repository: newest.repository,
    number,
    provider,
    period,
    runs: runs.length,
    runsInProgress: runs.filter(({ status }) => status !== 'completed').length,
    reruns: runs.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
    cost: costs.total.value,
    netCost: netCosts.total.value,
    amounts: await sumAmounts(
      ctx,
      inPeriod.map(({ id }) => id),
    ),
    minutes: Number(minutes.total.value),
    jobs: Number(times.total.value),
    unpricedJobs: Number(runners.groups.find(({ values: [kind] }) => kind === null)?.value ?? 0n),
    actorKinds: kinds.groups.map(({ values: [kind], value }) => ({
      kind: (kind ?? null) as ActorKind | null,
      cost: value,
    })),
    mostExpensive: mostExpensiveOf(costs, times),
    rounds: roundsOf(inPeriod),
    waste: await getWasteOfRuns(
      ctx,
      runs.map(({ id }) => id),
      period.start,
    ),
  };
}

const withoutRuns = {
  period: null,
  runs: 0,
  runsInProgress: 0,
  reruns: 0,
  cost: 0n,
  netCost: 0n,
  amounts: [],
  minutes: 0,
  jobs: 0,
  unpricedJobs: 0,
  actorKinds: [],
  mostExpensive: [],
  rounds: [],
  waste: emptySplit(),
};

function roundsOf(runs: readonly StartedRun[]): Round[] {
  const ofCommits = Map.groupBy(runs.toReversed(), ({ commit }) => commit);
  return [...ofCommits].map(([commit, own]) => ({
    commit,
    startedAt: own[0]!.createdAt,
    startedBy: own[0]!.startedBy,
    actorKind: own[0]!.starterKind,
    runs: own.length,
    reruns: own.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
    costNanos: sumOf(own, 'costNanos'),
    rerunCostNanos: sumOf(own, 'rerunCostNanos'),
  }));
}

function mostExpensiveOf(costs: Costs, times: Costs): ExpensiveJob[] {
  const keyOf = (values: readonly (string | null)[]) => JSON.stringify(values);
  const timesOf = new Map(times.groups.map(({ values, value }) => [keyOf(values), value]));
  return costs.groups
    .filter(({ value }) => value > 0n)
    .slice(0, shownJobs)
    .map(({ values, value }) => {
      const [workflowId = null, name = null] = values;
      return {
        workflowId: workflowId ?? '',
        workflowName: costs.workflows.get(workflowId ?? '')?.name ?? '',
        name,
        cost: value,
        times: Number(timesOf.get(keyOf(values)) ?? 0n),
      };
    });
}
