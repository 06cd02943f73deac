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
 * Has others who lock the organization wait until the transaction ends: of two changes at once that its rules allow one
 * by one only, the second sees the first. Rows that refer to the organization can be added meanwhile. Throws where the
 * organization is being deleted.
 */
export async function lockOrganization(tx: Transaction, orgId: string): Promise<void> {
  if (!(await lockRow(tx, orgId))) throw notFound('organization');
}

type Cap = {
  /** In the plural, as in `tokens`. */
  things: string;
  max: number;
  count: () => Promise<number>;
  /** How a place becomes free. */
  advice: string;
};

/** Locks the organization and throws where it has as many of these as it may. */
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
 * Makes this transaction the only one to change the organization's costs or budgets until it ends, and has its budgets
 * looked at afterwards. Throws where the organization is being deleted.
 */
export async function lockCosts(tx: Transaction, orgId: string): Promise<void> {
  if (!(await raiseCostsVersion(tx, orgId))) throw notFound('organization');
}

/**
 * Keeps others from recording costs of the organization or changing its budgets until the transaction ends, where its
 * costs have changed since they were checked. Waits its turn: who took the row only when nobody has it would never get
 * that of a busy organization.
 */
export function lockChangedCosts(tx: Transaction, orgId: string): Promise<ChangedCosts | undefined> {
  return lockChangedRow(tx, orgId);
}

/** Notes that the budgets have been checked against these costs. */
export function noteCostsChecked(tx: Transaction, { orgId, costsVersion }: ChangedCosts): Promise<void> {
  return changeOrganization(tx, orgId, { costsCheckedVersion: costsVersion });
}
