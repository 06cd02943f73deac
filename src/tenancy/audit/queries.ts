import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { TimeSlice } from '../../platform/lib/days.ts';
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

/** The latest 1,000 of these actions, latest first. */
export function findEntriesOf(
  db: Database,
  orgId: string,
  { actions, targets, slice }: { actions: readonly string[]; targets?: readonly string[]; slice?: TimeSlice },
): Promise<AuditRow[]> {
  return db
    .selectFrom('auditEntries')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('action', 'in', actions)
    .$if(targets !== undefined, (query) => query.where('target', 'in', targets!))
    .$if(slice !== undefined, (query) =>
      query.where('createdAt', '>=', slice!.from).where('createdAt', '<', slice!.until),
    )
    .orderBy('id', 'desc')
    .limit(1_000)
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
