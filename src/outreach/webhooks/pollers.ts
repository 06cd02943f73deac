import type { Program } from '../../context.ts';
import { forgetBodies, forgetEvents } from '../../events/outbox.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { createDeliverer, type DeliveryProgram } from './deliver.ts';
import { giveUpOld, holdDeliveries, releaseDeliveries } from './deliveries.queries.ts';
import { removeDeletedWebhooks } from './queries.ts';
import { advanceResends } from './resends.ts';

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
 * Holds deliveries of paused webhooks and releases those of the others, oldest first. Returns whether there were any.
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
 * Deletes bodies of old events, then older events with their deliveries, then deleted webhooks, some at a time. Returns
 * whether there may be more.
 */
async function pruneEvents({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const [now, limit] = [clock.now(), changedAtOnce];
  const forgotten = await forgetBodies(db, now, (tx, before) => giveUpOld(tx, { before, now, limit }));
  const removed = await forgetEvents(db, now, limit);
  const cleared = await removeDeletedWebhooks(db, limit);
  return forgotten + removed + cleared > 0;
}
