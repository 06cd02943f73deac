import type { Transaction } from '../../platform/db/database.ts';
import { rollupPriceChanges, type PriceChange } from './contributions.ts';
import type { JobKey } from './history.ts';
import { addToRollups, addToRunCosts, updatePrices } from './queries.ts';

type ChangedJob = PriceChange & { job: JobKey };

/**
 * Gives recorded jobs other prices: the jobs, their runs and all sums of their days change together. The transaction
 * must hold the organization's costs, and must have read under that lock what the jobs cost.
 */
export async function changePrices(
  tx: Transaction,
  orgId: string,
  changes: readonly ChangedJob[],
): Promise<void> {
  await updatePrices(
    tx,
    changes.map(({ job: { runId, attempt, jobId }, after }) => ({ orgId, runId, attempt, jobId, ...after })),
  );
  await addToRunCosts(
    tx,
    [...differencesOfRuns(changes)].map(([id, nanos]) => ({ orgId, id, nanos })),
  );
  await addToRollups(tx, orgId, rollupPriceChanges(changes));
}

/** What the changed jobs of each run add to its cost. */
function differencesOfRuns(changes: readonly ChangedJob[]): Map<string, bigint> {
  const differences = new Map<string, bigint>();
  for (const { job, before, after } of changes) {
    const known = differences.get(job.runId) ?? 0n;
    differences.set(job.runId, known + after.costNanos - before.costNanos);
  }
  return differences;
}
