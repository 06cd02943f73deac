import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { organizationsOf } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export const digestRows = rowsIn('digests');
export const recipientRows = rowsIn('digestRecipients');

export type DigestRow = Selectable<Tables['digests']>;
export type RecipientRow = Selectable<Tables['digestRecipients']>;

/** For a message that names what uses a channel. */
export async function findDigestsThatUse(
  tx: Transaction,
  orgId: string,
  channelId: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('digests')
    .select(['id', 'frequency'])
    .where('orgId', '=', orgId)
    .where(sql<boolean>`${channelId} = any(channel_ids)`)
    .orderBy('id')
    .execute();
  return rows.map(({ id, frequency }) => `the ${frequency} digest ${id}`);
}

/** For a deleted organization, so that nothing more is planned. */
export async function disableDigestsOf(tx: Transaction, orgId: string): Promise<void> {
  await digestRows.changeAll(tx, { orgId }, { enabled: false });
}

export async function insertRecipients(tx: Transaction, rows: readonly RecipientRow[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('digestRecipients')
      .values([...rows])
      .execute();
}

export async function removeRecipients(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('digestRecipients')
    .where('orgId', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
}

/** `address` is the member's current one. */
export type Recipient = RecipientRow & { address: string };

export function findRecipients(db: Database, orgId: string): Promise<Recipient[]> {
  return recipientsOf(db, orgId).orderBy('address').execute();
}

export function findRecipientsOf(db: Database, orgId: string, digestId: string): Promise<Recipient[]> {
  return recipientsOf(db, orgId)
    .where('digestRecipients.digestId', '=', digestId)
    .orderBy('address')
    .execute();
}

export function findRecipient(db: Database, orgId: string, id: string): Promise<Recipient | undefined> {
  return recipientsOf(db, orgId).where('digestRecipients.id', '=', id).executeTakeFirst();
}

function recipientsOf(db: Database, orgId: string) {
  return db
    .selectFrom('digestRecipients')
    .leftJoin('members', (join) =>
      join
        .onRef('members.orgId', '=', 'digestRecipients.orgId')
        .onRef('members.id', '=', 'digestRecipients.memberId'),
    )
    .selectAll('digestRecipients')
    .select(sql<string>`coalesce(members.email, digest_recipients.email)`.as('address'))
    .where('digestRecipients.orgId', '=', orgId);
}

/** Digests that are due, or scheduled by another calendar or a clock ahead. There are few. */
export function findDueOrganizations(
  db: Database,
  { now, latest }: { now: Date; latest: Date },
): Promise<string[]> {
  return organizationsOf(
    db,
    sql`
      select d.org_id
      from digests d join organizations o on o.org_id = d.org_id
      where d.enabled and o.deleted_at is null
        and (d.next_at <= ${now} or d.next_at > ${latest} or d.calendar <> o.time_zone || ' ' || o.week_start)
    `,
  );
}

export function findDueDigests(
  db: Database,
  orgId: string,
  { now, latest, calendar }: { now: Date; latest: Date; calendar: string },
): Promise<DigestRow[]> {
  return db
    .selectFrom('digests')
    .selectAll()
    .where((all) => all.and({ orgId, enabled: true }))
    .where(sql<boolean>`(next_at <= ${now} or next_at > ${latest} or calendar <> ${calendar})`)
    .orderBy('nextAt')
    .execute();
}

/** Returns nothing if the digest has changed since it was read, or another worker plans it. */
export function claimDigest(tx: Transaction, { orgId, id, nextAt, updatedAt }: DigestRow) {
  return tx
    .selectFrom('digests')
    .selectAll()
    .where((all) => all.and({ orgId, id, enabled: true, nextAt, updatedAt }))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export type SendingRow = Selectable<Tables['digestSendings']>;

/** Returns the new ones. The others have been sent before. */
export async function insertSendings(tx: Transaction, rows: readonly SendingRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const inserted = await tx
    .insertInto('digestSendings')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returning('recipient')
    .execute();
  return inserted.map(({ recipient }) => recipient);
}
