import { randomId, timeOrderedUuid } from '../lib/ids.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { pingKind } from './eventKinds.ts';
import { insertDelivery, insertEvent, type DeliveryRow } from './queries.ts';
import { webhookToChange } from './updateWebhook.ts';

/** Has one test event sent to the webhook, once, whatever its status and the events it wants. */
export async function pingWebhook(ctx: Context, id: string): Promise<DeliveryRow> {
  const { orgId } = ctx.actor;
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    const eventId = `evt_${timeOrderedUuid(now).replaceAll('-', '')}`;
    const body = JSON.stringify({
      id: eventId,
      event: pingKind,
      timestamp: now,
      data: { webhook_id: webhook.id },
    });
    await insertEvent(tx, { orgId, id: eventId, kind: pingKind, createdAt: now, body });
    const delivery = await insertDelivery(tx, {
      orgId,
      id: randomId('del'),
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
