import type { Program } from '../../context.ts';
import { forgetBodies, forgetEvents } from '../../events/outbox.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { createDeliverer, type DeliveryProgram } from './deliver.ts';
import { giveUpOld, holdDeliveries, releaseDeliveries } from './deliveries.queries.ts';
import { removeDeletedWebhooks } from './queries.ts';
import { advanceResends } from './resends.ts';

/** Sends events to webhooks, those held or asked for once more in their turn, and forgets old ones. */
export function webhookPollers(program: DeliveryProgram): Poller[] {
  const { deliver, everyMilliseconds, stop } = createDeliverer(program);
  return [
    { name: 'release held deliveries', everyMilliseconds: 1_000, run: () => releaseHeld(program) },
    { name: 'advance resends', everyMilliseconds: 1_000, run: () => advanceResends(program) },
    { name: 'deliver', everyMilliseconds, run: deliver, stop },
    { name: 'prune events', everyMilliseconds: 60_000, run: () => pruneEvents(program) },
  ];
}

const changedAtOnce = 500;
const releasedOfOne = 20;

/**
 * Holds what waits of webhooks that are paused, and lets what is held of the others go, oldest first, no more than a
 * few at a time. Answers whether there was any of either.
 */
export async function releaseHeld({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const held = await holdDeliveries(db, changedAtOnce);
  const released = await releaseDeliveries(db, {
    now: clock.now(),
    each: releasedOfOne,
    limit: changedAtOnce,
  });
  return held > 0 || released > 0;
}

/**
 * Forgets what old events and the answers to them said, when what has not been delivered is given up as well; older
 * events with their deliveries; and what is left of deleted webhooks. Some at a time; answers whether there may be more.
 */
async function pruneEvents({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const [now, limit] = [clock.now(), changedAtOnce];
  const forgotten = await forgetBodies(db, now, (tx, before) => giveUpOld(tx, { before, now, limit }));
  const removed = await forgetEvents(db, now, limit);
  const cleared = await removeDeletedWebhooks(db, limit);
  return forgotten + removed + cleared > 0;
}
