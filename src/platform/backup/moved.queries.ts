import { sql } from 'kysely';
import {
  openDatabase,
  ownApplication,
  type Database,
  type DatabaseAddress,
  type OpenDatabase,
  type Transaction,
} from '../db/database.ts';
import { type Hold, moveUnfinished } from '../db/installation.ts';
import { PublicError } from '../lib/errors.ts';

/** What a move has completed, and the hold for its end. Exists only in a target during a move. */
const table = sql.table('moved_tables');
const formerHold = sql.table('moved_hold');

/** Everything that others recorded in the source from now on would be lost. */
export async function refuseWhileUsed(source: Database): Promise<void> {
  const { rows } = await sql<{ others: bigint }>`
    select count(*) as others from pg_stat_activity
    where datname = current_database() and application_name = ${ownApplication}`.execute(source);
  if (rows[0]!.others <= 0n) return;
  const message = 'A server or command is using the source database. Stop it, and run `runcost move` again.';
  throw new PublicError('conflict', 'database_in_use', message);
}

export async function startMoved(tx: Transaction): Promise<void> {
  await sql`create table ${table} (name text primary key)`.execute(tx);
  await sql`create table ${formerHold} (reason text, detail text, since timestamptz)`.execute(tx);
}

/** Opens a database without migrating it. Refuses the target of an unfinished move. */
export async function openWhole(address: DatabaseAddress): Promise<OpenDatabase> {
  const database = await openDatabase(address, { mayCreate: false });
  try {
    await refuseHalfMoved(database.db);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Also works on databases of older versions, which have no holds. */
async function refuseHalfMoved(db: Database): Promise<void> {
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
