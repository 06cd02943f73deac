import { sql } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';

/** Which tables a move has completed. Only a target has this table, and only until the move ends. */
const table = sql.table('moved_tables');

export async function startMoved(tx: Transaction): Promise<void> {
  await sql`create table ${table} (name text primary key)`.execute(tx);
}

export async function listMoved(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(db);
  return rows.map(({ name }) => name);
}

export async function noteMoved(tx: Transaction, name: string): Promise<void> {
  await sql`insert into ${table} values (${name})`.execute(tx);
}

export async function dropMoved(tx: Transaction): Promise<void> {
  await sql`drop table ${table}`.execute(tx);
}
