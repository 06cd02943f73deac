import type { Poller } from '../../platform/work/worker.ts';
import type { BackfillProgram } from './context.ts';
import { backfillPoller } from './doBackfill.ts';
import { startNightlyBackfills } from './nightly.ts';
import { pruneBackfills } from './pruneBackfills.ts';

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
