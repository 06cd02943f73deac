import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { changeInEach } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.queries.ts';

export const webhookRows = rowsIn('webhooks');

export type WebhookRow = Selectable<Tables['webhooks']> & { nextAttemptAt: Date | null };

const nextAttempt = (orgId: string) =>
  sql<Date | null>`(
    select d.next_at from deliveries d
    where d.org_id = ${orgId} and d.webhook_id = webhooks.id and d.next_at is not null and d.lease is null
    order by d.next_at
    limit 1
  )`.as('nextAttemptAt');

export async function insertWebhook(
  tx: Transaction,
  row: Insertable<Tables['webhooks']>,
): Promise<WebhookRow> {
  const webhook = await tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();
  return { ...webhook, nextAttemptAt: null };
}

export type ListedWebhookRow = WebhookRow & { latestStatuses: DeliveryRow['status'][] };

const latestListed = 20;

const latestStatuses = (orgId: string) =>
  sql<DeliveryRow['status'][]>`array(
    select d.status from deliveries d
    where d.org_id = ${orgId} and d.webhook_id = webhooks.id
    order by d.created_at desc, d.id desc
    limit ${sql.lit(latestListed)}
  )`.as('latestStatuses');

export function findWebhooks(db: Database, orgId: string): Promise<ListedWebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .select([nextAttempt(orgId), latestStatuses(orgId)])
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

const webhookOf = (db: Database, orgId: string, id: string) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .select(nextAttempt(orgId))
    .where((all) => all.and({ orgId, id }))
    .where('deletedAt', 'is', null);

export function findWebhook(db: Database, orgId: string, id: string): Promise<WebhookRow | undefined> {
  return webhookOf(db, orgId, id).executeTakeFirst();
}

export function findWebhookToChange(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return webhookOf(tx, orgId, id).forNoKeyUpdate().executeTakeFirst();
}

export async function changeWebhook(
  tx: Transaction,
  { orgId, id, nextAttemptAt }: Pick<WebhookRow, 'orgId' | 'id' | 'nextAttemptAt'>,
  changes: Updateable<Tables['webhooks']>,
): Promise<WebhookRow> {
  const webhook = await tx
    .updateTable('webhooks')
    .set(changes)
    .where((all) => all.and({ orgId, id }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...webhook, nextAttemptAt };
}

type Subscribed = Pick<WebhookRow, 'id' | 'status'>;

export async function findSubscribed(tx: Transaction, orgId: string, kind: string): Promise<Subscribed[]> {
  const { rows } = await tx.executeQuery(subscribedTo(orgId, kind));
  return rows;
}

const subscribedTo = prepared(
  (orgId: string, kind: string) => sql<Subscribed>`
    select id, status from webhooks
    where org_id = ${orgId} and deleted_at is null and ${kind} = any(events)
    order by id
  `,
);

export type HealthFigures = {
  /** Pending and held count all deliveries; failed and success count the last 1,000 that ended. */
  counts: { pending: number; held: number; failed: number; success: number };
  oldestUndeliveredAt: Date | null;
  lastError: (Pick<AttemptRow, 'errorClass' | 'message' | 'responseCode'> & { at: Date }) | null;
};

const latest = 1_000;

export async function findHealthFigures(db: Database, webhook: WebhookRow): Promise<HealthFigures> {
  const ended = await countEnded(db, webhook);
  const pending = await findPending(db, webhook);
  const held = await findHeld(db, webhook);
  const waitingSince = [pending.oldest, held.oldest].filter((at) => at !== null);
  return {
    counts: { ...ended, pending: Number(pending.count), held: Number(held.count) },
    oldestUndeliveredAt: waitingSince.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
    lastError: await findLastError(db, webhook),
  };
}

async function countEnded(
  db: Database,
  { orgId, id }: WebhookRow,
): Promise<{ success: number; failed: number }> {
  const { rows } = await sql<{ success: bigint; failed: bigint }>`
    select count(*) filter (where status = 'success') as success, count(*) filter (where status = 'failed') as failed
    from (
      select status from deliveries
      where org_id = ${orgId} and webhook_id = ${id} and status in ('success', 'failed')
      order by created_at desc, id desc
      limit ${latest}
    ) ended
  `.execute(db);
  const [{ success, failed } = { success: 0n, failed: 0n }] = rows;
  return { success: Number(success), failed: Number(failed) };
}

type Waiting = { count: bigint; oldest: Date | null };
const none: Waiting = { count: 0n, oldest: null };

/** The condition matches partial indexes, which contain pending deliveries that are due or under way. */
async function findPending(db: Database, { orgId, id }: WebhookRow): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*) as count, min(created_at) as oldest from deliveries
    where org_id = ${orgId} and webhook_id = ${id} and status = 'pending' and (next_at is not null or lease is not null)
  `.execute(db);
  return rows[0] ?? none;
}

async function findHeld(db: Database, { orgId, id }: WebhookRow): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*) as count, min(created_at) as oldest from deliveries
    where org_id = ${orgId} and webhook_id = ${id} and status = 'held'
  `.execute(db);
  return rows[0] ?? none;
}

async function findLastError(db: Database, { orgId, id }: WebhookRow): Promise<HealthFigures['lastError']> {
  const { rows } = await sql<NonNullable<HealthFigures['lastError']>>`
    select a.error_class, a.message, a.response_code, a.ended_at as at
    from (
      select id from deliveries
      where org_id = ${orgId} and webhook_id = ${id} and attempts > 0
      order by created_at desc, id desc
      limit ${latest}
    ) d
    cross join lateral (
      select error_class, message, response_code, ended_at from delivery_attempts
      where org_id = ${orgId} and delivery_id = d.id and outcome = 'failure' and ended_at is not null
      order by number desc
      limit 1
    ) a
    order by a.ended_at desc
    limit 1
  `.execute(db);
  return rows[0] ?? null;
}

/** Stops all deliveries of an organization. The worker removes the rows later. */
export async function removeWebhooksOf(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await webhookRows.changeAll(tx, { orgId }, { deletedAt: now });
}

export function removeDeletedWebhooks(db: Database, limit: number): Promise<number> {
  const deleted = sql`select org_id from webhooks where deleted_at is not null`;
  const deliveries = (orgId: string) => sql`
    with gone as (
      select d.id
      from webhooks w
      cross join lateral (
        select id from deliveries where org_id = ${orgId} and webhook_id = w.id limit ${limit}
      ) d
      where w.org_id = ${orgId} and w.deleted_at is not null
      limit ${limit}
    )
    delete from deliveries d using gone where d.org_id = ${orgId} and d.id = gone.id
  `;
  const resends = (orgId: string) => sql`
    delete from resends r using webhooks w
    where w.org_id = ${orgId} and w.deleted_at is not null and r.org_id = ${orgId} and r.webhook_id = w.id
  `;
  const webhooks = (orgId: string) => sql`
    delete from webhooks w
    where w.org_id = ${orgId} and w.deleted_at is not null
      and not exists (select 1 from deliveries d where d.org_id = ${orgId} and d.webhook_id = w.id)
  `;
  return changeInEach(db, deleted, deliveries, resends, webhooks);
}

export const resealWebhooks: Reseal = (tx, reseal) => webhookRows.reseal(tx, reseal, 'secret', 'nextSecret');
