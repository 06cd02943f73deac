import { inSnapshot } from '../../platform/db/database.ts';
import { daysOf, previousOf, type Day, type Window } from '../../platform/lib/days.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import {
  findLastRunAt,
  findRunnerKinds,
  findWorkflow,
  findWorkflowDays,
  findWorkflowsOfDay,
  type RunnerKindUse,
  type WorkflowDay,
  type WorkflowOfDay,
} from './details.queries.ts';
import { findDeductedByWorkflow } from './netCosts.ts';
import { percentChange, type DashboardContext } from './overview.ts';

export type DayOfCosts = {
  day: Day;
  costNanos: Nanos;
  jobs: bigint;
  billedMinutes: bigint;
  runs: bigint;
  workflows: WorkflowOfDay[];
};

/**
 * The cost of a day by workflow. Its total equals the trend's. Throws `not_found` for a day outside the plan's
 * history.
 */
export async function getDay({ db, actor, clock, plan }: DashboardContext, day: Day): Promise<DayOfCosts> {
  const { start, end } = planWindow(clock.now(), plan, historyDays[plan]);
  if (day < start || day > end) {
    throw new PublicError(
      'not_found',
      'day_not_found',
      `No data for ${day}: your plan shows the days from ${start} to ${end}.`,
    );
  }
  const all = await findWorkflowsOfDay(db, actor.orgId, day);
  const sum = (name: 'costNanos' | 'jobs' | 'billedMinutes' | 'runs') =>
    all.reduce((total, workflow) => total + workflow[name], 0n);
  return {
    day,
    costNanos: sum('costNanos'),
    jobs: sum('jobs'),
    billedMinutes: sum('billedMinutes'),
    runs: sum('runs'),
    workflows: all.filter(({ jobs, costNanos }) => jobs !== 0n || costNanos !== 0n),
  };
}

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
  const found = await inSnapshot(ctx.db, async (tx) => ({
    workflow: await findWorkflow(tx, orgId, id),
    daily: await findWorkflowDays(tx, orgId, id, period),
    previous: await findWorkflowDays(tx, orgId, id, previousOf(period, 'day')),
    runnerKinds: await findRunnerKinds(tx, orgId, id, period),
    lastRunAt: await findLastRunAt(tx, orgId, id, period),
    deducted: await findDeductedByWorkflow({ ...ctx, db: tx }, period, [id]),
  }));
  if (!found.workflow) throw notFound('workflow');
  const totals = sumOf(found.daily);
  const previousCostNanos = sumOf(found.previous).costNanos;
  const byDay = new Map(found.daily.map((day) => [day.day, day]));
  return {
    ...found.workflow,
    totals,
    netCostNanos: totals.costNanos - (found.deducted.get(id) ?? 0n),
    lastRunAt: found.lastRunAt,
    trendPercent: percentChange(totals.costNanos, previousCostNanos),
    previousCostNanos,
    daily: daysOf(period).map((day) => byDay.get(day) ?? { ...nothing, day }),
    runnerKinds: found.runnerKinds,
    period,
  };
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
