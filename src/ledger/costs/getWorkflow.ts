import { inSnapshot } from '../../platform/db/inSnapshot.ts';
import { daysOf, previousWindow, type Window } from '../../platform/lib/days.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { planWindow } from '../runs/planWindow.ts';
import type { DashboardContext } from './context.ts';
import { percentChange } from './percent.ts';
import {
  findLastRunAt,
  findRunnerKinds,
  findWorkflow,
  findWorkflowDays,
  type RunnerKindUse,
  type WorkflowDay,
} from './workflow.queries.ts';

export type DetailedWorkflow = {
  id: string;
  name: string;
  repository: string;
  totals: Omit<WorkflowDay, 'day'>;
  lastRunAt: Date | null;
  trendPercent: number;
  /** Of as many days before. */
  previousCostNanos: bigint;
  /** Every day of the window, oldest first. */
  daily: WorkflowDay[];
  runnerKinds: RunnerKindUse[];
  period: Window;
};

/** One workflow over the window, with the sums that the list of workflows has, day by day. */
export async function getWorkflow(
  { db, actor: { orgId }, clock, plan }: DashboardContext,
  id: string,
  days: number,
): Promise<DetailedWorkflow> {
  const period = planWindow(clock.now(), plan, days);
  const before = previousWindow(period);
  const found = await inSnapshot(db, async (tx) => ({
    workflow: await findWorkflow(tx, orgId, id),
    daily: await findWorkflowDays(tx, orgId, id, period),
    previous: await findWorkflowDays(tx, orgId, id, before),
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
