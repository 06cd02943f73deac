import type { Transaction } from '../../platform/db/database.ts';
import { removeGoneRuns, removeListed } from './queries.ts';
import { daysWithin, type Slice } from './slices.ts';
import type { Step } from './step.ts';

/** What could not be read and is listed no more in the slice has been deleted: nobody needs to look for it again. */
export async function forgetGone({ program, task }: Step, repository: string, slice: Slice): Promise<void> {
  const days = daysWithin(slice);
  if (!days) return;
  await removeGoneRuns(program.db, task.orgId, { repository, days, before: task.createdAt });
}

/** Forgets what was listed of runs that are deleted: a backfill that finds them reads all their jobs again. */
export async function forgetListed(tx: Transaction, orgId: string, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await removeListed(tx, orgId, runIds);
}
