import { type RawBuilder, sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import { changeInEach } from '../../platform/work/claims.ts';
import { isHeld } from '../../platform/work/leases.ts';
import type { Tables } from '../../tables.ts';

export const deliveryRows = rowsIn('deliveries');

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

export async function hasDeliveryOf(
  db: Database,
  { orgId, id }: WebhookKey,
  event: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('deliveries')
    .select('id')
    .where((all) => all.and({ orgId, webhookId: id, event }))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export type DeliveryFilter = { event?: string; status?: DeliveryRow['status'] };

const sortColumns = {
  created_at: 'createdAt',
  event: 'event',
  status: 'status',
  attempts: 'attempts',
  response_time: 'responseTimeMs',
  next_attempt: 'nextAt',
} as const;
export type DeliveryOrder = { by: keyof typeof sortColumns; direction: 'asc' | 'desc' };

export async function findDeliveries(
  db: Database,
  { orgId, id }: WebhookKey,
  filter: DeliveryFilter,
  { by, direction, limit, offset }: DeliveryOrder & { limit: number; offset: number },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  let ofWebhook = db.selectFrom('deliveries').where((all) => all.and({ orgId, webhookId: id }));
  if (filter.event !== undefined) ofWebhook = ofWebhook.where('event', '=', filter.event);
  if (filter.status !== undefined) ofWebhook = ofWebhook.where('status', '=', filter.status);
  const { total } = await ofWebhook
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const deliveries = await ofWebhook
    .selectAll()
    // `created_at` is never null, and its index has no order of nulls.
    .$if(by !== 'created_at', (query) =>
      query.orderBy(sortColumns[by], (order) => order[direction]().nullsLast()),
    )
    .orderBy('createdAt', by === 'created_at' ? direction : 'desc')
    .orderBy('id', by === 'created_at' ? direction : 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { deliveries, total: Number(total) };
}

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
    .where((row) =>
      row.and({ 'deliveries.orgId': orgId, 'deliveries.webhookId': id, 'deliveries.id': deliveryId }),
    )
    .executeTakeFirst();
}

export async function findAttempts(
  db: Database,
  { orgId, id }: DeliveryRow,
  limit: number,
): Promise<AttemptRow[]> {
  const latest = await db
    .selectFrom('deliveryAttempts')
    .selectAll()
    .where((all) => all.and({ orgId, deliveryId: id }))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return latest.toReversed();
}

type Wanted = { from: Date; event?: string; without: string[]; limit: number };

export function findDeliveriesSince(
  db: Database,
  { orgId, id }: WebhookKey,
  { from, event, without, limit }: Wanted,
): Promise<DeliveryWithBody[]> {
  let found = db
    .selectFrom('deliveries')
    .innerJoin('events', (join) =>
      join.onRef('events.orgId', '=', 'deliveries.orgId').onRef('events.id', '=', 'deliveries.eventId'),
    )
    .selectAll('deliveries')
    .select('events.body')
    .where((all) => all.and({ 'deliveries.orgId': orgId, 'deliveries.webhookId': id }))
    .where('deliveries.createdAt', '>=', from)
    .where('events.body', 'is not', null)
    .where(sql<boolean>`deliveries.id <> all(${without}::text[])`);
  if (event !== undefined) found = found.where('deliveries.event', '=', event);
  return found.orderBy('deliveries.createdAt').orderBy('deliveries.id').limit(limit).execute();
}

export function holdDeliveries(db: Database, limit: number): Promise<number> {
  const waits = (orgId: RawBuilder<unknown>) => sql`
    org_id = ${orgId} and webhook_id = w.id and next_at is not null
      and status = 'pending' and due_at is not null and lease is null`;
  const isPaused = sql`w.status = 'paused' and w.deleted_at is null`;
  const due = sql`
    select org_id from webhooks w
    where ${isPaused} and (exists (select from deliveries where ${waits(sql`w.org_id`)})) is true
  `;
  const hold = (orgId: string) => sql`
    with waiting as (
      select d.id
      from webhooks w
      cross join lateral (
        select id from deliveries where ${waits(sql`${orgId}`)}
        limit ${limit}
        for update skip locked
      ) d
      where w.org_id = ${orgId} and ${isPaused}
      limit ${limit}
    )
    update deliveries d set status = 'held', due_at = null
    from waiting
    where d.org_id = ${orgId} and d.id = waiting.id
  `;
  return changeInEach(db, due, hold);
}

/** The oldest of each unpaused webhook, only while fewer than `each` are due. Returns their number. */
export function releaseDeliveries(
  db: Database,
  { now, each, limit }: { now: Date; each: number; limit: number },
): Promise<number> {
  const isHeldBack = (orgId: RawBuilder<unknown>) =>
    sql`org_id = ${orgId} and webhook_id = w.id and status = 'held'`;
  const isActive = sql`w.status <> 'paused' and w.deleted_at is null`;
  const due = sql`
    select org_id from webhooks w
    where ${isActive} and (exists (select from deliveries where ${isHeldBack(sql`w.org_id`)})) is true
    order by random()
  `;
  const release = (orgId: string) => sql`
    with held as (
      select d.id
      from webhooks w
      cross join lateral (
        select id from deliveries where ${isHeldBack(sql`${orgId}`)}
        order by created_at, id
        limit ${each}
        for update skip locked
      ) d
      where w.org_id = ${orgId} and ${isActive}
        and (
          select count(*) from (
            select 1 from deliveries
            where org_id = ${orgId} and webhook_id = w.id and next_at is not null and next_at <= ${now}
            limit ${each}
          ) due
        ) < ${each}
      limit ${limit}
    )
    update deliveries d set status = 'pending', due_at = ${now}
    from held
    where d.org_id = ${orgId} and d.id = held.id
  `;
  return changeInEach(db, due, release);
}

/** Also removes the receivers' response bodies. Returns the ids of those events, locked. */
export async function giveUpOld(
  tx: Transaction,
  orgId: string,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from events e
    where org_id = ${orgId} and body is not null and created_at < ${before}
      and not exists (
        -- Being sent now; the next round gives it up.
        select 1 from deliveries d where d.org_id = ${orgId} and d.event_id = e.id and ${isHeld(now)}
      )
    order by created_at limit ${limit}
    for update skip locked
  `.execute(tx);
  const old = rows.map(({ id }) => id);
  await sql`
    with expired as (
      update deliveries d
      set status = case when d.status in ('pending', 'held') then 'failed' else d.status end,
        error_class = case when d.status in ('pending', 'held') then 'expired' else d.error_class end,
        due_at = null, resend_at = null
      where d.org_id = ${orgId} and d.event_id = any(${old}::text[])
        and (d.status in ('pending', 'held') or d.resend_at is not null)
    )
    update delivery_attempts a set response_body = null
    from deliveries d
    where a.org_id = ${orgId} and d.org_id = ${orgId} and d.event_id = any(${old}::text[])
      and a.delivery_id = d.id and a.response_body is not null
  `.execute(tx);
  return old;
}
