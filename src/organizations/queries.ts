import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { Role } from '../lib/actor.ts';

export type OrganizationRow = Selectable<Tables['organizations']>;
export type MemberRow = Selectable<Tables['members']>;
export type AuditRow = Selectable<Tables['auditEntries']>;

export async function insertOrganization(
  tx: Transaction,
  row: Insertable<Tables['organizations']>,
): Promise<void> {
  await tx.insertInto('organizations').values(row).execute();
}

export function findOrganization(db: Database, orgId: string): Promise<OrganizationRow | undefined> {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export function findOrganizations(db: Database): Promise<OrganizationRow[]> {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('orgId')
    .execute();
}

export async function changeOrganization(
  tx: Transaction,
  orgId: string,
  changes: Updateable<Tables['organizations']>,
): Promise<void> {
  await tx.updateTable('organizations').set(changes).where('orgId', '=', orgId).execute();
}

/** False where there is no such organization, or no longer. */
export async function raiseCostsVersion(tx: Transaction, orgId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update organizations set costs_version = costs_version + 1 where org_id = ${orgId} and deleted_at is null
  `.execute(tx);
  return numAffectedRows === 1n;
}

/** False where there is no such organization, or no longer. Not `for update`: that would also stop, and could deadlock with, whoever adds a row that refers to this one. */
export async function lockRow(tx: Transaction, orgId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from organizations where org_id = ${orgId} and deleted_at is null for no key update
  `.execute(tx);
  return rows.length > 0;
}

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

export function findMember(db: Database, orgId: string, id: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The member with this address, who keeps the secret that they have, or gets this one. */
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

/** Those of one role, or all. */
export async function countMembers(db: Database, orgId: string, role?: Role): Promise<number> {
  const all = db
    .selectFrom('members')
    .select((count) => count.fn.countAll<bigint>().as('members'))
    .where('orgId', '=', orgId);
  const { members } = await (role ? all.where('role', '=', role) : all).executeTakeFirstOrThrow();
  return Number(members);
}

/** False, with the transaction failed, where the new email is another member's. */
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

export async function insertAuditEntry(tx: Transaction, row: AuditRow): Promise<void> {
  await tx
    .insertInto('auditEntries')
    .values({ ...row, details: JSON.stringify(row.details) })
    .execute();
}

export function findAuditEntries(
  db: Database,
  orgId: string,
  page: { limit: number; offset: number },
): Promise<AuditRow[]> {
  return db
    .selectFrom('auditEntries')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function countAuditEntries(db: Database, orgId: string): Promise<number> {
  const { entries } = await db
    .selectFrom('auditEntries')
    .select((count) => count.fn.countAll<bigint>().as('entries'))
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(entries);
}
