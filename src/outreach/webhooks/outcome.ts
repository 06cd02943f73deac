import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import type { FinishedAttempt, WebhookUpdate } from './deliver.queries.ts';

type Standing = {
  status: 'pending' | 'success' | 'failed' | 'held';
  automaticAttempts: number;
  dueAt: Date | null;
};

export type Verdict = {
  outcome: 'success' | 'failure' | 'unknown';
  responseCode: number | null;
  errorClass: string | null;
  message: string | null;
  retryAfter: string | null;
};

type Consequence = Standing & {
  isExhausted: boolean;
};

const minute = 60_000;
const retries: RetrySchedule = {
  delaysMilliseconds: [minute, 5 * minute, 30 * minute, 120 * minute],
  maxJitter: 0.1,
  maxAskedMilliseconds: 120 * minute,
};
const againSoonMilliseconds = minute;

/** Only a 2xx means that the event arrived. */
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
    const message = note === null ? null : storableText(`the response body broke off: ${note}`);
    return { outcome: 'success', responseCode, errorClass: null, message, retryAfter: null };
  }
  const message = locationHost
    ? `answered ${responseCode} with a redirect to ${locationHost}, which we do not follow`
    : `answered ${responseCode}`;
  return {
    outcome: 'failure',
    responseCode,
    errorClass: 'http_status',
    message: storableText(message),
    retryAfter,
  };
}

/** `Retry-After` delays by up to two hours. What is not counted uses up no automatic attempt. */
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

/** Milliseconds from now, from whole seconds or an HTTP date (RFC 9110, section 10.2.3); otherwise 0. */
function millisecondsAsked(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const date = /^[a-z]{3}/i.test(retryAfter.trim()) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}

const maxMessageLength = 500;

/** PostgreSQL accepts no NUL in text. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').slice(0, maxMessageLength);
}

type Ended = Pick<FinishedAttempt, 'webhookId' | 'endedAt' | 'responseCode' | 'outcome'> & {
  isExhausted: boolean;
};

/** Of one organization. A delivery without attempts left makes its webhook failing, the next 2xx ends that. The later decides. */
export function updatesOf(attempts: readonly Ended[]): WebhookUpdate[] {
  const known = attempts.filter(({ outcome }) => outcome !== 'unknown');
  return [...Map.groupBy(known, ({ webhookId }) => webhookId)].map(([webhookId, ofWebhook]) => {
    const inOrder = ofWebhook.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime());
    const { endedAt, responseCode, outcome: last } = inOrder.at(-1)!;
    const decisive = inOrder.findLast(({ outcome, isExhausted }) => outcome === 'success' || isExhausted);
    return {
      webhookId,
      lastDeliveryAt: endedAt,
      lastDeliveryStatus: last === 'success' ? 'success' : 'failed',
      lastResponseCode: responseCode,
      isFailing: decisive ? decisive.isExhausted : null,
    };
  });
}
