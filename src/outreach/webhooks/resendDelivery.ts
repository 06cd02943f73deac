import type { Context } from '../../context.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { askForResend, findDelivery, type DeliveryRow } from './queries.ts';
import { webhookToChange } from './updateWebhook.ts';

/** Has a delivery sent once more, soon; its automatic attempts stay as they are. */
export async function resendDelivery(ctx: Context, webhookId: string, id: string): Promise<DeliveryRow> {
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, webhookId);
    const delivery = await findDelivery(tx, webhook, id);
    if (!delivery) throw notFound('delivery');
    if (delivery.body === null) {
      const message = 'The body of this delivery is no longer kept, so it cannot be sent again.';
      throw new PublicError('conflict', 'body_gone', message);
    }
    const asked = await askForResend(tx, delivery, ctx.clock.now());
    await recordAudit(tx, ctx, 'delivery.resend', id, { webhook_id: webhook.id });
    return asked;
  });
}
