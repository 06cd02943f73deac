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

/** The tables of organizations that are still to distribute, in the order of `tables`. */
export function planDistribution(tables: readonly Table[], distributed: readonly string[]): string[] {
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'org_id'))
    .map(({ name }) => name)
    .filter((name) => !distributed.includes(name));
}

export function describeUndistributed({ undistributed }: Distribution): string {
  const named = `${undistributed[0]}${undistributed.length > 1 ? ', …' : ''}`;
  const count = countOf(undistributed.length, 'undistributed table');
  return `The database has Citus, and ${count} (${named}). Run \`runcost distribute\`.`;
}
