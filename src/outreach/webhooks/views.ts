import type { AttemptRow, DeliveryRow } from './deliveries.queries.ts';
import type { DetailedDelivery } from './deliveries.ts';
import type { ListedWebhookRow, WebhookRow } from './queries.ts';
import type { ResendRow } from './resends.queries.ts';
import { shownSecrets } from './signing.ts';
import type { CreatedWebhook, RotatedWebhook, WebhookHealth } from './webhooks.ts';

/** After the promotion of the next secret, the view has its prefix. */
export function webhookView(webhook: WebhookRow, now: Date) {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    secret_prefix: shownSecrets(webhook, now).secretPrefix,
    last_delivery_at: webhook.lastDeliveryAt,
    last_delivery_status: webhook.lastDeliveryStatus,
    last_response_code: webhook.lastResponseCode,
    next_attempt_at: webhook.nextAttemptAt,
    failing_since: webhook.failingSince,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

export function listedWebhookView(webhook: ListedWebhookRow, now: Date) {
  return { ...webhookView(webhook, now), latest_deliveries: webhook.latestStatuses.toReversed() };
}

export function createdWebhookView({ webhook, secret, warnings }: CreatedWebhook) {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    secret,
    secret_prefix: webhook.secretPrefix,
    created_at: webhook.createdAt,
    warnings,
  };
}

export function rotatedWebhookView({ webhook, secret, promoteAt, warnings }: RotatedWebhook, now: Date) {
  return { ...webhookView(webhook, now), secret, promote_at: promoteAt, warnings };
}

export function detailedWebhookView(webhook: WebhookRow, health: WebhookHealth, now: Date) {
  const { rotation } = shownSecrets(webhook, now);
  const { lastError } = health;
  return {
    ...webhookView(webhook, now),
    rotation: rotation && {
      promote_at: rotation.promoteAt,
      next_secret_prefix: rotation.nextSecretPrefix,
    },
    health: {
      status_reason: health.statusReason,
      failing_since: webhook.failingSince,
      last_error: lastError && {
        error_class: lastError.errorClass,
        message: lastError.message,
        response_code: lastError.responseCode,
        at: lastError.at,
      },
      success_rate: health.successRate,
      deliveries: health.counts,
      oldest_undelivered_at: health.oldestUndeliveredAt,
      next_attempt_at: webhook.nextAttemptAt,
    },
  };
}

export function deliveryView(delivery: DeliveryRow) {
  return {
    id: delivery.id,
    event: delivery.event,
    status: delivery.status,
    response_code: delivery.responseCode,
    response_time_ms: delivery.responseTimeMs,
    delivered_at: delivery.deliveredAt,
    event_id: delivery.eventId,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAt,
    error_class: delivery.errorClass,
    created_at: delivery.createdAt,
  };
}

export function detailedDeliveryView({ delivery, attempts }: DetailedDelivery) {
  return { ...deliveryView(delivery), body: delivery.body, attempts_log: attempts.map(attemptView) };
}

function attemptView(attempt: AttemptRow) {
  return {
    number: attempt.number,
    reason: attempt.reason,
    outcome: attempt.outcome,
    started_at: attempt.startedAt,
    ended_at: attempt.endedAt,
    url: attempt.url,
    response_code: attempt.responseCode,
    error_class: attempt.errorClass,
    message: attempt.message,
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    total_ms: attempt.totalMs,
    response_body: attempt.responseBody && readableText(attempt.responseBody),
    response_truncated: attempt.responseTruncated,
  };
}

function readableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\u{FFFD}');
}

export function resendView(resend: ResendRow) {
  const [status = 'failed'] = resend.statuses as DeliveryRow['status'][];
  return {
    id: resend.id,
    status: resend.status,
    total: Number(resend.total),
    resent: Number(resend.resent),
    filter: { status, event: resend.events[0] ?? null, since: resend.since, until: resend.until },
    created_at: resend.createdAt,
    ended_at: resend.endedAt,
  };
}
