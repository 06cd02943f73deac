import type { Program } from '../../context.ts';
import { holdDeliveries, releaseDeliveries } from './held.queries.ts';

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
