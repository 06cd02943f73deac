import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';
import type { DeliveryRow } from './deliveries.queries.ts';
import type { WebhookRow } from './queries.ts';

export const resendRows = rowsIn('resends');

export type ResendRow = Selectable<Tables['resends']>;

export type ResendScope = Pick<ResendRow, 'orgId' | 'webhookId' | 'statuses' | 'events' | 'since' | 'until'>;

export async function cancelRunningResends(
  tx: Transaction,
  { orgId, id }: WebhookRow,
  now: Date,
): Promise<void> {
  const running = { orgId, webhookId: id, status: 'running' } as const;
  await resendRows.changeAll(tx, running, { status: 'cancelled', endedAt: now });
}

/** Deliveries without a stored body cannot be resent. */
function matching({ orgId, webhookId, statuses, events, since, until }: ResendScope) {
  return sql`
    d.org_id = ${orgId} and d.webhook_id = ${webhookId}
    and d.created_at >= ${since} and d.created_at < ${until}
    and d.status = any(${statuses}::text[])
    and (cardinality(${events}::text[]) = 0 or d.event = any(${events}::text[]))
    and exists (select 1 from events e where e.org_id = ${orgId} and e.id = d.event_id and e.body is not null)`;
}

export async function countMatching(db: Database, scope: ResendScope): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from deliveries d where ${matching(scope)}
  `.execute(db);
  return rows[0]?.count ?? 0n;
}

export type ResendKey = Pick<ResendRow, 'orgId' | 'id'>;

export function findRunningResends(db: Database): Promise<ResendKey[]> {
  return findInAll(
    db,
    sql<ResendKey>`select org_id, id from resends where status = 'running' order by org_id, webhook_id`,
  );
}

export function claimResend(tx: Transaction, { orgId, id }: ResendKey): Promise<ResendRow | undefined> {
  return tx
    .selectFrom('resends')
    .selectAll()
    .where((all) => all.and({ orgId, id, status: 'running' }))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function countRequested(
  tx: Transaction,
  { orgId, webhookId }: Pick<ResendRow, 'orgId' | 'webhookId'>,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select 1 from deliveries
      where org_id = ${orgId} and webhook_id = ${webhookId} and next_at is not null and resend_at is not null
      limit ${limit}
    ) requested
  `.execute(tx);
  return Number(rows[0]?.count ?? 0n);
}

export async function requestAttempt(
  tx: Transaction,
  { orgId, id }: Pick<DeliveryRow, 'orgId' | 'id'>,
  now: Date,
): Promise<DeliveryRow | undefined> {
  return (
    tx
      .updateTable('deliveries')
      // A request during an attempt means another attempt.
      .set({
        resendAt: sql`case when lease is null then coalesce(resend_at, ${now}) else ${now} end`,
      })
      .where((all) => all.and({ orgId, id }))
      .returningAll()
      .executeTakeFirst()
  );
}

export type Resent = { createdAt: Date; id: string };

export async function requestNext(
  tx: Transaction,
  resend: ResendRow,
  { now, limit }: { now: Date; limit: number },
): Promise<Resent[]> {
  const { cursorCreatedAt, cursorId } = resend;
  const afterCursor =
    cursorId === null ? sql`true` : sql`(d.created_at, d.id) > (${cursorCreatedAt}, ${cursorId})`;
  const { rows } = await sql<Resent>`
    with next as (
      select d.id from deliveries d
      where ${matching(resend)} and ${afterCursor}
      order by d.created_at, d.id
      limit ${limit}
      for update
    ), requested as (
      update deliveries d set resend_at = coalesce(resend_at, ${now})
      from next where d.org_id = ${resend.orgId} and d.id = next.id
      returning d.created_at, d.id
    )
    select created_at, id from requested order by created_at, id
  `.execute(tx);
  return rows;
}
