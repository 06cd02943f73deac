import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import type { FinishedAttempt, WebhookNews } from './deliver.queries.ts';

/** Where a delivery stands before an attempt has ended. */
type Standing = {
  status: 'pending' | 'success' | 'failed' | 'held';
  automaticAttempts: number;
  /** When its next automatic attempt is due, or was when this one began; null when none is to come. */
  dueAt: Date | null;
};

/** How an attempt went: delivered, failed, or not known, such as when it was called off. */
export type Verdict = {
  outcome: 'success' | 'failure' | 'unknown';
  responseCode: number | null;
  errorClass: string | null;
  message: string | null;
  retryAfter: string | null;
};

type Consequence = Standing & {
  /** Whether the delivery has used up its automatic attempts with this one. */
  isExhausted: boolean;
};

const minute = 60_000;
/** Of the automatic attempts. */
const retries: RetrySchedule = {
  delaysMilliseconds: [minute, 5 * minute, 30 * minute, 120 * minute],
  maxJitter: 0.1,
  maxAskedMilliseconds: 120 * minute,
};
const againSoonMilliseconds = minute;

/** What an answer, or the lack of one, means: only a 2xx says that the event has arrived. */
export function verdictOf(outcome: EgressOutcome): Verdict {
  if (outcome.kind === 'failure') {
    const { errorClass, message } = outcome;
    return {
      outcome: errorClass === 'aborted' ? 'unknown' : 'failure',
      responseCode: null,
      errorClass,
      message: storableText(message),
      retryAfter: null,
    };
  }
  const { statusCode: responseCode, locationHost, retryAfter, note } = outcome;
  if (responseCode >= 200 && responseCode < 300) {
    const message = note === null ? null : storableText(`the body broke off: ${note}`);
    return { outcome: 'success', responseCode, errorClass: null, message, retryAfter: null };
  }
  const message = locationHost
    ? `answered ${responseCode}, a redirect to ${locationHost}, which is not followed`
    : `answered ${responseCode}`;
  return {
    outcome: 'failure',
    responseCode,
    errorClass: 'http_status',
    message: storableText(message),
    retryAfter,
  };
}

/**
 * What follows from an attempt. The five automatic ones are each due some time after the end of the one before; a
 * `Retry-After` can make that later, by two hours at most. Attempts asked for by hand, and those whose outcome is not
 * known or not the receiver's doing (`isCounted` false), use none of them up.
 */
export function consequenceOf(
  standing: Standing,
  { reason, isCounted }: { reason: 'schedule' | 'resend'; isCounted: boolean },
  { outcome, retryAfter }: Verdict,
  { now, random }: { now: Date; random: number },
): Consequence {
  const { status, automaticAttempts, dueAt } = standing;
  if (outcome === 'unknown') {
    return { status, automaticAttempts, dueAt: reason === 'schedule' ? now : dueAt, isExhausted: false };
  }
  if (reason === 'resend') {
    if (outcome === 'success')
      return { status: 'success', automaticAttempts, dueAt: null, isExhausted: false };
    const next = status === 'pending' && dueAt === null ? 'failed' : status;
    return { status: next, automaticAttempts, dueAt, isExhausted: false };
  }
  if (outcome === 'failure' && !isCounted) {
    const soon = new Date(now.getTime() + againSoonMilliseconds);
    return { status, automaticAttempts, dueAt: soon, isExhausted: false };
  }
  const used = automaticAttempts + 1;
  if (outcome === 'success') {
    return { status: 'success', automaticAttempts: used, dueAt: null, isExhausted: false };
  }
  const askedMilliseconds = millisecondsAsked(retryAfter, now);
  const next = nextAttemptAt(retries, { failures: used, now, random, askedMilliseconds });
  return {
    status: next ? status : 'failed',
    automaticAttempts: used,
    dueAt: next,
    isExhausted: next === null,
  };
}

/** `Retry-After` as milliseconds from now: whole seconds or an HTTP date (RFC 9110, section 10.2.3); else 0. */
function millisecondsAsked(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const date = /^[a-z]{3}/i.test(retryAfter.trim()) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}

const maxMessageLength = 500;

/** PostgreSQL takes no NUL in text. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').slice(0, maxMessageLength);
}

type Ended = Pick<FinishedAttempt, 'orgId' | 'webhookId' | 'endedAt' | 'responseCode' | 'outcome'> & {
  isExhausted: boolean;
};

/**
 * What attempts mean for their webhooks, one piece of news each. A delivery that has used up its attempts makes its
 * webhook fail, and the first 2xx ends that; of both the later one counts.
 */
export function newsOf(attempts: readonly Ended[]): WebhookNews[] {
  const known = attempts.filter(({ outcome }) => outcome !== 'unknown');
  return [...Map.groupBy(known, ({ orgId, webhookId }) => `${orgId}/${webhookId}`).values()].map(
    (ofWebhook) => {
      const inOrder = ofWebhook.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime());
      const { orgId, webhookId, endedAt, responseCode, outcome: last } = inOrder.at(-1)!;
      const decisive = inOrder.findLast(({ outcome, isExhausted }) => outcome === 'success' || isExhausted);
      return {
        orgId,
        webhookId,
        lastDeliveryAt: endedAt,
        lastDeliveryStatus: last === 'success' ? 'success' : 'failed',
        lastResponseCode: responseCode,
        isFailing: decisive ? decisive.isExhausted : null,
      };
    },
  );
}
