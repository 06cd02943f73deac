import type { Transaction } from '../db/database.ts';
import { PublicError } from '../lib/errors.ts';
import { lockOrganization } from './queries.ts';

type Cap = {
  /** In the plural, as in `tokens`. */
  things: string;
  max: number;
  count: () => Promise<number>;
  /** How a place becomes free. */
  advice: string;
};

/** Throws where the organization has as many as it may. Locks it, since many created at once could pass the cap together. */
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
