import type { Subscribers } from '../../context.ts';
import { orderedId } from '../../platform/lib/ids.ts';
import { insertDeliveries } from './deliveries.queries.ts';
import { findSubscribed } from './queries.ts';

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
