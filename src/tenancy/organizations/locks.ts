import type { Transaction } from '../../platform/db/database.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import {
  changeOrganization,
  lockChangedRow,
  lockRow,
  raiseCostsVersion,
  type ChangedCosts,
} from './queries.ts';

/**
 * Makes others who lock the organization wait until the transaction ends. Rows that refer to the organization can still
 * be added. Throws if the organization is deleted.
 */
export async function lockOrganization(tx: Transaction, orgId: string): Promise<void> {
  if (!(await lockRow(tx, orgId))) throw notFound('organization');
}

type Cap = {
  /** Plural, such as `tokens`. */
  things: string;
  max: number;
  count: () => Promise<number>;
  /** How to make room. */
  advice: string;
};

/** Locks the organization. Throws if it already has the maximum number of these things. */
export async function requireRoom(
  tx: Transaction,
  orgId: string,
  { things, max, count, advice }: Cap,
): Promise<void> {
  await lockOrganization(tx, orgId);
  if ((await count()) < max) return;
  const message = `An organization can have at most ${max.toLocaleString('en-US')} ${things}. ${advice}`;
  throw new PublicError('conflict', `too_many_${things}`, message);
}

/**
 * Locks the organization's costs and budgets for this transaction, and marks its budgets for a check. Throws if the
 * organization is deleted.
 */
export async function lockCosts(tx: Transaction, orgId: string): Promise<void> {
  if (!(await raiseCostsVersion(tx, orgId))) throw notFound('organization');
}

/**
 * Locks the organization's costs and budgets if the costs changed since the last check. It waits for the lock: with
 * `skip locked`, a busy organization would never get its turn.
 */
export function lockChangedCosts(tx: Transaction, orgId: string): Promise<ChangedCosts | undefined> {
  return lockChangedRow(tx, orgId);
}

export function saveCostsChecked(tx: Transaction, { orgId, costsVersion }: ChangedCosts): Promise<void> {
  return changeOrganization(tx, orgId, { costsCheckedVersion: costsVersion });
}
