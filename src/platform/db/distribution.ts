import { sql } from 'kysely';
import { countOf } from '../lib/text.ts';
import type { Database, Transaction } from './database.ts';
import { listTables, type Table } from './listTables.ts';

/** How Citus spreads the tables of organizations over servers. */
export type Distribution = {
  distributed: string[];
  /** Those that one server still has as a whole, each after those that it references. */
  undistributed: string[];
};

/** Whether Citus is in this database, with distributed tables or none yet. */
export async function isDistributed(db: Database | Transaction): Promise<boolean> {
  const { rows } = await sql<{
    is: boolean;
  }>`select to_regclass('pg_dist_partition') is not null as is`.execute(db);
  return rows[0]!.is;
}

/** Null on plain PostgreSQL. */
export async function readDistribution(db: Database | Transaction): Promise<Distribution | null> {
  if (!(await isDistributed(db))) return null;
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace
  `.execute(db);
  const distributed = rows.map(({ name }) => name);
  return { distributed, undistributed: planDistribution(await listTables(db, []), distributed) };
}

/** Citus refuses statements over tables of both kinds. While none is distributed, all work. Null if all do. */
export async function findHalfDistributed(db: Database): Promise<Distribution | null> {
  const found = await readDistribution(db);
  return found && found.distributed.length > 0 && found.undistributed.length > 0 ? found : null;
}

/** Other tables keep an organization's rows on the server that has its row here. */
const first = 'organizations';

/** The tables of organizations that are still to distribute. The first can come first, because it references none. */
function planDistribution(tables: readonly Table[], distributed: readonly string[]): string[] {
  const left = tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'org_id'))
    .map(({ name }) => name)
    .filter((name) => !distributed.includes(name));
  return left.includes(first) ? [first, ...left.filter((name) => name !== first)] : left;
}

/** The statements that distribute these tables, and then free the space of their rows on the first server. */
export function distributingStatements(undistributed: readonly string[], shards: number): string[] {
  return [
    ...undistributed.map((name) => {
      const place =
        name === first ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${first}'`;
      return `select create_distributed_table('${name}', 'org_id', ${place})`;
    }),
    ...undistributed.map((name) => `select truncate_local_data_after_distributing_table('${name}')`),
  ];
}

/** All or nothing. */
export async function distribute(db: Database, statements: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await prepareDistributedChanges(tx);
    await sql`set local statement_timeout = 0`.execute(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

/** Without it, Citus refuses changes of several tables that reference each other in one transaction. */
export async function prepareDistributedChanges(tx: Transaction): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(tx);
}

export function describeUndistributed({ undistributed }: Distribution): string {
  const named = `${undistributed[0]}${undistributed.length > 1 ? ', …' : ''}`;
  const count = countOf(undistributed.length, 'undistributed table');
  return `The database has Citus, and ${count} (${named}). Run \`runcost distribute\`.`;
}
