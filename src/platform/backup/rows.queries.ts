import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import type { Column, Table } from '../db/listTables.ts';

/** Runs `work` on one state of all tables, or of each server's tables with Citus. It cannot change anything. */
export async function inReading<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await prepareLongWork(tx);
      // Each connection to a server of Citus sees a state of its own.
      await sql`set local citus.max_adaptive_executor_pool_size = 1`.execute(tx);
      return work(tx);
    });
}

/** Makes values have the same text on every server, and lifts the time limits. */
export async function prepareLongWork(tx: Transaction): Promise<void> {
  // Else they hold on the first server of Citus only.
  await sql`set local citus.propagate_set_commands = 'local'`.execute(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  await sql`set local timezone = 'UTC'`.execute(tx);
  await sql`set local bytea_output = 'hex'`.execute(tx);
}

/** Views of extensions do not count. */
export async function isEmptyDatabase(db: Database | Transaction): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f')
      and not exists (
        select 1 from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e'
      )
    limit 1
  `.execute(db);
  return rows.length === 0;
}

export async function countRows(tx: Transaction, { name }: Table): Promise<number> {
  const { rows } = await sql<{ rows: bigint }>`select count(*) as rows from ${sql.table(name)}`.execute(tx);
  return Number(rows[0]!.rows);
}

export async function countOrganizations(tx: Transaction): Promise<number> {
  return countRows(tx, { name: 'organizations', columns: [] });
}

/** `row_to_json` would mix up the JSON value `null` and SQL's null, so JSON columns are read as text. */
const isJson = ({ type }: Column) => type === 'jsonb' || type === 'json';

/** Selects each row as the JSON object of `row_to_json`, which keeps every digit. With Citus, that one loses the names. */
function linesOf({ name, columns }: Table): RawBuilder<unknown> {
  const members = columns.map((column) => {
    const value = isJson(column) ? sql`${sql.ref(column.name)}::text` : sql.ref(column.name);
    return sql`${sql.lit(`${JSON.stringify(column.name)}:`)} || coalesce(to_json(${value})::text, 'null')`;
  });
  return sql`select '{' || ${sql.join(members, sql` || ',' || `)} || '}' as line from ${sql.table(name)}`;
}

const maxFetched = 1_000;
const bytesOfFetch = 1_000_000;

/** Yields the rows in pieces of about a megabyte. A single row may be larger. */
export async function* readLines(tx: Transaction, table: Table): AsyncGenerator<string[]> {
  await sql`declare pg_reading no scroll cursor for ${linesOf(table)}`.execute(tx);
  let count = 1;
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(count)} from pg_reading`.execute(tx);
    if (rows.length === 0) break;
    const lines = rows.map(({ line }) => line);
    yield lines;
    const bytesEach = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
    count = Math.max(1, Math.min(maxFetched, 10 * count, Math.floor(bytesOfFetch / bytesEach)));
  }
  await sql`close pg_reading`.execute(tx);
}

export async function clearTable(tx: Transaction, { name }: Table): Promise<void> {
  await sql`delete from ${sql.table(name)}`.execute(tx);
}

export async function loadLines(tx: Transaction, table: Table, lines: readonly string[]): Promise<void> {
  const names = table.columns.map(({ name }) => sql.ref(name));
  const typed = table.columns.map((column) =>
    isJson(column) ? sql`${sql.ref(column.name)} text` : sql`${sql.ref(column.name)} ${sql.raw(column.type)}`,
  );
  const values = table.columns.map((column) =>
    isJson(column) ? sql`${sql.ref(column.name)}::${sql.raw(column.type)}` : sql.ref(column.name),
  );
  await sql`
    insert into ${sql.table(table.name)} (${sql.join(names)})
    select ${sql.join(values)} from json_to_recordset(${`[${lines.join(',')}]`}::json) as r (${sql.join(typed)})
  `.execute(tx);
}

/** The contents of a table in any order: the number of its rows, and the sum of their hashes. */
export type Digest = { rows: number; sum: string };

export const emptyDigest: Digest = { rows: 0, sum: '0' };

/** Returns the same as `digestOf` for the same rows. */
export function addToDigest({ rows, sum }: Digest, lines: readonly string[]): Digest {
  const added = lines.reduce(
    (total, line) => total + createHash('sha256').update(line).digest().readBigInt64BE(),
    BigInt(sum),
  );
  return { rows: rows + lines.length, sum: String(added) };
}

export async function digestOf(tx: Transaction, table: Table): Promise<Digest> {
  const { rows } = await sql<{ rows: bigint; sum: string }>`
    select count(*) as rows, coalesce(sum(hash), 0)::text as sum
    from (
      select ('x' || left(encode(sha256(convert_to(line, 'UTF8')), 'hex'), 16))::bit(64)::bigint as hash
      from (${linesOf(table)}) lines
    ) hashes
  `.execute(tx);
  return { rows: Number(rows[0]!.rows), sum: rows[0]!.sum };
}

export async function analyze(db: Database): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await prepareLongWork(tx);
    await sql`analyze`.execute(tx);
  });
}
