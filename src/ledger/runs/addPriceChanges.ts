import type { Transaction } from '../../platform/db/database.ts';
import { rollupPriceChanges, type PriceChange } from './contributions.ts';
import { saveChanges } from './queries.ts';

/**
 * Adds what other prices of recorded jobs change to all sums of days. The transaction must hold the organization's costs
 * and must have changed the jobs and their runs.
 */
export async function addPriceChanges(
  tx: Transaction,
  orgId: string,
  changes: readonly PriceChange[],
): Promise<void> {
  await saveChanges(tx, orgId, { runs: [], jobs: [], workflows: [], rollups: rollupPriceChanges(changes) });
}
