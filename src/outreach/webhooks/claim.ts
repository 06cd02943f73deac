import type { Program } from '../../context.ts';
import { newLease } from '../../platform/work/leases.ts';
import {
  claimDeliveries,
  findClaimants,
  findReadyWebhooks,
  lockWebhooksToClaim,
  type Claimant,
  type ClaimedDelivery,
} from './deliver.queries.ts';

/** Longer than any attempt takes with what is written before and after it. */
const leaseMilliseconds = 60_000;
const webhooksAtOnce = 100;

type Claimer = {
  breaker: Pick<CircuitBreaker, 'isOpen'>;
  places: number;
  isProbe: boolean;
  /** Webhooks known to have as many under way as they may. */
  full: { orgId: string; id: string }[];
};

export type Claim = {
  claimed: ClaimedDelivery[];
  /** Whether one was taken of a host that the circuit breaker cuts off. */
  hasProbed: boolean;
  /** Webhooks that were given nothing beside what they have under way. */
  full: { orgId: string; id: string }[];
};

/** Leases deliveries that are due to whoever calls, of each webhook as many as are its share. */
export async function claim(
  { db, clock }: Pick<Program, 'db' | 'clock'>,
  { breaker, places, isProbe, full }: Claimer,
): Promise<Claim> {
  const now = clock.now();
  const ready = await findReadyWebhooks(db, { now, without: full, limit: webhooksAtOnce });
  if (ready.length === 0) return { claimed: [], hasProbed: false, full: [] };
  return db.transaction().execute(async (tx) => {
    const claimants = await findClaimants(tx, await lockWebhooksToClaim(tx, ready), now);
    const webhooks = claimants.map((webhook) => ({
      ...webhook,
      isCutOff: breaker.isOpen(new URL(webhook.url).hostname, now),
    }));
    const shares = fairShares(webhooks, places, isProbe);
    const given = webhooks
      .map(({ orgId, id }, index) => ({ orgId, id, share: shares[index]! }))
      .filter(({ share }) => share > 0);
    const lease = newLease(clock, leaseMilliseconds);
    const claimed = given.length > 0 ? await claimDeliveries(tx, { now, lease, shares: given }) : [];
    return {
      claimed,
      hasProbed: webhooks.some(({ isCutOff }, index) => isCutOff && shares[index]! > 0),
      full: places > 0 ? webhooks.filter(({ underWay }, index) => underWay > 0 && shares[index] === 0) : [],
    };
  });
}

/** `isCutOff`: its host cannot be reached, and the circuit breaker is open. */
export type ReadyWebhook = Omit<Claimant, 'url'> & { isCutOff: boolean };

/** How many deliveries of one webhook go at a time: after one that arrived, after one that did not, while it fails. */
const max = { well: 48, doubtful: 4, failing: 1 };
const maxOfOrganization = 64;

/**
 * How many deliveries to take of each webhook, so that nobody's receivers hold up another's: a webhook gets no more than
 * its few, an organization no more than its part of the places, and whoever has nothing under way gets one before others
 * get more, even where no place is free. `places` is how many the process has left, `isProbe` whether one that is
 * cut off may be tried.
 */
export function fairShares(webhooks: readonly ReadyWebhook[], places: number, isProbe: boolean): number[] {
  const shares = webhooks.map(() => 0);
  const ofOrganization = new Map(webhooks.map(({ orgId, underWayOfOrganization: count }) => [orgId, count]));
  let [free, isProbed] = [places, !isProbe];
  const give = (index: number, count: number) => {
    const { orgId } = webhooks[index]!;
    shares[index]! += count;
    ofOrganization.set(orgId, ofOrganization.get(orgId)! + count);
    free -= count;
  };
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook.underWay > 0 || (webhook.isCutOff && isProbed)) continue;
    isProbed ||= webhook.isCutOff;
    give(index, 1);
  }
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook.isCutOff) continue;
    const own = maxOf(webhook) - webhook.underWay - shares[index]!;
    const left = Math.min(own, maxOfOrganization - ofOrganization.get(webhook.orgId)!, free);
    if (left > 0) give(index, left);
  }
  return shares;
}

function maxOf({ status, lastDeliveryStatus }: ReadyWebhook): number {
  if (status === 'failing') return max.failing;
  return lastDeliveryStatus === 'success' ? max.well : max.doubtful;
}

/** What attempts have shown of a host, in milliseconds since the epoch. */
type Seen = { triedAt: number; reachedAt: number; isReached: boolean };

/** Says when our own way out is broken, and not the receivers. */
export type CircuitBreaker = {
  note: (hostname: string, isReached: boolean, now: Date) => void;
  /** Whether to send nothing to a host. One that was reached the last time is never kept from being tried. */
  isOpen: (hostname: string, now: Date) => boolean;
};

const triedMilliseconds = 60_000;
const knownMilliseconds = 24 * 3_600_000;
/** An answer from anywhere shows that the way out works. */
const answeredMilliseconds = 10_000;
const minHosts = 3;

/**
 * A circuit breaker that is open while nobody has been reached for some seconds and most of the hosts tried within the
 * last minute could not be, of those that could be within the last day. A receiver that has never answered, or not for
 * long, says nothing about us.
 */
export function createCircuitBreaker(): CircuitBreaker {
  const hosts = new Map<string, Seen>();
  let lastReachedAt = -Infinity;
  return {
    note: (hostname, isReached, now) => {
      const triedAt = now.getTime();
      if (isReached) lastReachedAt = triedAt;
      const reachedAt = isReached ? triedAt : (hosts.get(hostname)?.reachedAt ?? -Infinity);
      if (reachedAt > triedAt - knownMilliseconds) hosts.set(hostname, { triedAt, reachedAt, isReached });
      else hosts.delete(hostname);
    },
    isOpen: (hostname, now) => {
      const at = now.getTime();
      if (lastReachedAt > at - answeredMilliseconds || hosts.get(hostname)?.isReached !== false) return false;
      const recent = [...hosts.values()].filter(({ triedAt }) => triedAt > at - triedMilliseconds);
      const unreached = recent.filter(({ isReached }) => !isReached).length;
      return unreached >= minHosts && unreached * 2 > recent.length;
    },
  };
}
