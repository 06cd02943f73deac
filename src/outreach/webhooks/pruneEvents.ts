import type { Program } from '../../context.ts';
import { forgetBodies, removeDeletedWebhooks, removeEvents } from './prune.queries.ts';

const day = 86_400_000;
const bodiesKeptMilliseconds = 30 * day;
const eventsKeptMilliseconds = 90 * day;
const chunk = 500;

/**
 * Forgets what events and answers said after 30 days, when what has not been delivered is given up as well; events with
 * their deliveries after 90; and what is left of deleted webhooks. Some at a time; answers whether there may be more.
 */
export async function pruneEvents({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const now = clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const forgotten = await forgetBodies(db, { before: ago(bodiesKeptMilliseconds), now, limit: chunk });
  const removed = await removeEvents(db, ago(eventsKeptMilliseconds), chunk);
  const cleared = await removeDeletedWebhooks(db, chunk);
  return forgotten + removed + cleared > 0;
}
