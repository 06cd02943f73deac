import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

/** A webhook with when its next attempt is due; null when none is to come. */
export type WebhookRow = Selectable<Tables['webhooks']> & { nextAttemptAt: Date | null };
export type DeliveryRow = Selectable<Tables['deliveries']>;
export type AttemptRow = Selectable<Tables['deliveryAttempts']>;

const nextAttempt = sql<Date | null>`(
  select d.next_at from deliveries d
  where d.org_id = webhooks.org_id and d.webhook_id = webhooks.id and d.next_at is not null and d.lease is null
  order by d.next_at
  limit 1
)`.as('nextAttemptAt');

export async function insertWebhook(
  tx: Transaction,
  row: Insertable<Tables['webhooks']>,
): Promise<WebhookRow> {
  return tx
    .insertInto('webhooks')
    .values(row)
    .returningAll()
    .returning(nextAttempt)
    .executeTakeFirstOrThrow();
}

export async function countWebhooks(db: Database, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findWebhooks(db: Database, orgId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .select(nextAttempt)
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export function findWebhook(db: Database, orgId: string, id: string): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .select(nextAttempt)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Keeps others from changing or deleting it until the transaction ends. */
export function findWebhookToChange(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return tx
    .selectFrom('webhooks')
    .selectAll()
    .select(nextAttempt)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function changeWebhook(
  tx: Transaction,
  { orgId, id }: Pick<WebhookRow, 'orgId' | 'id'>,
  changes: Updateable<Tables['webhooks']>,
): Promise<WebhookRow> {
  return tx
    .updateTable('webhooks')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .returning(nextAttempt)
    .executeTakeFirstOrThrow();
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
  { orgId, id }: WebhookRow,
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
  { orgId, id }: WebhookRow,
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

/** Has nothing delivered for an organization any more; `pruneEvents` removes what is stored. */
export async function removeWebhooksOf(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await tx.updateTable('webhooks').set({ deletedAt: now }).where('orgId', '=', orgId).execute();
}

/** Seals the signing secrets again, with the key that seals now. */
export async function resealWebhooks(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const rows = await tx
    .selectFrom('webhooks')
    .select(['orgId', 'id', 'secret', 'nextSecret'])
    .forUpdate()
    .execute();
  for (const { orgId, id, secret, nextSecret } of rows) {
    await tx
      .updateTable('webhooks')
      .set({ secret: reseal(secret), nextSecret: nextSecret && reseal(nextSecret) })
      .where('orgId', '=', orgId)
      .where('id', '=', id)
      .execute();
  }
}
