import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { DeliveryWithBody, WebhookRow } from './queries.ts';

type Wanted = { from: Date; until?: Date; event?: string; without: string[]; limit: number };

/** Those made from `from` to `until`, oldest first, without the ones named and those whose text is no longer kept. */
export function findDeliveriesSince(
  db: Database,
  { orgId, id }: WebhookRow,
  { from, until, event, without, limit }: Wanted,
): Promise<DeliveryWithBody[]> {
  let found = db
    .selectFrom('deliveries')
    .innerJoin('events', (join) =>
      join.onRef('events.orgId', '=', 'deliveries.orgId').onRef('events.id', '=', 'deliveries.eventId'),
    )
    .selectAll('deliveries')
    .select('events.body')
    .where('deliveries.orgId', '=', orgId)
    .where('deliveries.webhookId', '=', id)
    .where('deliveries.createdAt', '>=', from)
    .where('events.body', 'is not', null)
    .where(sql<boolean>`deliveries.id <> all(${without}::text[])`);
  if (until) found = found.where('deliveries.createdAt', '<=', until);
  if (event !== undefined) found = found.where('deliveries.event', '=', event);
  return found.orderBy('deliveries.createdAt').orderBy('deliveries.id').limit(limit).execute();
}

/** Whose a delivery is, of the organization's webhooks. */
export async function findWebhookIdOf(
  db: Database,
  orgId: string,
  deliveryId: string,
): Promise<string | undefined> {
  const delivery = await db
    .selectFrom('deliveries')
    .select('webhookId')
    .where('orgId', '=', orgId)
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  return delivery?.webhookId;
}
