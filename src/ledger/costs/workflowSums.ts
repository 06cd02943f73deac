import { windowEnding, type Day } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { compare, sumOf } from '../../platform/lib/lists.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import { workflowIdsOf } from './columns/sumRows.ts';
import type { WorkflowNames } from './filters.ts';
import { successRate, wholeAverage } from './ratios.ts';
import { type PlanCostContext } from './summary.ts';
import { readSums, type SumName } from './sums.ts';
import { findLatestRuns, type LatestRun } from './workflows.queries.ts';

type Names = { workflowName: string; repository: string };

type Summed<Name extends SumName> = Names & { workflowId: string } & Record<Name, bigint>;

export type WorkflowTotals = Summed<(typeof totals)[number]>;

export type ListedWorkflow = WorkflowTotals & { lastRunAt: Date | null };

const totals = [
  'costNanos',
  'netCostNanos',
  'runs',
  'completedRuns',
  'skippedRuns',
  'successfulRuns',
  'durationSeconds',
] as const;

type Order<T> = (a: T, b: T) => number;

/** By repository, then name, ignoring case first. */
const byName: Order<Names> = (a, b) =>
  compare(a.repository.toLowerCase(), b.repository.toLowerCase()) ||
  compare(a.repository, b.repository) ||
  compare(a.workflowName.toLowerCase(), b.workflowName.toLowerCase()) ||
  compare(a.workflowName, b.workflowName);

const byCost: Order<WorkflowTotals> = (a, b) => compare(b.costNanos, a.costNanos) || byName(a, b);

export async function getTopWorkflows(
  ctx: PlanCostContext,
  { days, limit }: { days: number; limit: number },
): Promise<WorkflowTotals[]> {
  const { workflows } = await readWorkflows(ctx, days, { hasLatest: false });
  return workflows.toSorted(byCost).slice(0, limit);
}

type WorkflowSort = 'cost' | 'runs' | 'duration' | 'name' | 'success_rate' | 'last_run';

type WorkflowConditions = {
  /** `owner/name` or the bare name, ignoring case. */
  repo: string | undefined;
  search: string | undefined;
  status: string | undefined;
};

type WorkflowFilter = WorkflowConditions & {
  sortBy: WorkflowSort;
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
};

const sortKeys: Record<WorkflowSort, (workflow: ListedWorkflow) => bigint | number | string> = {
  cost: ({ costNanos }) => costNanos,
  runs: ({ runs }) => runs,
  duration: ({ durationSeconds, completedRuns }) => wholeAverage(durationSeconds, completedRuns),
  name: ({ workflowName }) => workflowName.toLowerCase(),
  success_rate: successRate,
  last_run: ({ lastRunAt }) => lastRunAt?.getTime() ?? -Infinity,
};

export async function getWorkflows(
  ctx: PlanCostContext,
  days: number,
  { sortBy, sortOrder, limit, offset, ...conditions }: WorkflowFilter,
): Promise<{ workflows: ListedWorkflow[]; total: number }> {
  const { workflows, latest } = await readWorkflows(ctx, days, { hasLatest: true });
  const listed = workflows
    .filter((workflow) => meets(conditions, workflow, latest.get(workflow.workflowId)))
    .map((workflow) => ({ ...workflow, lastRunAt: latest.get(workflow.workflowId)?.createdAt ?? null }));
  const keyOf = sortKeys[sortBy];
  const sign = sortOrder === 'asc' ? 1 : -1;
  const inOrder = listed.toSorted((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return sign * (Number(first > second) - Number(first < second)) || byName(a, b);
  });
  return { workflows: inOrder.slice(offset, offset + limit), total: listed.length };
}

export type WorkflowsOverview = Record<(typeof totals)[number], bigint> & {
  workflows: number;
  mostExpensiveWorkflow: string | null;
  mostActiveRepo: string | null;
};

export async function getWorkflowsOverview(
  ctx: PlanCostContext,
  days: number,
  conditions: WorkflowConditions,
): Promise<WorkflowsOverview> {
  const { workflows, latest } = await readWorkflows(ctx, days, {
    hasLatest: conditions.status !== undefined,
  });
  const all = workflows.filter((workflow) => meets(conditions, workflow, latest.get(workflow.workflowId)));
  const sums = Object.fromEntries(totals.map((name) => [name, sumOf(all, name)]));
  return {
    ...(sums as Record<(typeof totals)[number], bigint>),
    workflows: all.length,
    mostExpensiveWorkflow: all.toSorted(byCost)[0]?.workflowName ?? null,
    mostActiveRepo: mostActive(all),
  };
}

/** Spellings of a repository that differ in case are one. */
function mostActive(workflows: readonly WorkflowTotals[]): string | null {
  const repositories = [...Map.groupBy(workflows, ({ repository }) => repository.toLowerCase())].map(
    ([key, own]) => ({ key, runs: sumOf(own, 'runs'), own }),
  );
  const [first] = repositories.toSorted((a, b) => compare(b.runs, a.runs) || compare(a.key, b.key));
  return first?.own.map(({ repository }) => repository).toSorted()[0] ?? null;
}

function meets(
  { repo, search, status }: WorkflowConditions,
  { workflowName, repository }: Names,
  latest: LatestRun | undefined,
): boolean {
  const full = repository.toLowerCase();
  const isOfRepository = repo === undefined || [full, full.split('/').at(-1)].includes(repo.toLowerCase());
  return (
    isOfRepository &&
    (search === undefined || isFound(search, [workflowName, repository])) &&
    (status === undefined || hasStatus(status, latest))
  );
}

/** Whether one of the names contains the text, ignoring case. */
export function isFound(text: string, names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase().includes(text.toLowerCase()));
}

export function hasStatus(wanted: string, latest: LatestRun | undefined): boolean {
  return latest?.status === wanted || latest?.conclusion === wanted;
}

async function readWorkflows(ctx: PlanCostContext, days: number, { hasLatest }: { hasLatest: boolean }) {
  const window = planWindow(ctx.clock.now(), ctx.plan, days);
  const asked = { window, by: 'workflowId', sums: totals } as const;
  const { sums, workflows, more } = await readSums(ctx, asked, async (tx, rows) => {
    if (!hasLatest) return noRuns;
    const dayRows = rows.flatMap((each) => each.days.map(({ day }) => day));
    return findLatestRuns(tx, ctx.actor.orgId, window, workflowIdsOf(dayRows));
  });
  return { workflows: named(sums, workflows), latest: more };
}

const noRuns: ReadonlyMap<string, LatestRun> = new Map();

function named<Name extends SumName>(
  sums: ReadonlyMap<string | null, Record<Name, bigint>>,
  workflows: WorkflowNames,
): Summed<Name>[] {
  return [...sums].map(([id, own]) => {
    const workflowId = id!;
    const { name = workflowId, repository = '' } = workflows.get(workflowId) ?? {};
    return { workflowId, workflowName: name, repository, ...own };
  });
}

const ofDay = ['costNanos', 'jobs', 'billedMinutes', 'runs'] as const;

export type DayOfCosts = Record<(typeof ofDay)[number], bigint> & {
  day: Day;
  workflows: Summed<(typeof ofDay)[number]>[];
};

/**
 * The cost of a day by workflow. Its total equals the trend's. Throws `not_found` for a day outside the plan's
 * history.
 */
export async function getDay(ctx: PlanCostContext, day: Day): Promise<DayOfCosts> {
  const { start, end } = planWindow(ctx.clock.now(), ctx.plan, historyDays[ctx.plan]);
  if (day < start || day > end) {
    throw new PublicError(
      'not_found',
      'day_not_found',
      `No data for ${day}: your plan shows the days from ${start} to ${end}.`,
    );
  }
  const asked = { window: windowEnding(day, 1), by: 'workflowId', sums: ofDay } as const;
  const { sums, workflows } = await readSums(ctx, asked);
  const all = named(sums, workflows);
  return {
    day,
    costNanos: sumOf(all, 'costNanos'),
    jobs: sumOf(all, 'jobs'),
    billedMinutes: sumOf(all, 'billedMinutes'),
    runs: sumOf(all, 'runs'),
    workflows: all.filter(({ jobs }) => jobs > 0n).toSorted(byCostAndMinutes),
  };
}

const byCostAndMinutes: Order<DayOfCosts['workflows'][number]> = (a, b) =>
  compare(b.costNanos, a.costNanos) ||
  compare(b.billedMinutes, a.billedMinutes) ||
  compare(a.repository, b.repository) ||
  compare(a.workflowName, b.workflowName);
