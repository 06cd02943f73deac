import { historyDays, planWindow } from '../runs/planWindow.ts';
import type { DashboardContext } from './context.ts';
import { findRecentRuns, type RecentRun } from './queries.ts';

/** The runs created last within the plan's history, newest first. */
export function getRecentRuns(
  { db, actor, clock, plan }: DashboardContext,
  limit: number,
): Promise<RecentRun[]> {
  const { start } = planWindow(clock.now(), plan, historyDays[plan]);
  return findRecentRuns(db, actor.orgId, start, limit);
}
