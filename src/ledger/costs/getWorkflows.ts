import { planWindow } from '../runs/planWindow.ts';
import type { DashboardContext } from './context.ts';
import {
  findTopWorkflows,
  findWorkflows,
  findWorkflowsOverview,
  type ListedWorkflow,
  type WorkflowConditions,
  type WorkflowFilter,
  type WorkflowsOverview,
  type WorkflowTotals,
} from './queries.ts';

/** The workflows that cost most over the window. */
export function getTopWorkflows(
  { db, actor, clock, plan }: DashboardContext,
  { days, limit }: { days: number; limit: number },
): Promise<WorkflowTotals[]> {
  return findTopWorkflows(db, actor.orgId, planWindow(clock.now(), plan, days), limit);
}

/** A page of the workflows with runs or jobs in the window, filtered and sorted. */
export function getWorkflows(
  { db, actor, clock, plan }: DashboardContext,
  days: number,
  filter: WorkflowFilter,
): Promise<{ workflows: ListedWorkflow[]; total: number }> {
  return findWorkflows(db, actor.orgId, planWindow(clock.now(), plan, days), filter);
}

/** Sums over the workflows of the window, over all of them or those that match. */
export function getWorkflowsOverview(
  { db, actor, clock, plan }: DashboardContext,
  days: number,
  conditions: WorkflowConditions,
): Promise<WorkflowsOverview> {
  return findWorkflowsOverview(db, actor.orgId, planWindow(clock.now(), plan, days), conditions);
}
