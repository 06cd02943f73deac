import type { Context } from '../../context.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { changeWebhook, type WebhookRow } from './queries.ts';
import { chooseSecret, rotatedSecrets } from './secrets.ts';
import { webhookToChange } from './updateWebhook.ts';

export type RotatedWebhook = { webhook: WebhookRow; secret: string; promoteAt: Date; warnings: string[] };

/**
 * Gives the webhook a next secret, which signs beside the present one for a day and then takes its place. Answers the
 * next one, which is not shown again.
 */
export async function rotateSecret(ctx: Context, id: string, given?: string): Promise<RotatedWebhook> {
  const now = ctx.clock.now();
  const next = chooseSecret(given);
  return ctx.db.transaction().execute(async (tx) => {
    const row = await webhookToChange(tx, ctx, id);
    const columns = rotatedSecrets(ctx.vault, row, next, now);
    const webhook = await changeWebhook(tx, row, { ...columns, updatedAt: now });
    const { promoteAt } = columns;
    await recordAudit(tx, ctx, 'webhook.rotate_secret', id, { promote_at: promoteAt.toISOString() });
    return { webhook, secret: next.text, promoteAt, warnings: next.warnings };
  });
}
