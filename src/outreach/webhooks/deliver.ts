import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/pipeline.ts';
import { inEachOrganization } from '../../platform/work/claims.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import { sendOnce, type Sent } from './attempt.ts';
import type { ClaimedDelivery } from './claim.queries.ts';
import {
  claim,
  createCircuitBreaker,
  createFinder,
  type Claim,
  type OwnStanding,
  type WebhookKey,
} from './claim.ts';
import {
  completeAttempts,
  returnDeliveries,
  updateWebhooks,
  type FinishedAttempt,
} from './deliver.queries.ts';
import { consequenceOf, updatesOf } from './outcome.ts';
import { createQueue, type QueuedDelivery } from './queue.ts';

export type DeliveryProgram = Program & {
  log: Pick<Logger, 'warn' | 'error'>;
  webhookConcurrency: number;
};

export type Deliverer = {
  deliver: () => Promise<boolean>;
  everyMilliseconds: () => number;
  /** Waits some seconds for attempts under way, then returns the rest to other workers. */
  stop: () => Promise<void>;
};

const lookAgainMilliseconds = { whileBusy: 20, whenQuiet: 250 };
const busyMilliseconds = 5_000;
const probeEveryMilliseconds = 2_000;
const maxStopMilliseconds = 5_000;

type Finished = FinishedAttempt & { isExhausted: boolean };

/** Any number of processes can run this: each delivery is leased to one, until its lease expires. */
export function createDeliverer(program: DeliveryProgram): Deliverer {
  const stopping = new AbortController();
  const sender = createSender(program, stopping.signal);
  const { queue, underWay, finished, full } = sender;
  const { claimMore, begin, hasJustClaimed } = createClaims(program, sender);
  const findReady = createFinder(program);
  const unsent: ClaimedDelivery[] = [];

  /** Saves what has ended and claims more. Returns whether it did. */
  async function turn(): Promise<boolean> {
    const now = performance.now();
    unsent.push(...queue.takeLate(program.clock.now().getTime()));
    const known = [...full].filter(([, until]) => until > now).map(([id]) => id);
    const ready = stopping.signal.aborted ? [] : await findReady([...known, ...queue.supplied()]);
    const organizations = new Set([...ready, ...unsent, ...finished].map(({ orgId }) => orgId));
    if (organizations.size === 0) return false;
    try {
      return await turnOf(organizations, ready);
    } catch (error) {
      if (organizations.size === 1) throw error;
    }
    // What fails in one organization must not stop the others.
    let isBusy = false;
    const turnOfOne = async (orgId: string) => {
      if (await turnOf(new Set([orgId]), ready)) isBusy = true;
    };
    await oneByOne([...organizations], turnOfOne, {
      nameOf: (orgId) => ['deliveries', orgId],
      message: 'could not deliver',
    });
    return isBusy;
  }

  /** In one transaction, with statements of one organization each. */
  async function turnOf(organizations: ReadonlySet<string>, ready: WebhookKey[]): Promise<boolean> {
    const [batch, returned] = [takeOf(organizations, finished), takeOf(organizations, unsent)];
    try {
      const found = await inPipeline(program.db, async (tx) => {
        await save(tx, batch);
        await inEachOrganization(returned, (orgId, own) => returnDeliveries(tx, orgId, own));
        return claimMore(
          tx,
          ready.filter(({ orgId }) => organizations.has(orgId)),
        );
      });
      begin(found);
      // A webhook that was full when `ready` was read can take more once its attempts are saved.
      return found.claimed.length + batch.length > 0;
    } catch (error) {
      finished.unshift(...batch);
      unsent.unshift(...returned);
      throw error;
    }
  }

  return {
    deliver: async () => {
      const isBusy = await turn();
      if (stopping.signal.aborted) return false;
      if (isBusy || finished.length > 0) return true;
      if (underWay.size === 0) return false;
      await atMost(lookAgainMilliseconds.whileBusy, Promise.race(underWay));
      return true;
    },
    everyMilliseconds: () =>
      hasJustClaimed() ? lookAgainMilliseconds.whileBusy : lookAgainMilliseconds.whenQuiet,
    stop: async () => {
      unsent.push(...queue.takeAll());
      await atMost(maxStopMilliseconds, Promise.all(underWay));
      stopping.abort();
      await Promise.all(underWay);
      await turn();
    },
  };
}

/** Claims what there are places for, and begins to send it. */
function createClaims(program: DeliveryProgram, sender: ReturnType<typeof createSender>) {
  const { queue, underWay, finished, full } = sender;
  let nextProbeAt = 0;
  let lastBusyAt = -Infinity;

  async function claimMore(tx: Transaction, ready: WebhookKey[]): Promise<Claim> {
    const places = Math.max(0, program.webhookConcurrency - underWay.size);
    const isProbe = program.clock.now().getTime() >= nextProbeAt;
    const claimed = program.telemetry.metrics.claimSeconds.startTimer({ queue: 'deliveries' });
    const waitingPlaces = queue.freePlaces();
    const found = await claim(tx, program, ready, { ...sender, places, waitingPlaces, isProbe });
    if (found.claimed.length > 0) claimed();
    return found;
  }

  function begin({ claimed, shares, hasProbed, full: found }: Claim): void {
    const now = performance.now();
    const at = program.clock.now().getTime();
    queue.add(claimed.map((delivery) => ({ ...delivery, claimedAt: at })));
    for (const { id, maxInFlight } of shares) {
      queue.allow(id, maxInFlight);
      sender.sendNext(id);
    }
    if (hasProbed) nextProbeAt = at + probeEveryMilliseconds;
    const until = now + lookAgainMilliseconds.whenQuiet;
    // Attempts that ended here but are not saved still count in the database.
    const ended = new Set(finished.map(({ webhookId }) => webhookId));
    for (const id of found) if (!ended.has(id)) full.set(id, until);
    if (claimed.length > 0) lastBusyAt = now;
  }

  return { claimMore, begin, hasJustClaimed: () => performance.now() - lastBusyAt < busyMilliseconds };
}

/** Removes those of the organizations from the list, and returns them. */
function takeOf<Delivery extends { orgId: string }>(
  organizations: ReadonlySet<string>,
  deliveries: Delivery[],
): Delivery[] {
  const all = deliveries.splice(0);
  deliveries.push(...all.filter(({ orgId }) => !organizations.has(orgId)));
  return all.filter(({ orgId }) => organizations.has(orgId));
}

async function save(tx: Transaction, batch: Finished[]): Promise<void> {
  const written = await inEachOrganization(batch, async (orgId, own) => {
    const ids = await completeAttempts(tx, orgId, own);
    return own.filter(({ id }) => ids.has(id));
  });
  // Always in the same order, so that two workers never deadlock.
  const inOrder = written.flat().toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1));
  await inEachOrganization(inOrder, async (orgId, own) => {
    const updates = updatesOf(own);
    if (updates.length > 0) await updateWebhooks(tx, orgId, updates);
  });
}

/** Sends deliveries and collects the results to save. `full` has webhooks that cannot send more, until a time. */
function createSender(program: DeliveryProgram, stopping: AbortSignal) {
  const queue = createQueue();
  const breaker = createCircuitBreaker();
  const underWay = new Set<Promise<void>>();
  const finished: Finished[] = [];
  const full = new Map<string, number>();

  async function send(delivery: QueuedDelivery): Promise<void> {
    const startedAt = program.clock.now();
    const sent = await sendOnce(program, delivery, stopping);
    const now = program.clock.now();
    const { hostname } = new URL(delivery.url);
    if (sent.isReached !== null) breaker.note(hostname, sent.isReached, now);
    const isOwnFault =
      sent.verdict.errorClass === 'internal' || (sent.isReached === false && breaker.isOpen(hostname, now));
    full.delete(delivery.webhookId);
    finished.push(finishedOf({ ...delivery, startedAt }, sent, isOwnFault, now));
    const isSuccess = sent.verdict.outcome === 'success';
    queue.noteEnd(delivery, isSuccess, now.getTime());
    if (isSuccess) sendNext(delivery.webhookId);
  }

  function sendNext(webhookId: string): void {
    for (const delivery of queue.take(webhookId, program.clock.now().getTime())) {
      const sending = send(delivery).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }

  function standingOf(webhookId: string): OwnStanding {
    const ended = finished.filter((attempt) => attempt.webhookId === webhookId).length;
    return { ...queue.standingOf(webhookId), ended };
  }

  return { queue, breaker, underWay, finished, full, sendNext, standingOf };
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  const { signal } = waited;
  await Promise.race([work, delay(milliseconds, undefined, { signal }).catch(() => {})]);
  waited.abort();
}

function finishedOf(
  delivery: ClaimedDelivery,
  { verdict, details }: Sent,
  isOwnFault: boolean,
  now: Date,
): Finished {
  const { reason } = delivery;
  const next = consequenceOf(delivery, { reason, isCounted: !isOwnFault }, verdict, {
    now,
    random: Math.random(),
  });
  const { retryAfter: _, ...saved } = verdict;
  // A delivered event stays delivered. A failed resend shows only in its attempts.
  const isShown =
    verdict.outcome === 'success' || (verdict.outcome === 'failure' && next.status !== 'success');
  return { ...delivery, ...next, ...saved, ...details, endedAt: now, isShown };
}
