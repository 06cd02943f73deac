import type { Database } from '../../platform/db/database.ts';
import { listTasksUnderWay } from '../../platform/work/tasks.ts';
import { repriceKind, type RepriceInput, type RepriceState } from './repriceTask.ts';

/**
 * The organizations some of whose recorded costs are of the prices of before, and some of those of now: no conclusion
 * about days beside each other should be drawn from them before the reprice, or its revert, has ended.
 */
export async function findRepriced(db: Database): Promise<Set<string>> {
  const tasks = await listTasksUnderWay<RepriceInput, RepriceState>(db, repriceKind);
  const changing = tasks.filter(({ input }) => input.action === 'revert' || !input.isDryRun);
  return new Set(changing.map(({ orgId }) => orgId));
}
