import type { Transaction } from '../../platform/db/database.ts';
import { addDays, type Day } from '../../platform/lib/days.ts';
import { takeFew } from './deleteRuns.ts';
import { findRunsToRemove } from './deletion.queries.ts';
import { renewCreationDays, renewDays } from './queries.ts';
import { removeRunRows } from './removal.queries.ts';

export { countRunsBefore, hasRunsBefore } from './removal.queries.ts';

/** `lastDay` is when the newest of them was created. */
export type OldRuns = { ids: string[]; jobs: number; lastDay: Day | null; hasMore: boolean };

/** The oldest runs that were created before the day, few enough for a short transaction. */
export async function findOldRuns(
  tx: Transaction,
  orgId: string,
  { before, limit }: { before: Day; limit: number },
): Promise<OldRuns> {
  const found = await findRunsToRemove(tx, orgId, { to: addDays(before, -1) }, limit + 1);
  const runs = takeFew(found, limit);
  return {
    ids: runs.map(({ id }) => id),
    jobs: runs.reduce((sum, { jobs }) => sum + jobs, 0),
    lastDay: runs.at(-1)?.day ?? null,
    hasMore: runs.length < found.length,
  };
}

/**
 * Removes runs with their jobs, and leaves the sums of their days. Unlike a deletion, it also leaves the names of their
 * workflows, and nothing records the runs again. The caller holds the organization's lock.
 */
export async function removeOldRuns(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  await renewDays(tx, orgId, ids);
  await renewCreationDays(tx, orgId, ids);
  await removeRunRows(tx, orgId, ids);
}
