import { removeEndedTasks } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { backfillKind, type BackfillProgram } from './backfill.ts';
import { backfillPoller } from './doBackfill.ts';
import { startNightlyBackfills } from './nightly.ts';
import { removeListedRuns } from './queries.ts';

/** Brings in the runs that were asked for, and every night those whose deliveries were lost. */
export function backfillPollers(program: BackfillProgram): Poller[] {
  return [
    {
      name: 'start nightly backfills',
      everyMilliseconds: 60_000,
      run: async () => {
        await startNightlyBackfills(program);
        return false;
      },
    },
    backfillPoller(program),
    { name: 'prune backfills', everyMilliseconds: 3_600_000, run: () => pruneBackfills(program) },
  ];
}

const keptDays = 100;
const atOnce = 1_000;

/** Forgets backfills and what they listed after a hundred days, some at a time; answers whether there may be more. */
async function pruneBackfills({ clock, db }: Pick<BackfillProgram, 'clock' | 'db'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, backfillKind, { before });
  return (await removeListedRuns(db, before, atOnce)) === atOnce;
}
