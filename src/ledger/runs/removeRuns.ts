import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { rollupChanges } from './contributions.ts';
import { deleteRuns, findHistories, saveWorkflows, unnameWorkflows } from './queries.ts';
import { findWorkflowIds } from './reading.queries.ts';
import { namedWorkflows } from './recordReports.ts';
import {
  countRunsToRemove,
  findRunsToRemove,
  type RemovalCount,
  type RunsToRemove,
} from './removal.queries.ts';

/** Which runs: those that fit everything that is given. Days are those on which a run was created, both included. */
export type RunChoice = {
  ids?: string[];
  provider?: string;
  /** `owner/name` or the bare name, in any case. */
  repo?: string;
  workflow_id?: string;
  from?: Day;
  to?: Day;
};

/** What a transaction removes at most, so that nobody waits long for it; of a single run, all jobs. */
const maxRuns = 500;
const maxJobs = 5_000;

/** How many runs are chosen, with their jobs and their cost. */
export async function countChosenRuns(db: Database, orgId: string, choice: RunChoice): Promise<RemovalCount> {
  return countRunsToRemove(db, orgId, await chosen(db, orgId, choice));
}

/** The oldest of the chosen runs, as many as one transaction removes, and whether there are more. */
export async function findChosenRuns(
  tx: Transaction,
  orgId: string,
  choice: RunChoice,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const found = await findRunsToRemove(tx, orgId, await chosen(tx, orgId, choice), maxRuns + 1);
  let jobs = 0;
  const end = found.findIndex((run, index) => (jobs += run.jobs) > maxJobs && index > 0);
  const runs = found.slice(0, end === -1 ? maxRuns : end);
  return { ids: runs.map(({ id }) => id), hasMore: runs.length < found.length };
}

async function chosen(db: Database, orgId: string, choice: RunChoice): Promise<RunsToRemove> {
  const { repo, workflow_id: workflowId, ...which } = choice;
  if (repo === undefined) return { ...which, ...(workflowId !== undefined && { workflowIds: [workflowId] }) };
  const ids = await findWorkflowIds(db, orgId, repo);
  return { ...which, workflowIds: ids.filter((id) => workflowId === undefined || id === workflowId) };
}

/** A run that has been removed. */
export type RemovedRun = { id: string; repository: string; jobs: number; costNanos: bigint };

/**
 * Removes runs with their jobs and takes them out of the rollups: all is as if they had never been reported. Ids that
 * name nothing are left out. The transaction must hold the organization's costs.
 */
export async function removeRuns(tx: Transaction, orgId: string, ids: string[]): Promise<RemovedRun[]> {
  const histories = [...(await findHistories(tx, orgId, ids)).values()];
  if (histories.length === 0) return [];
  const rollups = rollupChanges(histories.map((before) => ({ before, after: null })));
  const removed = histories.map(({ run }) => run);
  await deleteRuns(tx, orgId, { ids: removed.map(({ id }) => id), rollups });
  const latest = await unnameWorkflows(tx, orgId, removed);
  await saveWorkflows(tx, orgId, namedWorkflows(latest));
  return histories.map(({ run, jobs }) => {
    return { id: run.id, repository: run.repository, jobs: jobs.length, costNanos: run.costNanos };
  });
}
