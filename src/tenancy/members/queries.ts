import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Role } from '../../platform/lib/actor.ts';
import type { Tables } from '../../tables.ts';

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

/** Changes nothing if it is later than `ifBefore` already. */
export async function updateLastSeen(
  db: Database,
  { orgId, id, at, ifBefore }: { orgId: string; id: string; at: Date; ifBefore: Date },
): Promise<void> {
  await db
    .updateTable('members')
    .set({ lastSeenAt: at })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
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

export function findMember(db: Database, orgId: string, id: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function keepUnsubscribeSecret(
  db: Database,
  { orgId, email, secret }: { orgId: string; email: string; secret: string },
): Promise<Pick<MemberRow, 'id' | 'unsubscribeSecret'> | undefined> {
  return db
    .updateTable('members')
    .set({ unsubscribeSecret: sql`coalesce(unsubscribe_secret, ${secret})` })
    .where('orgId', '=', orgId)
    .where('email', '=', email)
    .returning(['id', 'unsubscribeSecret'])
    .executeTakeFirst();
}

export async function countMembers(db: Database, orgId: string, role?: Role): Promise<number> {
  const all = db
    .selectFrom('members')
    .select((count) => count.fn.countAll<bigint>().as('members'))
    .where('orgId', '=', orgId);
  const { members } = await (role ? all.where('role', '=', role) : all).executeTakeFirstOrThrow();
  return Number(members);
}

/** Returns false if another member has the new email. Then the transaction has failed. */
export async function changeMember(
  tx: Transaction,
  orgId: string,
  id: string,
  changes: Updateable<Tables['members']>,
): Promise<boolean> {
  const update = tx.updateTable('members').set(changes).where('orgId', '=', orgId).where('id', '=', id);
  try {
    await update.execute();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return false;
    throw error;
  }
}

export async function deleteMember(tx: Transaction, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom('members').where('orgId', '=', orgId).where('id', '=', id).execute();
}
