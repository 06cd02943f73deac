import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/locks.ts';
import { sumOrganizationDays } from './removal.queries.ts';
import {
  countChosenRuns,
  findChosenRuns,
  removeRuns,
  type RemovedRun,
  type RunChoice,
} from './removeRuns.ts';

/** Forgets what another domain keeps of runs that are being deleted, in that transaction. */
export type ForgetRuns = (tx: Transaction, orgId: string, runIds: string[]) => Promise<void>;

export type DeletionContext = Context & { forgetRuns: ForgetRuns };

/** Deletes a run with all its jobs, and takes it out of every sum. One that is reported again is recorded again. */
export async function deleteRun(ctx: DeletionContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockCosts(tx, ctx.actor.orgId);
    const [run] = await remove(tx, ctx, [id]);
    if (!run) throw notFound('run');
    const { repository, jobs, costNanos } = run;
    await recordAudit(tx, ctx, 'run.delete', id, { repository, jobs, cost: formatNanos(costNanos) });
  });
}

/** Runs with their jobs and what they cost. */
export type DeletedRuns = { runs: number; jobs: number; costNanos: bigint };

/** What `deleteRuns` would delete in all. */
export async function countRuns(ctx: Context, choice: RunChoice): Promise<DeletedRuns> {
  requireChoice(choice);
  return countChosenRuns(ctx.db, ctx.actor.orgId, choice);
}

/** What an organization that is being deleted has paid for, for the log: by the rollups, for its runs may be millions. */
export async function sumUpRuns(tx: Transaction, orgId: string) {
  const { runs, jobs, costNanos } = await sumOrganizationDays(tx, orgId);
  return { runs: Number(runs), jobs: Number(jobs), cost: formatNanos(costNanos) };
}

/**
 * Deletes the oldest of the chosen runs, as many as one transaction takes without making others wait. While `hasMore`,
 * the same call deletes the next of them.
 */
export async function deleteRuns(
  ctx: DeletionContext,
  choice: RunChoice,
): Promise<DeletedRuns & { hasMore: boolean }> {
  requireChoice(choice);
  const { orgId } = ctx.actor;
  return ctx.db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const { ids, hasMore } = await findChosenRuns(tx, orgId, choice);
    const removed = await remove(tx, ctx, ids);
    const deleted = {
      runs: removed.length,
      jobs: removed.reduce((sum, { jobs }) => sum + jobs, 0),
      costNanos: removed.reduce((sum, { costNanos }) => sum + costNanos, 0n),
    };
    if (removed.length > 0) {
      const { costNanos, ...counts } = deleted;
      const details = { ...choice, ...counts, cost: formatNanos(costNanos) };
      await recordAudit(tx, ctx, 'run.delete_many', orgId, details);
    }
    return { ...deleted, hasMore };
  });
}

async function remove(
  tx: Transaction,
  { actor, forgetRuns }: DeletionContext,
  ids: string[],
): Promise<RemovedRun[]> {
  if (ids.length === 0) return [];
  await forgetRuns(tx, actor.orgId, ids);
  return removeRuns(tx, actor.orgId, ids);
}

/** Days alone choose nothing: a forgotten field must not delete all that was ever recorded. */
function requireChoice({ ids, provider, repo, workflow_id: workflowId, from, to }: RunChoice): void {
  if ([ids, provider, repo, workflowId].every((value) => value === undefined)) {
    throw invalid('body', 'must name ids, a provider, a repo or a workflow_id');
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid('body.to', 'must not be before body.from');
  }
}
