import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';

type Sizes = {
  databaseBytes: number | null;
  /** Size of the write-ahead log; null if the database user may not see it. */
  walBytes: number | null;
  /** Free bytes of the disk; null if the database is on another machine. */
  freeBytes: number | null;
  diskBytes: number | null;
};

const maxMilliseconds = 3_000;

/** In one transaction that is short enough for probes to wait for. */
export async function readSizes<More>(
  db: Database,
  { databaseUrl, dataDir }: { databaseUrl: string | null; dataDir: string },
  readMore: (tx: Transaction) => Promise<More>,
): Promise<Sizes & More> {
  const disk = databaseUrl === null ? await statfs(dataDir) : null;
  const read = await db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', ${String(maxMilliseconds)}, true)`.execute(tx);
    const more = await readMore(tx);
    const { rows } = await sql<{ databaseBytes: bigint; canSeeWal: boolean }>`
      select pg_database_size(current_database()) as database_bytes,
        has_function_privilege('pg_ls_waldir()', 'execute') as can_see_wal
    `.execute(tx);
    const { databaseBytes, canSeeWal } = rows[0]!;
    return { ...more, databaseBytes: Number(databaseBytes), walBytes: canSeeWal ? await walSize(tx) : null };
  });
  return {
    ...read,
    freeBytes: disk && disk.bavail * disk.bsize,
    diskBytes: disk && disk.blocks * disk.bsize,
  };
}

async function walSize(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(size), 0) as bytes from pg_ls_waldir()
  `.execute(tx);
  return Number(rows[0]!.bytes);
}
