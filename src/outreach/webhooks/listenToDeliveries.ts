import type { Context } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { getWebhook } from './getWebhook.ts';
import { findDeliveriesSince, findWebhookIdOf } from './listen.queries.ts';
import type { DeliveryWithBody } from './queries.ts';
import { signingSecrets } from './secrets.ts';
import { signedHeaders } from './sign.ts';

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
      ...{ from, without: [...seen.keys()], limit: atOnce },
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
    ...{ deliveryId: delivery.id, eventId: delivery.eventId, event: delivery.event },
    ...{ attempt: 1, body, now },
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
