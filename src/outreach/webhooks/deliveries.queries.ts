import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { Tables } from '../../tables.ts';

export type DeliveryRow = Selectable<Tables['deliveries']>;
export type AttemptRow = Selectable<Tables['deliveryAttempts']>;
type WebhookKey = { orgId: string; id: string };

type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'eventId' | 'event' | 'status' | 'createdAt' | 'dueAt'
>;

const newDeliveryColumns: Columns = {
  id: 'text',
  webhookId: 'text',
  eventId: 'text',
  event: 'text',
  status: 'text',
  createdAt: 'timestamptz',
  dueAt: 'timestamptz',
};

export async function insertDeliveries(
  tx: Transaction,
  orgId: string,
  deliveries: NewDelivery[],
): Promise<void> {
  await sql`
    insert into deliveries (org_id, id, webhook_id, event_id, event, status, created_at, due_at)
    ${unnestRows(orgId, deliveries, newDeliveryColumns)}
  `.execute(tx);
}

export async function insertDelivery(
  tx: Transaction,
  row: Insertable<Tables['deliveries']>,
): Promise<DeliveryRow> {
  return tx.insertInto('deliveries').values(row).returningAll().executeTakeFirstOrThrow();
}

export type DeliveryFilter = { event?: string; status?: DeliveryRow['status'] };

/** A webhook's deliveries, newest first, and how many there are. */
export async function findDeliveries(
  db: Database,
  { orgId, id }: WebhookKey,
  filter: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  let ofWebhook = db.selectFrom('deliveries').where('orgId', '=', orgId).where('webhookId', '=', id);
  if (filter.event !== undefined) ofWebhook = ofWebhook.where('event', '=', filter.event);
  if (filter.status !== undefined) ofWebhook = ofWebhook.where('status', '=', filter.status);
  const { total } = await ofWebhook
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const deliveries = await ofWebhook
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { deliveries, total: Number(total) };
}

/** A delivery with its event's text, which is null when it is no longer kept. */
export type DeliveryWithBody = DeliveryRow & { body: string | null };

export function findDelivery(
  db: Database,
  { orgId, id }: WebhookKey,
  deliveryId: string,
): Promise<DeliveryWithBody | undefined> {
  return db
    .selectFrom('deliveries')
    .innerJoin('events', (join) =>
      join.onRef('events.orgId', '=', 'deliveries.orgId').onRef('events.id', '=', 'deliveries.eventId'),
    )
    .selectAll('deliveries')
    .select('events.body')
    .where('deliveries.orgId', '=', orgId)
    .where('deliveries.webhookId', '=', id)
    .where('deliveries.id', '=', deliveryId)
    .executeTakeFirst();
}

/** The latest attempts of a delivery, first to last. */
export async function findAttempts(
  db: Database,
  { orgId, id }: DeliveryRow,
  limit: number,
): Promise<AttemptRow[]> {
  const latest = await db
    .selectFrom('deliveryAttempts')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('deliveryId', '=', id)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return latest.toReversed();
}

/** Asks for one more attempt of a delivery, unless one has been asked for already. */
export async function askForResend(
  tx: Transaction,
  { orgId, id }: Pick<DeliveryRow, 'orgId' | 'id'>,
  now: Date,
): Promise<DeliveryRow> {
  return (
    tx
      .updateTable('deliveries')
      // One that is asked for while another is under way is another.
      .set({
        resendAt: sql`case when lease is null then coalesce(resend_at, ${now}) else ${now} end`,
      })
      .where('orgId', '=', orgId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  );
}

type Wanted = { from: Date; until?: Date; event?: string; without: string[]; limit: number };

/** Those made from `from` to `until`, oldest first, without the ones named and those whose text is no longer kept. */
export function findDeliveriesSince(
  db: Database,
  { orgId, id }: WebhookKey,
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
