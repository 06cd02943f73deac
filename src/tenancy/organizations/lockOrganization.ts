import type { Transaction } from '../../platform/db/database.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { lockRow } from './queries.ts';

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
