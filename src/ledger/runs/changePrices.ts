import type { Transaction } from '../../platform/db/database.ts';
import { rollupPriceChanges, type PriceChange } from './contributions.ts';
import type { JobKey } from './history.ts';
import { addToRollups, addToRunCosts, updatePrices } from './queries.ts';

type ChangedJob = PriceChange & { job: JobKey };

/**
 * Gives recorded jobs other prices: changes the jobs, their runs and the rollups of their days together. The caller
 * holds the organization's ledger lock and has read the prices under it.
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

function differencesOfRuns(changes: readonly ChangedJob[]): Map<string, bigint> {
  const differences = new Map<string, bigint>();
  for (const { job, before, after } of changes) {
    const known = differences.get(job.runId) ?? 0n;
    differences.set(job.runId, known + after.costNanos - before.costNanos);
  }
  return differences;
}
