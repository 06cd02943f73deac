import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { EventKind } from '../../events/eventTypes.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { hostOf, requireCallable } from './createWebhook.ts';
import { changeWebhook, findWebhookToChange, type WebhookRow } from './queries.ts';
import { cancelRunningResends } from './resends.queries.ts';

export type WebhookChanges = {
  url?: string;
  events?: EventKind[];
  status?: WebhookRow['status'];
  secret?: unknown;
};

type Changed = Partial<Pick<WebhookRow, 'url' | 'events' | 'status'>>;

/** Changes what is given and different. Deliveries that wait go to the new URL, signed as from now on. */
export async function updateWebhook(ctx: Context, id: string, changes: WebhookChanges): Promise<WebhookRow> {
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    if ('secret' in changes) {
      throw invalid('body.secret', `cannot be changed here: use POST /api/v1/webhooks/${id}/rotate-secret`);
    }
    const changed = differing(webhook, changes);
    if (Object.keys(changed).length === 0) return webhook;
    if (changed.url !== undefined) requireCallable(ctx, changed.url);
    if (changed.status === 'failing') {
      throw invalid('body.status', 'must be active or paused: failing is what failed deliveries make it');
    }
    const next = await changeWebhook(tx, webhook, {
      ...changed,
      ...(changed.status === 'active' ? { failingSince: null } : {}),
      updatedAt: ctx.clock.now(),
    });
    const { url, ...shown } = changed;
    await recordAudit(
      tx,
      ctx,
      'webhook.update',
      id,
      url === undefined ? shown : { host: hostOf(url), ...shown },
    );
    return next;
  });
}

/** Takes the webhook away for everybody, from now on; what is under way to it ends with its attempt. */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    const now = ctx.clock.now();
    await changeWebhook(tx, webhook, { deletedAt: now });
    await cancelRunningResends(tx, webhook, now);
    await recordAudit(tx, ctx, 'webhook.delete', id, { host: hostOf(webhook.url) });
  });
}

/** The webhook, which nobody else changes or deletes until the transaction ends. Throws where there is none. */
export async function webhookToChange(
  tx: Transaction,
  { actor }: Pick<Context, 'actor'>,
  id: string,
): Promise<WebhookRow> {
  const webhook = await findWebhookToChange(tx, actor.orgId, id);
  if (!webhook) throw notFound('webhook');
  return webhook;
}

function differing(webhook: WebhookRow, { url, events, status }: WebhookChanges): Changed {
  return {
    ...(url === undefined || url === webhook.url ? {} : { url }),
    ...(events === undefined || isDeepStrictEqual(events, webhook.events) ? {} : { events }),
    ...(status === undefined || status === webhook.status ? {} : { status }),
  };
}
