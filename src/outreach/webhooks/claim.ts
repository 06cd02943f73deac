import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inEachOrganization } from '../../platform/work/claims.ts';
import { newLease } from '../../platform/work/leases.ts';
import {
  claimDeliveries,
  findClaimants,
  findDueWebhooks,
  findReadyWebhooks,
  lockWebhooksToClaim,
  type Claimant,
  type ClaimedDelivery,
} from './claim.queries.ts';
import type { Standing } from './queue.ts';

/** Longer than any attempt, including its database writes. */
export const leaseMilliseconds = 60_000;
const webhooksAtOnce = 100;

type Claimer = {
  breaker: Pick<CircuitBreaker, 'isOpen'>;
  /** The deliveries of a webhook in this process. */
  standingOf: (webhookId: string) => OwnStanding;
  places: number;
  /** Number of additional deliveries that may wait in this process. */
  waitingPlaces: number;
  isProbe: boolean;
};

export type WebhookKey = { orgId: string; id: string };

export type Claim = {
  claimed: ClaimedDelivery[];
  shares: (WebhookKey & FairShare)[];
  hasProbed: boolean;
  /** Ids of webhooks that send as many as they may. */
  full: string[];
};

const first: WebhookKey = { orgId: '00000000-0000-0000-0000-000000000000', id: '' };

/** Finds webhooks with something to send, some at a time. Each has its turn: a look goes on where the last one ended. */
export function createFinder(
  { db, clock }: Pick<Program, 'db' | 'clock'>,
  limit = webhooksAtOnce,
): (without: string[]) => Promise<WebhookKey[]> {
  let after = first;
  return async (without) => {
    const look = { now: clock.now(), without: new Set(without) };
    const due = await findDueWebhooks(db, { ...look, after, limit });
    if (due.length < limit && after !== first)
      due.push(...(await findDueWebhooks(db, { ...look, after: first, limit: limit - due.length })));
    after = due.length < limit ? first : due.at(-1)!;
    return due.length === 0 ? [] : findReadyWebhooks(db, due, look.now);
  };
}

/** `tx` must take statements of several organizations at once. */
export async function claim(
  tx: Transaction,
  { clock, isDistributed }: Pick<Program, 'clock' | 'isDistributed'>,
  ready: WebhookKey[],
  { breaker, standingOf, places, waitingPlaces, isProbe }: Claimer,
): Promise<Claim> {
  const now = clock.now();
  const found = await inEachOrganization(ready, async (orgId, own) => {
    const locked = await lockWebhooksToClaim(tx, orgId, own);
    if (locked.length === 0) return [];
    return findClaimants(tx, orgId, locked, { now, maxInFlight: max.afterSuccess });
  });
  const webhooks = found.flat().map((webhook) => {
    const isCutOff = breaker.isOpen(new URL(webhook.url).hostname, now);
    return { ...webhook, isCutOff, own: standingOf(webhook.id) };
  });
  const shares = fairShares(webhooks, { places, waitingPlaces, isProbe }).map((share, index) => {
    const { orgId, id } = webhooks[index]!;
    return { orgId, id, ...share };
  });
  const lease = newLease(clock, leaseMilliseconds);
  const given = shares.filter(({ share }) => share > 0);
  const claimed = await inEachOrganization(given, (orgId, own) =>
    claimDeliveries(tx, orgId, { now, lease, shares: own, isDistributed }),
  );
  const isFull = ({ underWay }: ReadyWebhook, index: number) => underWay > 0 && shares[index]!.share === 0;
  return {
    claimed: claimed.flat(),
    shares,
    hasProbed: webhooks.some(({ isCutOff }, index) => isCutOff && shares[index]!.share > 0),
    full: places > 0 ? webhooks.filter(isFull).map(({ id }) => id) : [],
  };
}

/** `ended` counts deliveries that have ended in this process and still count as under way in the database. */
export type OwnStanding = Standing & { ended: number };

/** `isCutOff` means that the circuit breaker is open for its host. */
export type ReadyWebhook = Omit<Claimant, 'url'> & { isCutOff: boolean; own: OwnStanding };

/** How many deliveries to claim, and how many of them this process may have in flight. The others wait. */
export type FairShare = { share: number; maxInFlight: number };

const max = { afterSuccess: 48, afterFailure: 4, failing: 1 };
const maxOfOrganization = 64;

/** An idle webhook sends one first, even without `places`. `isProbe` tries a host that is cut off. */
export function fairShares(
  webhooks: readonly ReadyWebhook[],
  { places, waitingPlaces, isProbe }: Pick<Claimer, 'places' | 'waitingPlaces' | 'isProbe'>,
): FairShare[] {
  const sends = webhooks.map(() => 0);
  const ofOrganization = new Map(webhooks.map(({ orgId, inFlightOfOrganization: count }) => [orgId, count]));
  let [free, isProbed] = [places, !isProbe];
  const give = (index: number, count: number) => {
    const { orgId } = webhooks[index]!;
    sends[index]! += count;
    ofOrganization.set(orgId, ofOrganization.get(orgId)! + count);
    free -= count;
  };
  for (const [index, webhook] of webhooks.entries()) {
    if (inFlight(webhook) > 0 || (webhook.isCutOff && isProbed)) continue;
    isProbed ||= webhook.isCutOff;
    give(index, 1);
  }
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook.isCutOff) continue;
    const own = maxOf(webhook) - inFlight(webhook) - sends[index]!;
    const left = Math.min(own, maxOfOrganization - ofOrganization.get(webhook.orgId)!, free);
    if (left > 0) give(index, left);
  }
  let freeToWait = waitingPlaces;
  return webhooks.map((webhook, index) => {
    const { own } = webhook;
    const send = sends[index]!;
    const maxInFlight = own.inFlight + send;
    const isFast = maxInFlight > 0 && !webhook.isCutOff && maxOf(webhook) === max.afterSuccess;
    const wanted = Math.max(0, send + (isFast ? own.ahead : 0) - own.waiting);
    const share = Math.min(wanted, send + freeToWait);
    freeToWait -= Math.max(0, share - send);
    return { share, maxInFlight };
  });
}

function inFlight({ underWay, own }: ReadyWebhook): number {
  return underWay - own.waiting - own.ended;
}

function maxOf({ status, lastDeliveryStatus }: ReadyWebhook): number {
  if (status === 'failing') return max.failing;
  return lastDeliveryStatus === 'success' ? max.afterSuccess : max.afterFailure;
}

/** What attempts have shown about a host. Times are milliseconds since the epoch. */
type Seen = { triedAt: number; reachedAt: number; isReached: boolean };

/** Detects that our own network is down, not the receivers. */
export type CircuitBreaker = {
  note: (hostname: string, isReached: boolean, now: Date) => void;
  /** Whether to send nothing to a host. A host that the last attempt reached may still be tried. */
  isOpen: (hostname: string, now: Date) => boolean;
};

const triedMilliseconds = 60_000;
const knownMilliseconds = 24 * 3_600_000;
/** A recent answer from any host proves that our network works. */
const answeredMilliseconds = 10_000;
const minHosts = 3;

/** Opens after 10 s without an answer if most hosts failed. Only hosts that answered within a day count. */
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
