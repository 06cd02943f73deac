import type { Transaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { raiseCostsVersion } from './queries.ts';

/**
 * Makes this transaction the only one to change the organization's costs or budgets until it ends, and has its budgets
 * looked at afterwards. Throws where the organization is being deleted.
 */
export async function lockCosts(tx: Transaction, orgId: string): Promise<void> {
  if (!(await raiseCostsVersion(tx, orgId))) throw notFound('organization');
}
