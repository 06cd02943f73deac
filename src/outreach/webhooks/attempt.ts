import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import type { ClaimedDelivery } from './claim.queries.ts';
import type { FinishedAttempt } from './deliver.queries.ts';
import { verdictOf, type Verdict } from './outcome.ts';
import { signedHeaders, signingSecrets } from './signing.ts';

const deadlineMilliseconds = 30_000;

type Sender = Pick<Program, 'clock' | 'vault' | 'egress' | 'telemetry'> & { log: Pick<Logger, 'error'> };

/** `isReached` is null if the attempt does not show whether the host was reached. */
export type Sent = { verdict: Verdict; details: Details; isReached: boolean | null };
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

/** Makes one attempt. Never throws: our own fault is a failure of the class `internal`. */
export function sendOnce(program: Sender, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Sent> {
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

async function attempt(program: Sender, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Sent> {
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
    // Our own fault, such as a secret that another key encrypted.
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
