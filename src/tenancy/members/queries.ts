import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const memberRows = rowsIn('members');

export type MemberRow = Selectable<Tables['members']>;

export async function insertMember(tx: Transaction, row: MemberRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export function findMembers(db: Database, orgId: string): Promise<MemberRow[]> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy(sql`lower(email)`)
    .execute();
}

export async function updateLastSeen(
  db: Database,
  { orgId, id, at, ifBefore }: { orgId: string; id: string; at: Date; ifBefore: Date },
): Promise<void> {
  await db
    .updateTable('members')
    .set({ lastSeenAt: at })
    .where((all) => all.and({ orgId, id }))
    .where((row) => row.or([row('lastSeenAt', 'is', null), row('lastSeenAt', '<=', ifBefore)]))
    .execute();
}

export async function findAlertEmails(db: Database, orgId: string): Promise<string[]> {
  const members = await db
    .selectFrom('members')
    .select('email')
    .where('orgId', '=', orgId)
    .where('role', 'in', ['owner', 'admin'])
    .where('alertEmails', '=', true)
    .orderBy('email')
    .execute();
  return members.map(({ email }) => email);
}

export function findByEmail(
  db: Database,
  orgId: string,
  email: string,
): Promise<Pick<MemberRow, 'id' | 'email' | 'alertEmails'> | undefined> {
  return db
    .selectFrom('members')
    .select(['id', 'email', 'alertEmails'])
    .where('orgId', '=', orgId)
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}

export function keepUnsubscribeSecret(
  db: Database,
  { orgId, email, secret }: { orgId: string; email: string; secret: string },
): Promise<Pick<MemberRow, 'id' | 'unsubscribeSecret'> | undefined> {
  return db
    .updateTable('members')
    .set({ unsubscribeSecret: sql`coalesce(unsubscribe_secret, ${secret})` })
    .where((all) => all.and({ orgId, email }))
    .returning(['id', 'unsubscribeSecret'])
    .executeTakeFirst();
}

/** Returns false if another member has the new email. Then the transaction has failed. */
export async function changeMember(
  tx: Transaction,
  member: Pick<MemberRow, 'orgId' | 'id'>,
  changes: Updateable<Tables['members']>,
): Promise<boolean> {
  try {
    await memberRows.change(tx, member, changes);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return false;
    throw error;
  }
}

export const addressRows = rowsIn('mailAddresses');

export type AddressRow = Selectable<Tables['mailAddresses']>;

/** `address` is in lower case. */
export function findAddressRow(
  db: Database,
  orgId: string,
  address: string,
): Promise<AddressRow | undefined> {
  return db
    .selectFrom('mailAddresses')
    .selectAll()
    .where((all) => all.and({ orgId, address }))
    .executeTakeFirst();
}

/** Undefined if another email has stored the address meanwhile. */
export function insertAddress(db: Database, row: AddressRow): Promise<AddressRow | undefined> {
  return db
    .insertInto('mailAddresses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Few of them, because nobody adds an address to annoy its owner. */
export async function findUnsubscribed(db: Database, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mailAddresses')
    .select('address')
    .where('orgId', '=', orgId)
    .where('unsubscribedAt', 'is not', null)
    .execute();
  return rows.map(({ address }) => address);
}
