import { randomUUID } from 'node:crypto';
import type { Program } from '../organizations/context.ts';
import type { Brake } from './brake.ts';
import {
  claimDeliveries,
  findClaimants,
  findReadyWebhooks,
  lockWebhooksToClaim,
  type ClaimedDelivery,
} from './delivery.queries.ts';
import { sharesOf } from './shares.ts';

/** Longer than any attempt takes with what is written before and after it. */
const leaseMilliseconds = 60_000;
const webhooksAtOnce = 100;

type Claimer = { brake: Pick<Brake, 'isOn'>; places: number; isProbe: boolean };

/**
 * Leases deliveries that are due to whoever calls, of each webhook as many as are its share. Answers whether one was
 * taken of a host that the brake is on for.
 */
export async function claim(
  { db, clock }: Pick<Program, 'db' | 'clock'>,
  { brake, places, isProbe }: Claimer,
): Promise<{ claimed: ClaimedDelivery[]; hasProbed: boolean }> {
  const now = clock.now();
  const ready = await findReadyWebhooks(db, now, webhooksAtOnce);
  if (ready.length === 0) return { claimed: [], hasProbed: false };
  return db.transaction().execute(async (tx) => {
    const claimants = await findClaimants(tx, await lockWebhooksToClaim(tx, ready), now);
    const webhooks = claimants.map((webhook) => ({
      ...webhook,
      isBraked: brake.isOn(new URL(webhook.url).hostname, now),
    }));
    const shares = sharesOf(webhooks, places, isProbe);
    const claimed = await claimDeliveries(tx, {
      now,
      lease: randomUUID(),
      leasedUntil: new Date(now.getTime() + leaseMilliseconds),
      shares: webhooks.map(({ orgId, id }, index) => ({ orgId, id, share: shares[index]! })),
    });
    return { claimed, hasProbed: webhooks.some(({ isBraked }, index) => isBraked && shares[index]! > 0) };
  });
}
