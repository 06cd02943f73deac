import type { Program } from '../../context.ts';
import { newLease } from '../../platform/work/leases.ts';
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

type Claimer = {
  brake: Pick<Brake, 'isOn'>;
  places: number;
  isProbe: boolean;
  /** Webhooks known to have as many under way as they may. */
  full: { orgId: string; id: string }[];
};

export type Claim = {
  claimed: ClaimedDelivery[];
  /** Whether one was taken of a host that the brake is on for. */
  hasProbed: boolean;
  /** Webhooks that were given nothing beside what they have under way. */
  full: { orgId: string; id: string }[];
};

/** Leases deliveries that are due to whoever calls, of each webhook as many as are its share. */
export async function claim(
  { db, clock }: Pick<Program, 'db' | 'clock'>,
  { brake, places, isProbe, full }: Claimer,
): Promise<Claim> {
  const now = clock.now();
  const ready = await findReadyWebhooks(db, { now, without: full, limit: webhooksAtOnce });
  if (ready.length === 0) return { claimed: [], hasProbed: false, full: [] };
  return db.transaction().execute(async (tx) => {
    const claimants = await findClaimants(tx, await lockWebhooksToClaim(tx, ready), now);
    const webhooks = claimants.map((webhook) => ({
      ...webhook,
      isBraked: brake.isOn(new URL(webhook.url).hostname, now),
    }));
    const shares = sharesOf(webhooks, places, isProbe);
    const given = webhooks
      .map(({ orgId, id }, index) => ({ orgId, id, share: shares[index]! }))
      .filter(({ share }) => share > 0);
    const lease = newLease(clock, leaseMilliseconds);
    const claimed = given.length > 0 ? await claimDeliveries(tx, { now, lease, shares: given }) : [];
    return {
      claimed,
      hasProbed: webhooks.some(({ isBraked }, index) => isBraked && shares[index]! > 0),
      full: places > 0 ? webhooks.filter(({ underWay }, index) => underWay > 0 && shares[index] === 0) : [],
    };
  });
}
