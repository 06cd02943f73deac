import type { Context, Subscribers } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { orderedId } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import {
  findAttempts,
  findDeliveries,
  findDeliveriesSince,
  findDelivery,
  findWebhookIdOf,
  insertDeliveries,
  type AttemptRow,
  type DeliveryFilter,
  type DeliveryRow,
  type DeliveryWithBody,
} from './deliveries.queries.ts';
import { findSubscribed } from './queries.ts';
import { askForResend } from './resends.queries.ts';
import { signedHeaders, signingSecrets } from './signing.ts';
import { getWebhook, webhookToChange } from './webhooks.ts';

/** Webhooks as those who are sent events: one delivery for each event and webhook that subscribed to its kind. */
export const webhookSubscribers: Subscribers = {
  isSubscribed: async (tx, orgId, kind) => (await findSubscribed(tx, orgId, kind)).length > 0,

  fanOut: async (tx, orgId, { kind, now, ids }) => {
    const webhooks = await findSubscribed(tx, orgId, kind);
    const deliveries = ids.flatMap((eventId) =>
      webhooks.map(({ id: webhookId, status }) => ({
        id: orderedId('del', now),
        webhookId,
        eventId,
        event: kind,
        status: status === 'paused' ? ('held' as const) : ('pending' as const),
        createdAt: now,
        dueAt: status === 'paused' ? null : now,
      })),
    );
    if (deliveries.length > 0) await insertDeliveries(tx, orgId, deliveries);
  },
};

type Reader = Pick<Context, 'db' | 'actor'>;

/** A delivery can be sent again any number of times. */
const maxAttemptsShown = 100;

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
export async function listDeliveries(
  ctx: Reader,
  webhookId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const webhook = await getWebhook(ctx, webhookId);
  return findDeliveries(ctx.db, webhook, filter, rowsOf(page));
}

export type DetailedDelivery = { delivery: DeliveryWithBody; attempts: AttemptRow[] };

/** One delivery, with what was sent and its latest attempts. */
export async function getDelivery(ctx: Reader, webhookId: string, id: string): Promise<DetailedDelivery> {
  const webhook = await getWebhook(ctx, webhookId);
  const delivery = await findDelivery(ctx.db, webhook, id);
  if (!delivery) throw notFound('delivery');
  return { delivery, attempts: await findAttempts(ctx.db, delivery, maxAttemptsShown) };
}

/** Sends a delivery once more, soon; its automatic attempts stay as they are. */
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

/** Answers deliveries that it has not answered before, oldest first; none where there is nothing new. */
type Listener = () => Promise<DeliveryWithBody[]>;

const atOnce = 100;
/** A delivery is dated before its transaction is committed, so a later one can be there first. */
const latestCommitMilliseconds = 30_000;

/** Listens to the deliveries of a webhook. Throws `PublicError` once there is no such webhook. */
export function listenToDeliveries(
  ctx: Pick<Context, 'db' | 'actor'>,
  webhookId: string,
  { since, ...others }: { since: Date; until?: Date; event?: string },
): Listener {
  let from = since;
  const seen = new Map<string, Date>();
  return async () => {
    const webhook = await getWebhook(ctx, webhookId);
    const found = await findDeliveriesSince(ctx.db, webhook, {
      ...others,
      from,
      without: [...seen.keys()],
      limit: atOnce,
    });
    for (const { id, createdAt } of found) seen.set(id, createdAt);
    const newest = found.at(-1)?.createdAt ?? from;
    from = new Date(Math.max(from.getTime(), newest.getTime() - latestCommitMilliseconds));
    for (const [id, createdAt] of seen) if (createdAt < from) seen.delete(id);
    return found;
  };
}

/** Sends a delivery's event to another URL, signed as for its webhook, and notes nothing of it. */
export async function forwardDelivery(
  { db, actor, vault, clock, egress }: Context,
  delivery: DeliveryWithBody,
  { url, signal }: { url: string; signal?: AbortSignal },
): Promise<EgressOutcome> {
  const webhook = await getWebhook({ db, actor }, delivery.webhookId);
  const body = Buffer.from(delivery.body ?? '');
  const now = clock.now();
  const headers = signedHeaders({
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    event: delivery.event,
    attempt: 1,
    body,
    now,
    secrets: signingSecrets(vault, webhook, now),
  });
  return egress.post({ url, headers, body, timeoutMilliseconds: 30_000, ...(signal ? { signal } : {}) });
}

/** The id of the webhook that a delivery is for. Throws `PublicError` where the organization has no such delivery. */
export async function getWebhookIdOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  deliveryId: string,
): Promise<string> {
  const webhookId = await findWebhookIdOf(db, actor.orgId, deliveryId);
  if (webhookId === undefined) throw notFound('delivery');
  return webhookId;
}
