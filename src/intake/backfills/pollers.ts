import type { Job } from '../../platform/work/worker.ts';
import type { BackfillProgram } from './context.ts';
import { backfillJob } from './doBackfill.ts';
import { startNightlyBackfills } from './nightly.ts';
import { pruneBackfills } from './pruneBackfills.ts';

/** Brings in the runs that were asked for, and every night those whose deliveries were lost. */
export function backfillJobs(program: BackfillProgram): Job[] {
  return [
    {
      name: 'start nightly backfills',
      everyMilliseconds: 60_000,
      run: async () => {
        await startNightlyBackfills(program);
        return false;
      },
    },
    backfillJob(program),
    { name: 'prune backfills', everyMilliseconds: 3_600_000, run: () => pruneBackfills(program) },
  ];
}
