import type { Context } from '../../context.ts';
import { pingKind } from '../../events/eventTypes.ts';
import { recordPing } from '../../events/recordEvent.ts';
import { orderedId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { insertDelivery, type DeliveryRow } from './queries.ts';
import { webhookToChange } from './updateWebhook.ts';

/** Has one test event sent to the webhook, once, whatever its status and the events it wants. */
export async function pingWebhook(ctx: Context, id: string): Promise<DeliveryRow> {
  const { orgId } = ctx.actor;
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    const eventId = await recordPing(tx, { orgId, now }, { webhook_id: webhook.id });
    const delivery = await insertDelivery(tx, {
      orgId,
      id: orderedId('del', now),
      webhookId: webhook.id,
      eventId,
      event: pingKind,
      status: 'pending',
      createdAt: now,
      // As if asked for by hand: it is tried once, and also while the webhook is paused.
      resendAt: now,
    });
    await recordAudit(tx, ctx, 'webhook.ping', webhook.id, { delivery_id: delivery.id });
    return delivery;
  });
}
