import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Poller } from './worker.ts';

type Table = { name: string; isBloated: boolean };

/**
 * Replaces autovacuum with the same thresholds, because the embedded database has no background processes:
 * frees the space of deleted rows and updates the planner's statistics.
 */
export function vacuumPollers({ db, databaseUrl }: { db: Database; databaseUrl: string | null }): Poller[] {
  if (databaseUrl !== null) return [];
  return [
    { name: 'vacuum', everyMilliseconds: 60_000, run: (signal) => vacuum(db, signal) },
    { name: 'checkpoint', everyMilliseconds: 300_000, run: () => checkpoint(db) },
  ];
}

/** What a checkpoint itself writes, plus a few small changes, which a start replays at once. */
const fewBytes = 1_000_000;

/**
 * Without background processes, PostgreSQL makes checkpoints by size only: a start after a kill would first
 * replay up to a gigabyte.
 */
async function checkpoint(db: Database): Promise<boolean> {
  const { rows } = await sql<{ isDue: boolean }>`
    select pg_current_wal_insert_lsn() - redo_lsn > ${fewBytes} as is_due from pg_control_checkpoint()
  `.execute(db);
  if (rows[0]!.isDue) await sql`checkpoint`.execute(db);
  return false;
}

/** Takes one table at a time, so that waiting work can run in between. */
async function vacuum(db: Database, signal: AbortSignal): Promise<boolean> {
  for (const { name, isBloated } of await findTables(db)) {
    if (signal.aborted) break;
    const command = isBloated ? sql`vacuum (analyze)` : sql`analyze`;
    await sql`${command} ${sql.table(name)}`.execute(db);
  }
  return false;
}

async function findTables(db: Database): Promise<Table[]> {
  // By default, the single session rarely writes its statistics.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<Table>`
    select name, is_bloated
    from pg_stat_user_tables
    join lateral (
      select relname as name, greatest(reltuples, 0) as rows,
        -- What was counted is lost when the process is killed.
        reltuples < 0 and pg_relation_size(oid) > 65536 as is_unknown
      from pg_class where pg_class.oid = relid
    ) known on true
    cross join lateral (
      select n_dead_tup > 50 + 0.2 * rows or n_ins_since_vacuum > 1000 + 0.2 * rows as is_bloated
    ) judged
    where is_bloated or is_unknown or n_mod_since_analyze > 50 + 0.1 * rows
    order by n_dead_tup + n_mod_since_analyze desc
  `.execute(db);
  return rows;
}
