import type { Context } from '../../context.ts';
import { findHealthFigures, type HealthFigures, type WebhookRow } from './queries.ts';

export type WebhookHealth = HealthFigures & { statusReason: string; successRate: number | null };

/** How a webhook is doing, and one sentence on why it has its status. */
export async function getHealth({ db }: Pick<Context, 'db'>, webhook: WebhookRow): Promise<WebhookHealth> {
  const figures = await findHealthFigures(db, webhook);
  const { success, failed } = figures.counts;
  const ended = success + failed;
  return {
    ...figures,
    statusReason: statusReason(webhook, figures),
    successRate: ended === 0 ? null : success / ended,
  };
}

/** Why the webhook has its status, or that all is well, as one sentence. */
function statusReason(
  { status, failingSince, lastDeliveryAt, lastDeliveryStatus }: WebhookRow,
  { counts, lastError }: Pick<HealthFigures, 'counts' | 'lastError'>,
): string {
  const error = lastError?.message ?? lastError?.errorClass ?? 'not known';
  if (status === 'paused') {
    const kept = counts.held === 1 ? '1 delivery is' : `${counts.held} deliveries are`;
    return `It was paused: ${kept} held, and sent oldest first once the status is active.`;
  }
  if (status === 'failing') {
    const since = failingSince ? ` since ${failingSince.toISOString()}` : '';
    return `It is failing${since}, when a delivery had failed all its attempts; the last error: ${sentence(error)}`;
  }
  if (!lastDeliveryAt) return 'All is well: nothing has been sent yet.';
  if (lastDeliveryStatus === 'failed' && lastError)
    return `It is active, but the last attempt failed: ${sentence(error)}`;
  return 'All is well: the last delivery was accepted.';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
