import { daysOf, previousOf, type Window } from '../../platform/lib/days.ts';
import { notFound } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import type { Filter } from './costQuestion.ts';
import {
  findLastRunAt,
  findRunnerKinds,
  findWorkflow,
  findWorkflowDays,
  type RunnerKindUse,
  type WorkflowDay,
} from './details.queries.ts';
import { percentChange, type DashboardContext } from './overview.ts';
import { readSums } from './sums.ts';

export type DetailedWorkflow = {
  id: string;
  name: string;
  repository: string;
  totals: Omit<WorkflowDay, 'day'>;
  netCostNanos: Nanos;
  lastRunAt: Date | null;
  trendPercent: number;
  previousCostNanos: bigint;
  daily: WorkflowDay[];
  runnerKinds: RunnerKindUse[];
  period: Window;
};

export async function getWorkflow(
  ctx: DashboardContext,
  id: string,
  days: number,
): Promise<DetailedWorkflow> {
  const { orgId } = ctx.actor;
  const period = planWindow(ctx.clock.now(), ctx.plan, days);
  const net = { window: period, by: 'workflowId', filters: filtersOf(id), sums: ['netCostNanos'] } as const;
  const { sums, more: found } = await readSums(ctx, net, async (tx) => ({
    workflow: await findWorkflow(tx, orgId, id),
    daily: await findWorkflowDays(tx, orgId, id, period),
    previous: await findWorkflowDays(tx, orgId, id, previousOf(period, 'day')),
    runnerKinds: await findRunnerKinds(tx, orgId, id, period),
    lastRunAt: await findLastRunAt(tx, orgId, id, period),
  }));
  if (!found.workflow) throw notFound('workflow');
  const totals = sumOf(found.daily);
  const previousCostNanos = sumOf(found.previous).costNanos;
  const byDay = new Map(found.daily.map((day) => [day.day, day]));
  return {
    ...found.workflow,
    totals,
    netCostNanos: sums.get(id)?.netCostNanos ?? 0n,
    lastRunAt: found.lastRunAt,
    trendPercent: percentChange(totals.costNanos, previousCostNanos),
    previousCostNanos,
    daily: daysOf(period).map((day) => byDay.get(day) ?? { ...nothing, day }),
    runnerKinds: found.runnerKinds,
    period,
  };
}

function filtersOf(id: string): Filter[] {
  return [{ dimension: 'workflowId', values: [`=${id}`] }];
}

const nothing = {
  costNanos: 0n,
  billedMinutes: 0n,
  runs: 0n,
  completedRuns: 0n,
  skippedRuns: 0n,
  successfulRuns: 0n,
  durationSeconds: 0n,
};

function sumOf(days: readonly WorkflowDay[]): typeof nothing {
  const sum = { ...nothing };
  const names = Object.keys(nothing) as (keyof typeof nothing)[];
  for (const day of days) for (const name of names) sum[name] += day[name];
  return sum;
}
