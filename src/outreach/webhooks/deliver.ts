import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { claim, createCircuitBreaker } from './claim.ts';
import {
  completeAttempts,
  updateWebhooks,
  type ClaimedDelivery,
  type FinishedAttempt,
} from './deliver.queries.ts';
import { consequenceOf, updatesOf, verdictOf, type Verdict } from './outcome.ts';
import { signedHeaders, signingSecrets } from './signing.ts';

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

const deadlineMilliseconds = 30_000;
const lookAgainMilliseconds = { whileBusy: 20, whenQuiet: 250 };
const busyMilliseconds = 5_000;
const probeEveryMilliseconds = 2_000;
const maxStopMilliseconds = 5_000;

type Finished = FinishedAttempt & { isExhausted: boolean };

/**
 * Sends deliveries. Any number of processes can run this: each delivery is leased to one of them, and others take over
 * when a lease expires.
 */
export function createDeliverer(program: DeliveryProgram): Deliverer {
  const underWay = new Set<Promise<void>>();
  const finished: Finished[] = [];
  const stopping = new AbortController();
  const breaker = createCircuitBreaker();
  const full = new Map<string, { orgId: string; id: string; until: number }>();
  let nextProbeAt = 0;
  let lastBusyAt = -Infinity;

  async function claimMore(): Promise<ClaimedDelivery[]> {
    const now = program.clock.now().getTime();
    const places = Math.max(0, program.webhookConcurrency - underWay.size);
    const known = [...full.values()].filter(({ until }) => until > performance.now());
    const claimed = program.telemetry.metrics.claimSeconds.startTimer({ queue: 'deliveries' });
    const found = await claim(program, { breaker, places, isProbe: now >= nextProbeAt, full: known });
    if (found.claimed.length > 0) claimed();
    if (found.hasProbed) nextProbeAt = now + probeEveryMilliseconds;
    const until = performance.now() + lookAgainMilliseconds.whenQuiet;
    // Attempts that ended here but are not saved still count in the database.
    const ended = new Set(finished.map(({ webhookId }) => webhookId));
    for (const { orgId, id } of found.full) if (!ended.has(id)) full.set(id, { orgId, id, until });
    return found.claimed;
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const sent = await traced(program, delivery, stopping.signal);
    const now = program.clock.now();
    const { hostname } = new URL(delivery.url);
    if (sent.isReached !== null) breaker.note(hostname, sent.isReached, now);
    const isOwnFault =
      sent.verdict.errorClass === 'internal' || (sent.isReached === false && breaker.isOpen(hostname, now));
    full.delete(delivery.webhookId);
    finished.push(finishedOf(delivery, sent, isOwnFault, now));
  }

  function begin(delivery: ClaimedDelivery): void {
    const sending = send(delivery).finally(() => underWay.delete(sending));
    underWay.add(sending);
  }

  async function saveFinished(): Promise<void> {
    const batch = finished.splice(0);
    if (batch.length === 0) return;
    try {
      await program.db.transaction().execute(async (tx) => {
        const written = await completeAttempts(tx, batch);
        const updates = updatesOf(batch.filter(({ id }) => written.has(id)));
        if (updates.length > 0) await updateWebhooks(tx, updates);
      });
    } catch (error) {
      finished.unshift(...batch);
      throw error;
    }
  }

  return {
    deliver: async () => {
      await saveFinished();
      if (stopping.signal.aborted) return false;
      const claimed = await claimMore();
      for (const delivery of claimed) begin(delivery);
      if (claimed.length > 0) lastBusyAt = performance.now();
      if (claimed.length > 0 || finished.length > 0) return true;
      if (underWay.size === 0) return false;
      await atMost(lookAgainMilliseconds.whileBusy, Promise.race(underWay));
      return true;
    },
    everyMilliseconds: () =>
      performance.now() - lastBusyAt < busyMilliseconds
        ? lookAgainMilliseconds.whileBusy
        : lookAgainMilliseconds.whenQuiet,
    stop: async () => {
      await atMost(maxStopMilliseconds, Promise.all(underWay));
      stopping.abort();
      await Promise.all(underWay);
      await saveFinished();
    },
  };
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
  // A delivered event stays delivered: a failed resend shows only in its attempts.
  const isShown =
    verdict.outcome === 'success' || (verdict.outcome === 'failure' && next.status !== 'success');
  return { ...delivery, ...next, ...saved, ...details, endedAt: now, isShown };
}

/** `isReached` is null if the attempt says nothing about it. */
type Sent = { verdict: Verdict; details: Details; isReached: boolean | null };
const unreached = ['dns', 'connect', 'timeout', 'reset'];
type Details = Pick<
  FinishedAttempt,
  'dnsMs' | 'connectMs' | 'tlsMs' | 'firstByteMs' | 'totalMs' | 'responseBody' | 'responseTruncated'
>;

const noDetails: Details = {
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  totalMs: null,
  responseBody: null,
  responseTruncated: null,
};

function traced(program: DeliveryProgram, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Sent> {
  const { metrics, tracing } = program.telemetry;
  const attributes = {
    'runcost.organization': delivery.orgId,
    'runcost.delivery': delivery.id,
    'runcost.event': delivery.event,
  };
  return tracing.inSpan('deliver webhook', { kind: 'CLIENT', attributes, parent: null }, async (span) => {
    const sent = await attempt(program, delivery, signal);
    const { outcome, responseCode, errorClass } = sent.verdict;
    span.setAttributes({
      'runcost.outcome': outcome,
      ...(responseCode === null ? {} : { 'http.response.status_code': responseCode }),
      ...(errorClass === null ? {} : { 'error.type': errorClass }),
    });
    metrics.deliveryAttempts.inc({ outcome });
    return sent;
  });
}

async function attempt(
  program: DeliveryProgram,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const body = Buffer.from(delivery.body);
    const now = program.clock.now();
    const outcome = await program.egress.post({
      url: delivery.url,
      headers: signedHeaders({
        deliveryId: delivery.id,
        eventId: delivery.eventId,
        event: delivery.event,
        attempt: delivery.number,
        body,
        now,
        secrets: signingSecrets(program.vault, delivery, now),
      }),
      body,
      timeoutMilliseconds: deadlineMilliseconds,
      signal,
    });
    const isAway = outcome.kind === 'failure' && unreached.includes(outcome.errorClass);
    return {
      verdict: verdictOf(outcome),
      details: detailsOf(outcome),
      isReached: outcome.kind === 'answer' || (isAway ? false : null),
    };
  } catch (error) {
    // Our own fault, such as a secret encrypted with another key.
    const { id, orgId } = delivery;
    program.log.error(
      { err: error as Error, organization: orgId, delivery: id },
      'could not send a delivery',
    );
    const verdict: Verdict = {
      outcome: 'failure',
      responseCode: null,
      errorClass: 'internal',
      message: "could not be sent; see the server's log",
      retryAfter: null,
    };
    return { verdict, details: noDetails, isReached: null };
  }
}

function detailsOf(outcome: EgressOutcome): Details {
  const { times } = outcome;
  return {
    dnsMs: times.dnsMilliseconds,
    connectMs: times.connectMilliseconds,
    tlsMs: times.tlsMilliseconds,
    firstByteMs: times.firstByteMilliseconds,
    totalMs: times.totalMilliseconds,
    responseBody: outcome.kind === 'answer' ? outcome.body : null,
    responseTruncated: outcome.kind === 'answer' ? outcome.truncated : null,
  };
}
