import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import { readDistribution } from '../db/distribution.ts';
import { prepareLongWork } from './rows.queries.ts';

type Index = { oid: number; name: string; table: string; order: string; predicate: string | null };

/** `fault` is null if nothing is wrong, and undefined if this server cannot check it. */
type Checked<T> = T & { fault: string | null | undefined };

class Undo extends Error {}

/** With amcheck if the server allows it, else by counting rows both ways. Leaves no change. */
export async function checkIndexes(
  db: Database,
  report: (checked: Checked<Pick<Index, 'name' | 'table'>>) => void,
  { mayUseAmcheck = true }: { mayUseAmcheck?: boolean } = {},
): Promise<void> {
  try {
    // Rows recorded between two counts would look like a fault.
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await prepareLongWork(tx);
        const distributed = new Set((await readDistribution(tx))?.distributed);
        const checksShards = distributed.size > 0 && (await isAmcheckInstalled(tx));
        if (checksShards) for (const table of distributed) await checkShards(tx, table, report);
        const hasAmcheck = mayUseAmcheck && (await attempt(tx, () => installAmcheck(tx))) === null;
        const check = hasAmcheck ? checkByAmcheck : checkByCount;
        for (const index of await listIndexes(tx)) {
          if (distributed.has(index.table)) {
            // Only an empty table of that name is here.
            if (!checksShards) report({ ...index, fault: undefined });
            continue;
          }
          let fault: string | null | undefined = null;
          const error = await attempt(tx, async () => void (fault = await check(tx, index)));
          if (error && !isDamage(error)) throw error;
          report({ ...index, fault: error ? error.message : fault });
        }
        throw new Undo();
      });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}

/** Returns the error of the database, and keeps the transaction usable after it. */
async function attempt(tx: Transaction, work: () => Promise<void>): Promise<DatabaseError | null> {
  await sql`savepoint attempt`.execute(tx);
  try {
    await work();
    await sql`release savepoint attempt`.execute(tx);
    return null;
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx);
    return error as DatabaseError;
  }
}

type DatabaseError = Error & { code?: string };

/** Class XX of https://www.postgresql.org/docs/current/errcodes-appendix.html: data or an index is corrupted. */
function isDamage({ code }: DatabaseError): boolean {
  return code?.startsWith('XX') ?? false;
}

async function installAmcheck(tx: Transaction): Promise<void> {
  await sql`create extension if not exists amcheck`.execute(tx);
  const { rows } = await sql<{ mayUse: boolean }>`
    select has_function_privilege('bt_index_check(regclass, boolean)', 'execute') as may_use`.execute(tx);
  if (!rows[0]!.mayUse) throw new Error('this user may not execute bt_index_check');
}

async function listIndexes(tx: Transaction): Promise<Index[]> {
  const { rows } = await sql<Index>`
    select i.indexrelid::int8::int4 as oid, c.relname as name, t.relname as table,
      pg_get_expr(i.indpred, i.indrelid) as predicate,
      (
        select string_agg(pg_get_indexdef(i.indexrelid, n, false)
          || case when i.indoption[n - 1] & 1 = 1 then ' desc' else '' end
          || case when i.indoption[n - 1] & 2 = 2 then ' nulls first' else ' nulls last' end, ', ' order by n)
        from generate_series(1, i.indnkeyatts) n
      ) as order
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_class t on t.oid = i.indrelid
    join pg_am a on a.oid = c.relam and a.amname = 'btree'
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace
    order by t.relname, c.relname
  `.execute(tx);
  return rows;
}

async function isAmcheckInstalled(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select to_regprocedure('bt_index_check(regclass, boolean)') is not null as is`.execute(tx);
  return rows[0]!.is;
}

/** The indexes of each part of a distributed table, on the server that has it. */
async function checkShards(
  tx: Transaction,
  table: string,
  report: (checked: Checked<Pick<Index, 'name' | 'table'>>) => void,
): Promise<void> {
  const check = `
    select string_agg(bt_index_check(i.indexrelid, true)::text, '') from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam and a.amname = 'btree'
    where i.indrelid = '%s'::regclass`;
  const { rows } = await sql<{ shard: string; success: boolean; result: string }>`
    select shardid::text as shard, success, result from run_command_on_shards(${table}::regclass, ${check})`.execute(
    tx,
  );
  for (const { shard, success, result } of rows)
    report({ name: `${table}_${shard}`, table, fault: success ? null : result });
}

async function checkByAmcheck(tx: Transaction, { oid }: Index): Promise<null> {
  await sql`select bt_index_check(${sql.lit(oid)}::oid::regclass, true)`.execute(tx);
  return null;
}

async function checkByCount(tx: Transaction, index: Index): Promise<string | null | undefined> {
  const { table, predicate, order } = index;
  const where = predicate === null ? sql`` : sql`where ${sql.raw(predicate)}`;
  await choosePlans(tx, { seqscan: true });
  const inTable = await countOf(tx, sql`select 1 from ${sql.table(table)} ${where} offset 0`);
  await choosePlans(tx, { seqscan: false });
  const ordered = sql`select 1 from ${sql.table(table)} ${where} order by ${sql.raw(order)} offset 0`;
  const plan = await sql<{ plan: string }>`explain (format json) ${ordered}`.execute(tx);
  if (!JSON.stringify(plan.rows).includes(`"${index.name}"`)) return undefined;
  const inIndex = await countOf(tx, ordered);
  return inIndex === inTable ? null : `index "${index.name}" has ${inIndex} of ${inTable} rows`;
}

async function choosePlans(tx: Transaction, { seqscan }: { seqscan: boolean }): Promise<void> {
  for (const name of ['indexscan', 'indexonlyscan']) {
    await sql`select set_config(${`enable_${name}`}, ${seqscan ? 'off' : 'on'}, true)`.execute(tx);
  }
  await sql`select set_config('enable_seqscan', ${seqscan ? 'on' : 'off'}, true)`.execute(tx);
  for (const name of ['bitmapscan', 'sort', 'incremental_sort']) {
    await sql`select set_config(${`enable_${name}`}, 'off', true)`.execute(tx);
  }
}

async function countOf(tx: Transaction, query: RawBuilder<unknown>): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`select count(*) as count from (${query}) found`.execute(tx);
  return rows[0]!.count;
}

type ForeignKey = { name: string; child: string; parent: string; pairs: [child: string, parent: string][] };

/** Rows whose parent is missing: the database checks changes, but a damaged disk can lose rows. */
export async function checkForeignKeys(
  tx: Transaction,
  report: (checked: Checked<{ name: string; table: string }>) => void,
): Promise<void> {
  const { rows } = await sql<ForeignKey>`
    select k.conname as name, c.relname as child, p.relname as parent,
      (
        select json_agg(json_build_array(a.attname, b.attname))
        from unnest(k.conkey, k.confkey) as pair (own, theirs)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
        join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.theirs
      ) as pairs
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_class p on p.oid = k.confrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace
    order by c.relname, k.conname
  `.execute(tx);
  for (const { name, child, parent, pairs } of rows) {
    const matches = pairs.map(([own, theirs]) => sql`p.${sql.ref(theirs)} = c.${sql.ref(own)}`);
    const given = pairs.map(([own]) => sql`c.${sql.ref(own)} is not null`);
    const orphans = await countOf(
      tx,
      sql`select 1 from ${sql.table(child)} c where ${sql.join(given, sql` and `)}
        and not exists (select 1 from ${sql.table(parent)} p where ${sql.join(matches, sql` and `)})`,
    );
    const fault =
      orphans === 0n
        ? null
        : `${orphans} ${orphans === 1n ? 'row has' : 'rows have'} no row in ${parent} (${name})`;
    report({ name, table: child, fault });
  }
}
