import { apiFields } from '../../platform/lib/apiFields.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.queries.ts';
import type { DetailedDelivery } from './deliveries.ts';
import type { ListedWebhookRow, WebhookRow } from './queries.ts';
import type { ResendRow } from './resends.queries.ts';
import { shownSecrets } from './signing.ts';
import type { CreatedWebhook, RotatedWebhook, WebhookHealth } from './webhooks.ts';

/** After the promotion of the next secret, the view has its prefix. */
export function webhookView(webhook: WebhookRow, now: Date) {
  const { secret: _, nextSecret: __, ...shown } = webhook;
  return { ...apiFields(shown), secret_prefix: shownSecrets(webhook, now).secretPrefix };
}

export function listedWebhookView(webhook: ListedWebhookRow, now: Date) {
  return { ...webhookView(webhook, now), latest_deliveries: webhook.latestStatuses.toReversed() };
}

export function createdWebhookView({ webhook, secret, warnings }: CreatedWebhook) {
  const { nextSecret: _, ...shown } = webhook;
  return { ...apiFields(shown), secret, warnings };
}

export function rotatedWebhookView({ webhook, secret, promoteAt, warnings }: RotatedWebhook, now: Date) {
  return { ...webhookView(webhook, now), secret, promote_at: promoteAt, warnings };
}

export function detailedWebhookView(webhook: WebhookRow, health: WebhookHealth, now: Date) {
  const { rotation } = shownSecrets(webhook, now);
  const { failingSince, nextAttemptAt } = webhook;
  return {
    ...webhookView(webhook, now),
    rotation: rotation && apiFields(rotation),
    health: {
      ...apiFields({ ...health, failingSince, nextAttemptAt }),
      last_error: health.lastError && apiFields(health.lastError),
      deliveries: health.counts,
    },
  };
}

export function deliveryView(delivery: DeliveryRow) {
  return { ...apiFields(delivery), next_attempt_at: delivery.nextAt };
}

export function detailedDeliveryView({ delivery, attempts }: DetailedDelivery) {
  return { ...deliveryView(delivery), body: delivery.body, attempts_log: attempts.map(attemptView) };
}

function attemptView(attempt: AttemptRow) {
  return {
    ...apiFields(attempt),
    response_body: attempt.responseBody && readableText(attempt.responseBody),
  };
}

function readableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\u{FFFD}');
}

export function resendView(resend: ResendRow) {
  const [status = 'failed'] = resend.statuses as DeliveryRow['status'][];
  const { since, until } = resend;
  return { ...apiFields(resend), filter: { status, event: resend.events[0] ?? null, since, until } };
}
