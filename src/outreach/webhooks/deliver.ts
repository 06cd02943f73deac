import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { claim, createCircuitBreaker } from './claim.ts';
import {
  completeAttempts,
  noteWebhookNews,
  type ClaimedDelivery,
  type FinishedAttempt,
} from './deliver.queries.ts';
import { consequenceOf, newsOf, verdictOf, type Verdict } from './outcome.ts';
import { signedHeaders, signingSecrets } from './signing.ts';

export type DeliveryProgram = Program & {
  log: Pick<Logger, 'warn' | 'error'>;
  /** How many deliveries this process has under way at a time. */
  webhookConcurrency: number;
};

export type Deliverer = {
  /** Notes what has ended, and begins what is due. Answers whether anything was begun or is still under way. */
  deliver: () => Promise<boolean>;
  /** How soon to look again: very soon while events come. */
  everyMilliseconds: () => number;
  /** Gives what is under way some seconds to end, and hands back the rest to whoever comes next. */
  stop: () => Promise<void>;
};

const deadlineMilliseconds = 30_000;
const lookAgainMilliseconds = { whileBusy: 20, whenQuiet: 250 };
const busyMilliseconds = 5_000;
const probeEveryMilliseconds = 2_000;
const maxStopMilliseconds = 5_000;

type Finished = FinishedAttempt & { isExhausted: boolean };

/**
 * Sends deliveries to their webhooks. Any number of processes may do so at once: each delivery is leased to one of them,
 * and one that dies leaves its deliveries to the others when the lease has run out.
 */
export function createDeliverer(program: DeliveryProgram): Deliverer {
  const underWay = new Set<Promise<void>>();
  const finished: Finished[] = [];
  const stopping = new AbortController();
  const breaker = createCircuitBreaker();
  /** Webhooks that have as many under way as they may, and until when that is taken for granted. */
  const full = new Map<string, { orgId: string; id: string; until: number }>();
  let nextProbeAt = 0;
  let lastBusyAt = -Infinity;

  async function claimMore(): Promise<ClaimedDelivery[]> {
    const now = program.clock.now().getTime();
    const places = Math.max(0, program.webhookConcurrency - underWay.size);
    const known = [...full.values()].filter(({ until }) => until > performance.now());
    const found = await claim(program, { breaker, places, isProbe: now >= nextProbeAt, full: known });
    if (found.hasProbed) nextProbeAt = now + probeEveryMilliseconds;
    const until = performance.now() + lookAgainMilliseconds.whenQuiet;
    // What has ended here and is not written down yet still counts in the database.
    const ended = new Set(finished.map(({ webhookId }) => webhookId));
    for (const { orgId, id } of found.full) if (!ended.has(id)) full.set(id, { orgId, id, until });
    return found.claimed;
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const sent = await attempt(program, delivery, stopping.signal);
    const now = program.clock.now();
    const { hostname } = new URL(delivery.url);
    if (sent.isReached !== null) breaker.note(hostname, sent.isReached, now);
    const isOurs =
      sent.verdict.errorClass === 'internal' || (sent.isReached === false && breaker.isOpen(hostname, now));
    full.delete(delivery.webhookId);
    finished.push(finishedOf(delivery, sent, isOurs, now));
  }

  function begin(delivery: ClaimedDelivery): void {
    const sending = send(delivery).finally(() => underWay.delete(sending));
    underWay.add(sending);
  }

  async function writeDown(): Promise<void> {
    const batch = finished.splice(0);
    if (batch.length === 0) return;
    try {
      await program.db.transaction().execute(async (tx) => {
        const written = await completeAttempts(tx, batch);
        const news = newsOf(batch.filter(({ id }) => written.has(id)));
        if (news.length > 0) await noteWebhookNews(tx, news);
      });
    } catch (error) {
      // The database may come back before the lease runs out.
      finished.unshift(...batch);
      throw error;
    }
  }

  return {
    deliver: async () => {
      await writeDown();
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
      await writeDown();
    },
  };
}

/** Waits for the work, but no longer than that. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  const { signal } = waited;
  await Promise.race([work, delay(milliseconds, undefined, { signal }).catch(() => {})]);
  waited.abort();
}

/** What to write down of an attempt; `isOurs` where it failed for a fault of our own. */
function finishedOf(
  delivery: ClaimedDelivery,
  { verdict, details }: Sent,
  isOurs: boolean,
  now: Date,
): Finished {
  const { reason } = delivery;
  const next = consequenceOf(delivery, { reason, isCounted: !isOurs }, verdict, {
    now,
    random: Math.random(),
  });
  const { retryAfter: _, ...noted } = verdict;
  // What has arrived has arrived: a resend of it that fails is in its log alone.
  const isShown =
    verdict.outcome === 'success' || (verdict.outcome === 'failure' && next.status !== 'success');
  return { ...delivery, ...next, ...noted, ...details, endedAt: now, isShown };
}

/** `isReached`: whether the receiver is there; null where that is not known. */
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

/** Sends a delivery once. */
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
    // A fault of ours, such as a secret that was sealed with another key: the receiver is not to blame.
    program.log.error({ err: error as Error, delivery: delivery.id }, 'a delivery could not be sent');
    const verdict: Verdict = {
      outcome: 'failure',
      responseCode: null,
      errorClass: 'internal',
      message: 'it could not be sent; see the log of the server',
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
