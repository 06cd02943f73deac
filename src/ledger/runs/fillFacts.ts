import type { Program } from '../../context.ts';
import { retireOlderPrograms } from '../../platform/db/migrate.ts';
import type { Poller } from '../../platform/work/worker.ts';
import {
  doAllStoreJobFacts,
  lockOrganization,
  storeJobFacts,
} from '../../tenancy/organizations/organizations.ts';
import { findJobsWithoutFacts, findOrganizationWithoutFacts } from './jobFacts.queries.ts';
import { splitter } from './jobFacts.ts';
import { updatePrices } from './queries.ts';

/** A rolling upgrade ends within this time. */
const upgradeMilliseconds = 86_400_000;
const jobsAtOnce = 500;

/**
 * Stores the facts of jobs that have labels of their own. It works in small pieces, so that other changes of the
 * organization's costs wait only briefly.
 */
async function fillFacts({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const now = clock.now().getTime();
  const before = new Date((await doAllStoreJobFacts(db)) ? now : now - upgradeMilliseconds);
  if (!(await retireOlderPrograms(db, '0001_schema.sql', before))) return false;
  await storeJobFacts(db);
  const orgId = await findOrganizationWithoutFacts(db);
  if (orgId === undefined) return false;
  await db.transaction().execute(async (tx) => {
    // Costs stay the same, so their version does too.
    await lockOrganization(tx, orgId);
    const jobs = await findJobsWithoutFacts(tx, orgId, jobsAtOnce);
    await updatePrices(tx, orgId, jobs, splitter(true));
  });
  return true;
}

export function factsPollers(program: Pick<Program, 'db' | 'clock'>): Poller[] {
  return [{ name: 'fill facts', everyMilliseconds: 60_000, run: () => fillFacts(program) }];
}
