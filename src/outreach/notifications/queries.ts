import { type RawBuilder, sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { changeInEach, organizationsOf } from '../../platform/work/claims.ts';
import { isFree, isHeld, leasedBy, noLease, type Lease } from '../../platform/work/leases.ts';
import type { Tables } from '../../tables.ts';
import type { LastMessage } from '../channels/context.ts';

export type NotificationRow = Selectable<Tables['notifications']>;

export async function insertNotifications(
  tx: Transaction,
  rows: Insertable<Tables['notifications']>[],
): Promise<void> {
  if (rows.length > 0) await tx.insertInto('notifications').values(rows).execute();
}

export type OfTrigger = { orgId: string; triggerId: string };

/** Leases due notifications, only a few per organization, so that a slow chat delays nobody else. */
export async function claimNotifications(
  db: Database,
  claim: { now: Date; lease: Lease; organizations: number; each: number; of?: OfTrigger },
): Promise<NotificationRow[]> {
  const { now, lease, organizations, each, of } = claim;
  const ofTrigger = of ? sql`org_id = ${of.orgId} and trigger_id = ${of.triggerId}` : sql`true`;
  const due = await organizationsOf(
    db,
    sql`
      select org_id from notifications
      where status = 'pending' and ${ofTrigger}
      group by org_id
      having min(due_at) <= ${now} and count(*) filter (where ${isHeld(now)}) = 0
      order by min(due_at)
      limit ${organizations}
    `,
  );
  const claimed: NotificationRow[] = [];
  for (const orgId of due) {
    const { rows } = await sql<NotificationRow>`
      with due as (
        select id from notifications
        where org_id = ${orgId} and status = 'pending' and due_at <= ${now} and ${isFree(now)} and ${ofTrigger}
        order by due_at
        limit ${each}
        for update skip locked
      )
      update notifications n
      set ${leasedBy(lease)}, attempts = attempts + 1
      from due
      where n.org_id = ${orgId} and n.id = due.id
      returning n.*
    `.execute(db);
    claimed.push(...rows);
  }
  return claimed;
}

export type NotificationOutcome = Pick<NotificationRow, 'status' | 'dueAt' | 'lastError' | 'sentAt'>;

/** `due_at` of an ended one is when it ended. A resolution follows messages to channels, so they stay. */
export function deleteEndedNotifications(
  db: Database,
  before: { others: Date; ofChannels: Date },
  limit: number,
): Promise<number> {
  const hasEnded = (orgId: RawBuilder<unknown>) => sql`
    status <> 'pending' and created_at < ${before.others} and due_at < ${before.others}
      and (
        channel_id is null or trigger_id is null
        or created_at < ${before.ofChannels} and not exists (
          select from alert_triggers t
          where t.org_id = ${orgId} and t.id = notifications.trigger_id and t.resolved_at is null
        )
      )`;
  const due = sql`select org_id from notifications where ${hasEnded(sql`notifications.org_id`)} order by created_at`;
  const remove = (orgId: string) => sql`
    with ended as (
      select id from notifications
      where org_id = ${orgId} and ${hasEnded(sql`${orgId}`)}
      order by created_at
      limit ${limit}
      for update skip locked
    )
    delete from notifications n using ended where n.org_id = ${orgId} and n.id = ended.id
  `;
  return changeInEach(db, due, remove);
}

export async function failPending(
  tx: Transaction,
  { orgId, triggerId }: OfTrigger,
  lastError: string,
): Promise<void> {
  await tx
    .updateTable('notifications')
    .set({ status: 'failed', lastError, ...noLease })
    .where((all) => all.and({ orgId, triggerId, status: 'pending' }))
    .execute();
}

export async function movePending(
  tx: Transaction,
  orgId: string,
  triggerIds: readonly string[],
  dueAt: Date,
): Promise<void> {
  await tx
    .updateTable('notifications')
    .set({ dueAt })
    .where('orgId', '=', orgId)
    .where('triggerId', '=', sql<string>`any(${triggerIds}::text[])`)
    .where('status', '=', 'pending')
    .execute();
}

export async function restoreFailed(
  tx: Transaction,
  { orgId, triggerId }: OfTrigger,
  { lastError, dueAt }: { lastError: string; dueAt: Date },
): Promise<void> {
  await tx
    .updateTable('notifications')
    .set({ status: 'pending', lastError: null, dueAt })
    .where((all) => all.and({ orgId, triggerId, status: 'failed', lastError }))
    .execute();
}

export async function removeNotificationsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx
    .deleteFrom('notifications')
    .where((all) => all.and({ orgId, status: 'pending' }))
    .execute();
}

export function findNotificationStates(
  db: Database,
  { orgId, triggerId }: OfTrigger,
): Promise<Pick<NotificationRow, 'status' | 'attempts' | 'lease'>[]> {
  return db
    .selectFrom('notifications')
    .select(['status', 'attempts', 'lease'])
    .where((all) => all.and({ orgId, triggerId }))
    .execute();
}

export type ListedNotification = Pick<
  NotificationRow,
  'channelId' | 'channel' | 'recipient' | 'status' | 'attempts' | 'lastError' | 'sentAt' | 'dueAt'
> & { isResolution: boolean };

const isFirst = sql<boolean>`notice -> 'resolved' is null`;

export function findNotifications(
  db: Database,
  { orgId, triggerId }: OfTrigger,
): Promise<ListedNotification[]> {
  return db
    .selectFrom('notifications')
    .select(['channelId', 'channel', 'recipient', 'status', 'attempts', 'lastError', 'sentAt', 'dueAt'])
    .select(sql<boolean>`not ${isFirst}`.as('isResolution'))
    .where((all) => all.and({ orgId, triggerId }))
    .orderBy('channel')
    .orderBy('recipient')
    .orderBy('isResolution')
    .execute();
}

/** The first messages of a trigger to channels, without those that were dropped before anybody tried to send them. */
export function findTriedThroughChannels(
  tx: Transaction,
  { orgId, triggerId }: OfTrigger,
): Promise<Pick<NotificationRow, 'channelId' | 'channel' | 'recipient' | 'notice'>[]> {
  return tx
    .selectFrom('notifications')
    .select(['channelId', 'channel', 'recipient', 'notice'])
    .where((all) => all.and({ orgId, triggerId }))
    .where('channelId', 'is not', null)
    .where(isFirst)
    .where((where) => where.or([where('status', '<>', 'failed'), where('attempts', '>', 0)]))
    .execute();
}

export async function findLastMessages(
  db: Database,
  orgId: string,
): Promise<ReadonlyMap<string, LastMessage>> {
  const rows = await db
    .selectFrom('notifications')
    .distinctOn('channelId')
    .select(['channelId', 'status', 'createdAt', 'dueAt', 'sentAt', 'lastError as error'])
    .where('orgId', '=', orgId)
    .where('channelId', 'is not', null)
    .where('attempts', '>', 0)
    .orderBy('channelId')
    .orderBy('createdAt', 'desc')
    .execute();
  return new Map(
    rows.map(({ channelId, status, createdAt, dueAt, sentAt, error }) => {
      const at = status === 'pending' ? createdAt : (sentAt ?? dueAt);
      return [channelId!, { status, at, error }];
    }),
  );
}

/** Whether the first message of the trigger is still to be sent there. */
export async function isFirstPending(
  db: Database,
  { orgId, triggerId, channelId, recipient }: NotificationRow,
): Promise<boolean> {
  const row = await db
    .selectFrom('notifications')
    .select('id')
    .where((all) => all.and({ orgId, triggerId, channelId, recipient, status: 'pending' }))
    .where(isFirst)
    .executeTakeFirst();
  return row !== undefined;
}
