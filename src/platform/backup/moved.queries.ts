import { sql } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import { type Hold, moveUnfinished } from '../db/installation.ts';

/**
 * The tables that a move has completed, and the hold to set at its end. They exist only in a target, and only
 * during a move.
 */
const table = sql.table('moved_tables');
const formerHold = sql.table('moved_hold');

export async function startMoved(tx: Transaction): Promise<void> {
  await sql`create table ${table} (name text primary key)`.execute(tx);
  await sql`create table ${formerHold} (reason text, detail text, since timestamptz)`.execute(tx);
}

/** Also works on databases of older versions, which have no holds. */
export async function refuseHalfMoved(db: Database): Promise<void> {
  const { rows } = await sql<{ is: boolean }>`select to_regclass('moved_tables') is not null as is`.execute(
    db,
  );
  if (rows[0]!.is) throw moveUnfinished();
}

export async function listMoved(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(db);
  return rows.map(({ name }) => name);
}

export async function noteMoved(tx: Transaction, name: string): Promise<void> {
  await sql`insert into ${table} values (${name})`.execute(tx);
}

export async function dropMoved(tx: Transaction): Promise<void> {
  await sql`drop table ${table}, ${formerHold}`.execute(tx);
}

export async function noteFormerHold(db: Database, hold: Hold | null): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`delete from ${formerHold}`.execute(tx);
    if (!hold) return;
    await sql`insert into ${formerHold} values (${hold.reason}, ${hold.detail}, ${hold.since})`.execute(tx);
  });
}

export async function findFormerHold(tx: Transaction): Promise<Hold | null> {
  const { rows } = await sql<Hold>`select reason, detail, since from ${formerHold}`.execute(tx);
  return rows[0] ?? null;
}
