import type { Program } from '../../context.ts';
import { forgetBodies, forgetEvents } from '../../events/forgetEvents.ts';
import { giveUpOld, removeDeletedWebhooks } from './prune.queries.ts';

const limit = 500;

/**
 * Forgets what old events and the answers to them said, when what has not been delivered is given up as well; older
 * events with their deliveries; and what is left of deleted webhooks. Some at a time; answers whether there may be more.
 */
export async function pruneEvents({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const now = clock.now();
  const forgotten = await forgetBodies(db, now, (tx, before) => giveUpOld(tx, { before, now, limit }));
  const removed = await forgetEvents(db, now, limit);
  const cleared = await removeDeletedWebhooks(db, limit);
  return forgotten + removed + cleared > 0;
}
