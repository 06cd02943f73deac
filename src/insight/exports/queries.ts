import { sql, type Insertable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

type ExportKey = { orgId: string; id: string };

export async function insertChunks(
  tx: Transaction,
  chunks: Insertable<Tables['exportChunks']>[],
): Promise<void> {
  if (chunks.length > 0) await tx.insertInto('exportChunks').values(chunks).execute();
}

export async function findRowGroups(db: Database, { orgId, id }: ExportKey): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('exportChunks')
    .select('rowGroup')
    .where((all) => all.and({ orgId, exportId: id }))
    .where('rowGroup', 'is not', null)
    .orderBy('number')
    .execute();
  return rows.map(({ rowGroup }) => rowGroup!);
}

export async function findChunkAt(
  db: Database,
  { orgId, id }: ExportKey,
  byte: number,
): Promise<number | undefined> {
  const chunk = await db
    .selectFrom('exportChunks')
    .select('number')
    .where((all) => all.and({ orgId, exportId: id }))
    .where('startByte', '<=', BigInt(byte))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return chunk?.number;
}

export function findChunk(
  db: Database,
  { orgId, id }: ExportKey,
  number: number,
): Promise<{ startByte: bigint; bytes: Buffer } | undefined> {
  return db
    .selectFrom('exportChunks')
    .select(['startByte', 'bytes'])
    .where((all) => all.and({ orgId, exportId: id, number }))
    .executeTakeFirst();
}

export function findOutlived(db: Database, now: Date, limit: number): Promise<ExportKey[]> {
  const outlived = sql<ExportKey>`
    select t.org_id, t.id
    from export_chunks c
    join tasks t on t.org_id = c.org_id and t.id = c.export_id
    where c.number = 0 and (
      t.status in ('failed', 'cancelled') or (t.state ->> 'expiresAt')::timestamptz <= ${now}
    )
    limit ${limit}
  `;
  return findInAll(db, outlived);
}

export async function removeLastChunks(
  db: Database,
  { orgId, id }: ExportKey,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from export_chunks c
    using (
      select number from export_chunks where org_id = ${orgId} and export_id = ${id}
      order by number desc limit ${limit}
    ) last
    where c.org_id = ${orgId} and c.export_id = ${id} and c.number = last.number
  `.execute(db);
  return Number(numAffectedRows);
}
