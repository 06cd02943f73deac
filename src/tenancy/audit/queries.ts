import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type AuditRow = Selectable<Tables['auditEntries']>;

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
