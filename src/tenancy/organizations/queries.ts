import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type OrganizationRow = Selectable<Tables['organizations']>;

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
