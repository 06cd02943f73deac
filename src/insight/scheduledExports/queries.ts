import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type ScheduledExportRow = Selectable<Tables['scheduledExports']>;
type Key = Pick<ScheduledExportRow, 'orgId' | 'id'>;

export async function insertScheduledExport(tx: Transaction, row: ScheduledExportRow): Promise<void> {
  await tx.insertInto('scheduledExports').values(row).execute();
}

export function findScheduledExports(db: Database, orgId: string): Promise<ScheduledExportRow[]> {
  return db
    .selectFrom('scheduledExports')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function findScheduledExport(
  db: Database,
  { orgId, id }: Key,
): Promise<ScheduledExportRow | undefined> {
  return db
    .selectFrom('scheduledExports')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function lockScheduledExport(
  tx: Transaction,
  { orgId, id }: Key,
): Promise<ScheduledExportRow | undefined> {
  return tx
    .selectFrom('scheduledExports')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function replaceScheduledExport(
  tx: Transaction,
  { orgId, id, ...changes }: ScheduledExportRow,
): Promise<void> {
  await tx
    .updateTable('scheduledExports')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function removeScheduledExport(tx: Transaction, { orgId, id }: Key): Promise<void> {
  await tx.deleteFrom('scheduledExports').where('orgId', '=', orgId).where('id', '=', id).execute();
}

export async function removeScheduledExportsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('scheduledExports').where('orgId', '=', orgId).execute();
}

/** Locks the one that is most overdue, across all organizations, and skips those that other workers are planning. */
export function claimDueScheduledExport(tx: Transaction, now: Date): Promise<ScheduledExportRow | undefined> {
  return tx
    .selectFrom('scheduledExports')
    .selectAll()
    .where('enabled', '=', true)
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function setNext(
  tx: Transaction,
  { orgId, id }: Key,
  next: Pick<ScheduledExportRow, 'nextStart' | 'nextAt'>,
): Promise<void> {
  await tx
    .updateTable('scheduledExports')
    .set(next)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function resealScheduledExports(
  tx: Transaction,
  reseal: (sealed: Buffer) => Buffer,
): Promise<void> {
  const rows = await tx
    .selectFrom('scheduledExports')
    .select(['orgId', 'id', 'secretAccessKey'])
    .forUpdate()
    .execute();
  for (const { orgId, id, secretAccessKey } of rows) {
    await tx
      .updateTable('scheduledExports')
      .set({ secretAccessKey: reseal(secretAccessKey) })
      .where('orgId', '=', orgId)
      .where('id', '=', id)
      .execute();
  }
}
