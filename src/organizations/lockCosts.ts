import type { Transaction } from '../db/database.ts';
import { raiseCostsVersion } from './queries.ts';

/**
 * Makes this transaction the only one to change the organization's costs or budgets until it ends, and has its budgets
 * looked at afterwards.
 */
export async function lockCosts(tx: Transaction, orgId: string): Promise<void> {
  await raiseCostsVersion(tx, orgId);
}
