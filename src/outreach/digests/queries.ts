import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type DigestRow = Selectable<Tables['digests']>;
export type RecipientRow = Selectable<Tables['digestRecipients']>;

export async function insertDigest(tx: Transaction, row: DigestRow): Promise<void> {
  await tx.insertInto('digests').values(row).execute();
}

export function findDigests(db: Database, orgId: string): Promise<DigestRow[]> {
  return db
    .selectFrom('digests')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function findDigest(db: Database, orgId: string, id: string): Promise<DigestRow | undefined> {
  return db
    .selectFrom('digests')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

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

export function findDigestToChange(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<DigestRow | undefined> {
  return tx
    .selectFrom('digests')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function replaceDigest(tx: Transaction, { orgId, id, ...changes }: DigestRow): Promise<void> {
  await tx.updateTable('digests').set(changes).where('orgId', '=', orgId).where('id', '=', id).execute();
}

/** Leaves other fields, which a worker or the owner may change meanwhile. */
export async function disableDigest(
  tx: Transaction,
  { orgId, id }: Pick<DigestRow, 'orgId' | 'id'>,
  updatedAt: Date,
): Promise<void> {
  await tx
    .updateTable('digests')
    .set({ enabled: false, updatedAt })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function removeDigest(tx: Transaction, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom('digests').where('orgId', '=', orgId).where('id', '=', id).execute();
}

/** For a deleted organization, so that nothing more is planned. */
export async function disableDigestsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.updateTable('digests').set({ enabled: false }).where('orgId', '=', orgId).execute();
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

export async function setUnsubscribed(
  tx: Transaction,
  { orgId, id }: Pick<RecipientRow, 'orgId' | 'id'>,
  at: Date | null,
): Promise<void> {
  await tx
    .updateTable('digestRecipients')
    .set({ unsubscribedAt: at })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/**
 * Organizations with digests that are due, or that were scheduled with another calendar or by a clock that
 * was ahead. There are few digests, so the join may read all.
 */
export async function findDueOrganizations(
  db: Database,
  { now, latest }: { now: Date; latest: Date },
): Promise<string[]> {
  const { rows } = await sql<{ orgId: string }>`
    select distinct d.org_id
    from digests d join organizations o on o.org_id = d.org_id
    where d.enabled and o.deleted_at is null
      and (d.next_at <= ${now} or d.next_at > ${latest} or d.calendar <> o.time_zone || ' ' || o.week_start)
  `.execute(db);
  return rows.map(({ orgId }) => orgId);
}

export function findDueDigests(
  db: Database,
  orgId: string,
  { now, latest, calendar }: { now: Date; latest: Date; calendar: string },
): Promise<DigestRow[]> {
  return db
    .selectFrom('digests')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('enabled', '=', true)
    .where(sql<boolean>`(next_at <= ${now} or next_at > ${latest} or calendar <> ${calendar})`)
    .orderBy('nextAt')
    .execute();
}

/** Returns nothing if the digest has changed since it was read, or another worker plans it. */
export function claimDigest(tx: Transaction, { orgId, id, nextAt, updatedAt }: DigestRow) {
  return tx
    .selectFrom('digests')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where('nextAt', '=', nextAt)
    .where('updatedAt', '=', updatedAt)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/**
 * Does nothing if the digest has changed since it was read, because its next time then follows the change.
 */
export async function setPlanned(
  db: Database,
  { orgId, id, nextAt, updatedAt }: DigestRow,
  planned: Pick<DigestRow, 'nextAt'> & Partial<Pick<DigestRow, 'calendar' | 'sentUntil'>>,
): Promise<void> {
  await db
    .updateTable('digests')
    .set(planned)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('nextAt', '=', nextAt)
    .where('updatedAt', '=', updatedAt)
    .execute();
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
