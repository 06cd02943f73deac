import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '../db/database.ts';
import type { HistoryChange } from './contributions.ts';
import type { RunHistory, StoredJob, StoredRun } from './history.ts';
import { findHistories, saveChanges } from './queries.ts';
import { changesBetween } from './recordReports.ts';

export type JobChange = { before: StoredJob; after: StoredJob };
export type PlannedChanges = { histories: HistoryChange[]; jobs: JobChange[] };

/**
 * What becomes of runs whose jobs `change` alters, without writing it; runs that nothing changes are left out. `change`
 * may alter what a job cost and why, but not what was reported of it.
 */
export async function planJobChanges(
  db: Database,
  orgId: string,
  runIds: readonly string[],
  change: (job: StoredJob, run: StoredRun) => StoredJob,
): Promise<PlannedChanges> {
  if (runIds.length === 0) return { histories: [], jobs: [] };
  const planned: PlannedChanges = { histories: [], jobs: [] };
  for (const before of (await findHistories(db, orgId, [...runIds])).values()) {
    const jobs = before.jobs.map((job) => {
      const after = change(job, before.run);
      if (isDeepStrictEqual(job, after)) return job;
      planned.jobs.push({ before: job, after });
      return after;
    });
    if (jobs.every((job, index) => job === before.jobs[index])) continue;
    const costNanos = jobs.reduce((sum, job) => sum + job.costNanos, 0n);
    planned.histories.push({ before, after: { run: { ...before.run, costNanos }, jobs } });
  }
  return planned;
}

/** Writes them, and the differences they make to all sums. The transaction must hold the organization's costs. */
export async function saveJobChanges(
  tx: Transaction,
  orgId: string,
  { histories }: PlannedChanges,
): Promise<void> {
  if (histories.length === 0) return;
  const byId = (history: (change: HistoryChange) => RunHistory | null) =>
    new Map(histories.map((change) => [change.after.run.id, history(change)!]));
  const changes = changesBetween(
    byId(({ before }) => before),
    byId(({ after }) => after),
  );
  await saveChanges(tx, orgId, changes);
}
