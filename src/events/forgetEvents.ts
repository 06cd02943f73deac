import type { Database, Transaction } from '../platform/db/database.ts';
import { removeBodies, removeEvents } from './queries.ts';

const day = 86_400_000;
const bodiesKeptMilliseconds = 30 * day;
const eventsKeptMilliseconds = 90 * day;

type Old = { orgId: string; id: string };

/**
 * Takes the text out of events after 30 days, those that `giveUp` answers of the older ones: it gives up what is still
 * to be sent of them. Answers how many.
 */
export async function forgetBodies(
  db: Database,
  now: Date,
  giveUp: (tx: Transaction, before: Date) => Promise<Old[]>,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const old = await giveUp(tx, new Date(now.getTime() - bodiesKeptMilliseconds));
    if (old.length > 0) await removeBodies(tx, old);
    return old.length;
  });
}

/** Forgets events after 90 days, with all that refers to them: how many of at most `limit`. */
export function forgetEvents(db: Database, now: Date, limit: number): Promise<number> {
  return removeEvents(db, new Date(now.getTime() - eventsKeptMilliseconds), limit);
}
