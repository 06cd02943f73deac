import type { Transaction } from '../../platform/db/database.ts';
import { rollupPriceChanges, type PriceChange } from './contributions.ts';
import type { JobKey, JobPrice } from './history.ts';
import { splitter } from './jobFacts.ts';
import {
  addToRollups,
  addToRunCosts,
  renewCreationDays,
  renewWorkflowDays,
  updatePrices,
} from './queries.ts';
import type { JobFacts } from './tables.ts';

type ChangedJob = PriceChange & { job: JobKey & Omit<JobFacts, keyof JobPrice> };

/**
 * Gives recorded jobs other prices, and updates their runs and the rollups of their days. The caller holds the
 * organization's lock and has read the prices under it.
 */
export async function changePrices(
  tx: Transaction,
  { orgId, storesJobFacts }: { orgId: string; storesJobFacts: boolean },
  changes: readonly ChangedJob[],
): Promise<void> {
  const jobs = changes.map(({ job, after }) => ({ ...job, ...after }));
  await updatePrices(tx, orgId, jobs, splitter(storesJobFacts));
  await addToRunCosts(
    tx,
    orgId,
    [...differencesOfRuns(changes)].map(([id, nanos]) => ({ id, nanos })),
  );
  await addToRollups(tx, orgId, rollupPriceChanges(changes));
  const runIds = [...new Set(changes.map(({ job }) => job.runId))];
  await renewCreationDays(tx, orgId, runIds);
  await renewWorkflowDays(tx, orgId, runIds);
}

function differencesOfRuns(changes: readonly ChangedJob[]): Map<string, bigint> {
  const differences = new Map<string, bigint>();
  for (const { job, before, after } of changes) {
    const known = differences.get(job.runId) ?? 0n;
    differences.set(job.runId, known + after.costNanos - before.costNanos);
  }
  return differences;
}
