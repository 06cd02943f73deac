import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { TimeSlice } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export type AuditRow = Selectable<Tables['auditEntries']>;

/** Returns whether a webhook gets the entry's event. */
export async function insertAuditEntry(tx: Transaction, row: AuditRow): Promise<boolean> {
  await tx
    .insertInto('auditEntries')
    .values({ ...row, details: JSON.stringify(row.details) })
    .execute();
  const subscribed = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('orgId', '=', row.orgId)
    .where('deletedAt', 'is', null)
    .where(sql<boolean>`'audit.recorded' = any(events)`)
    .limit(1)
    .executeTakeFirst();
  return subscribed !== undefined;
}

/** Until the end of the transaction. */
export async function lockAuditTarget(tx: Transaction, orgId: string, target: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audit ${orgId} ${target}`}, 0))`.execute(tx);
}

export type AuditFilter = {
  /** The part of an action before its dot. */
  kinds?: readonly string[] | undefined;
  actors?: readonly string[] | undefined;
  slice?: TimeSlice | undefined;
};

export function findAuditEntries(
  db: Database,
  orgId: string,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<AuditRow[]> {
  return matching(db, orgId, filter)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

function matching(db: Database, orgId: string, { kinds, actors, slice }: AuditFilter) {
  return db
    .selectFrom('auditEntries')
    .where('orgId', '=', orgId)
    .$if(kinds !== undefined, (query) => query.where(sql`split_part(action, '.', 1)`, 'in', kinds!))
    .$if(actors !== undefined, (query) => query.where('actor', 'in', actors!))
    .$if(slice !== undefined, (query) =>
      query.where('createdAt', '>=', slice!.from).where('createdAt', '<', slice!.until),
    );
}

/** The latest 1,000 entries of these actions, latest first. */
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

export async function countAuditEntries(db: Database, orgId: string, filter: AuditFilter): Promise<number> {
  const { entries } = await matching(db, orgId, filter)
    .select((count) => count.fn.countAll<bigint>().as('entries'))
    .executeTakeFirstOrThrow();
  return Number(entries);
}
