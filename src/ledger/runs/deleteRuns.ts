import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { namedWorkflows, rollupChanges } from './contributions.ts';
import {
  countRunsToRemove,
  deleteStoredRuns,
  findRunIds,
  findRunsToRemove,
  sumOrganizationDays,
  unnameWorkflows,
  type RunsToRemove,
} from './deletion.queries.ts';
import { findHistories } from './history.queries.ts';
import { saveWorkflows } from './queries.ts';
import { findWorkflowIds } from './reading.queries.ts';

export type DeleteRunDependents = (tx: Transaction, orgId: string, runIds: string[]) => Promise<void>;

/** Selects the runs that match every given field. `from` and `to` are inclusive days of creation. */
export type RunChoice = {
  ids?: string[];
  provider?: string;
  /** `owner/name` or only the name, ignoring case. */
  repo?: string;
  workflow_id?: string;
  from?: Day;
  to?: Day;
};

export type DeletionContext = Context & { deleteRunDependents: DeleteRunDependents };

/** Deletes a run with its jobs and subtracts it from every rollup. A later report records it again. */
export async function deleteRun(ctx: DeletionContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockCosts(tx, ctx.actor.orgId);
    const [run] = await remove(tx, ctx, [id]);
    if (!run) throw notFound('run');
    const { repository, jobs, costNanos } = run;
    await recordAudit(tx, ctx, 'run.delete', id, { repository, jobs, cost: formatNanos(costNanos) });
  });
}

export type DeletedRuns = { runs: number; jobs: number; costNanos: bigint };

export async function countRuns(ctx: Context, choice: RunChoice): Promise<DeletedRuns> {
  requireChoice(choice);
  const { orgId } = ctx.actor;
  return countRunsToRemove(ctx.db, orgId, await chosen(ctx.db, orgId, choice));
}

export async function findUnknownRuns(ctx: Context, ids: readonly string[]): Promise<string[]> {
  const known = new Set(await findRunIds(ctx.db, ctx.actor.orgId, ids));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

/** Sums up a deleted organization for the audit log. Reads rollups, because there may be millions of runs. */
export async function sumUpRuns(tx: Transaction, orgId: string) {
  const { runs, jobs, costNanos } = await sumOrganizationDays(tx, orgId);
  return { runs: Number(runs), jobs: Number(jobs), cost: formatNanos(costNanos) };
}

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
  { actor, deleteRunDependents, providers }: DeletionContext,
  ids: string[],
): Promise<RemovedRun[]> {
  if (ids.length === 0) return [];
  await deleteRunDependents(tx, actor.orgId, ids);
  return removeRuns(tx, { orgId: actor.orgId, providers }, ids);
}

/** Days alone are refused, so that a forgotten field cannot delete the whole history. */
function requireChoice({ ids, provider, repo, workflow_id: workflowId, from, to }: RunChoice): void {
  if ([ids, provider, repo, workflowId].every((value) => value === undefined)) {
    throw invalid('', 'must name ids, a provider, a repo or a workflow_id');
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid('to', (nameOf) => `must not be before ${nameOf('from')}`);
  }
}

/** Keeps the transaction short, because others wait for it. A single run may have more jobs than this. */
const maxRuns = 500;
const maxJobs = 5_000;

async function findChosenRuns(
  tx: Transaction,
  orgId: string,
  choice: RunChoice,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const found = await findRunsToRemove(tx, orgId, await chosen(tx, orgId, choice), maxRuns + 1);
  const runs = takeFew(found, maxRuns);
  return { ids: runs.map(({ id }) => id), hasMore: runs.length < found.length };
}

export function takeFew<Run extends { jobs: number }>(found: readonly Run[], limit: number): Run[] {
  let jobs = 0;
  const end = found.findIndex((run, index) => (jobs += run.jobs) > maxJobs && index > 0);
  return found.slice(0, end === -1 ? limit : Math.min(end, limit));
}

async function chosen(db: Database, orgId: string, choice: RunChoice): Promise<RunsToRemove> {
  const { repo, workflow_id: workflowId, ...which } = choice;
  if (repo === undefined) return { ...which, ...(workflowId !== undefined && { workflowIds: [workflowId] }) };
  const ids = await findWorkflowIds(db, orgId, repo);
  return { ...which, workflowIds: ids.filter((id) => workflowId === undefined || id === workflowId) };
}

type RemovedRun = { id: string; repository: string; jobs: number; costNanos: bigint };

async function removeRuns(
  tx: Transaction,
  { orgId, providers }: Pick<Context, 'providers'> & { orgId: string },
  ids: string[],
): Promise<RemovedRun[]> {
  const histories = [...(await findHistories(tx, orgId, ids)).values()];
  if (histories.length === 0) return [];
  const rollups = rollupChanges(
    histories.map((before) => ({ before, after: null })),
    providers,
  );
  const removed = histories.map(({ run }) => run);
  await deleteStoredRuns(tx, orgId, { ids: removed.map(({ id }) => id), rollups });
  const latest = await unnameWorkflows(tx, orgId, removed);
  await saveWorkflows(tx, orgId, namedWorkflows(latest));
  return histories.map(({ run, jobs }) => {
    return { id: run.id, repository: run.repository, jobs: jobs.length, costNanos: run.costNanos };
  });
}
