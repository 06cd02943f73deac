import type { Transaction } from '../db/database.ts';
import { timeOrderedUuid } from '../lib/ids.ts';
import type { Context } from './context.ts';
import { insertAuditEntry } from './queries.ts';

type Author = Pick<Context, 'clock'> & { actor: Pick<Context['actor'], 'orgId' | 'name'> };

/**
 * Notes who did what, in the transaction that does it. `action` is `thing.verb`, `target` the thing's id;
 * `details` must hold no secret.
 */
export async function recordAudit(
  tx: Transaction,
  { actor, clock }: Author,
  action: string,
  target: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const now = clock.now();
  await insertAuditEntry(tx, {
    orgId: actor.orgId,
    id: timeOrderedUuid(now),
    createdAt: now,
    actor: actor.name,
    action,
    target,
    details,
  });
}
