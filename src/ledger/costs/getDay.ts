import type { Day } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { historyDays, planWindow } from '../runs/planWindow.ts';
import type { DashboardContext } from './context.ts';
import { findWorkflowsOfDay, type WorkflowOfDay } from './day.queries.ts';

export type DayOfCosts = {
  day: Day;
  costNanos: Nanos;
  jobs: bigint;
  billedMinutes: bigint;
  /** Created on that day, as the trend counts them. */
  runs: bigint;
  /** Those that something was billed to, the dearest first. */
  workflows: WorkflowOfDay[];
};

/** What one day cost, by workflow: the same figure as the trend has. Days that the plan does not show are not found. */
export async function getDay({ db, actor, clock, plan }: DashboardContext, day: Day): Promise<DayOfCosts> {
  const { start, end } = planWindow(clock.now(), plan, historyDays[plan]);
  if (day < start || day > end) {
    throw new PublicError(
      'not_found',
      'day_not_found',
      `There is nothing to show of ${day}: your plan shows the days from ${start} to ${end}.`,
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
