import { removeEndedTasks } from '../../platform/work/tasks.ts';
import { backfillKind } from './backfill.ts';
import type { BackfillProgram } from './context.ts';
import { removeListedRuns } from './queries.ts';

const keptDays = 100;
const atOnce = 1_000;

/** Forgets backfills and what they listed after a hundred days, some at a time; answers whether there may be more. */
export async function pruneBackfills({ clock, db }: Pick<BackfillProgram, 'clock' | 'db'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, backfillKind, { before });
  return (await removeListedRuns(db, before, atOnce)) === atOnce;
}
