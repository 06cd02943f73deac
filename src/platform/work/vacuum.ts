import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Poller } from './worker.ts';

type Table = { name: string; isBloated: boolean };

/**
 * What autovacuum does on a server, with its thresholds: room that was taken by removed rows is used again, and the
 * planner learns how large tables are. The embedded database has no processes of its own for it.
 */
export function vacuumPollers({ db, databaseUrl }: { db: Database; databaseUrl: string | null }): Poller[] {
  if (databaseUrl !== null) return [];
  return [{ name: 'vacuum', everyMilliseconds: 60_000, run: (signal) => vacuum(db, signal) }];
}

/** One table after another, so that whatever waits comes in between. */
async function vacuum(db: Database, signal: AbortSignal): Promise<boolean> {
  for (const { name, isBloated } of await findTables(db)) {
    if (signal.aborted) break;
    const command = isBloated ? sql`vacuum (analyze)` : sql`analyze`;
    await sql`${command} ${sql.table(name)}`.execute(db);
  }
  return false;
}

/** The tables that need it, the worst first. */
async function findTables(db: Database): Promise<Table[]> {
  // Its one session seldom comes to write down by itself what it has counted.
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
