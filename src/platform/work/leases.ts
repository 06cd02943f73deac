import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder, type UpdateObject } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/time.ts';
import type { LeaseColumns } from './tables.ts';

/**
 * The right to work at the rows that were claimed with it, until it runs out. After that another may claim them, and
 * nothing that the former holder writes is taken. Work that stays within one transaction locks its rows instead.
 */
export type Lease = { id: string; until: Date };

type LeasedTable = {
  [Name in keyof Tables]: Tables[Name] extends LeaseColumns ? Name : never;
}[keyof Tables];

/** A row as its claim answered it: with the id of the lease that it was claimed with. */
type LeasedRow = { orgId: string; id: string; lease: string | null };

export function newLease(clock: Clock, milliseconds: number): Lease {
  return { id: randomUUID(), until: leaseEnd(clock, milliseconds) };
}

/** When a lease ends that begins, or is renewed, now. */
export function leaseEnd(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

/** SQL for a claim's WHERE: nobody works at the row. */
export function isFree(now: Date): RawBuilder<boolean> {
  return sql`(lease is null or leased_until <= ${now})`;
}

/** SQL: somebody works at the row. */
export function isHeld(now: Date): RawBuilder<boolean> {
  return sql`(lease is not null and leased_until > ${now})`;
}

/** SQL for a claim's SET: the row is leased. */
export function leasedBy({ id, until }: Lease): RawBuilder<unknown> {
  return sql`lease = ${id}, leased_until = ${until}`;
}

/** For an UPDATE that takes a row from whoever works at it. */
export const noLease: LeaseColumns = { lease: null, leasedUntil: null };

/** Holds a row for longer, and writes what has come of the work so far. Answers false where the lease is lost. */
export function renewLease<Table extends LeasedTable>(
  db: Database,
  table: Table,
  row: LeasedRow,
  until: Date,
  change: UpdateObject<Tables, Table> = {},
): Promise<boolean> {
  return changeHeld(db, table, row, { ...change, leasedUntil: until });
}

/** Gives a row back, and writes what has come of the work. Answers false where the lease is lost. */
export function releaseLease<Table extends LeasedTable>(
  db: Database,
  table: Table,
  row: LeasedRow,
  change: UpdateObject<Tables, Table> = {},
): Promise<boolean> {
  return changeHeld(db, table, row, { ...change, ...noLease });
}

async function changeHeld(
  db: Database,
  table: LeasedTable,
  row: LeasedRow,
  change: object,
): Promise<boolean> {
  const { numUpdatedRows } = await leasedRows(db)
    .updateTable(table)
    .set(change)
    .where('orgId', '=', row.orgId)
    .where('id', '=', row.id)
    .where('lease', '=', row.lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the row is still held with the lease that it was claimed with. */
export async function holdsLease(db: Database, table: LeasedTable, row: LeasedRow): Promise<boolean> {
  const held = await leasedRows(db)
    .selectFrom(table)
    .select('id')
    .where('orgId', '=', row.orgId)
    .where('id', '=', row.id)
    .where('lease', '=', row.lease)
    .executeTakeFirst();
  return held !== undefined;
}

/** What the tables of leased rows have in common. */
function leasedRows(db: Database): Kysely<Record<LeasedTable, LeasedRow & LeaseColumns>> {
  return db as unknown as Kysely<Record<LeasedTable, LeasedRow & LeaseColumns>>;
}

/** The leases of work that this process has under way, by database and table. */
const underWay = new WeakMap<Database, Set<{ table: LeasedTable; id: string }>>();

/** Works under a new lease, which `giveBackLeases` knows of until the work has ended. */
export async function withLease<T>(
  { db, clock }: { db: Database; clock: Clock },
  table: LeasedTable,
  milliseconds: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = newLease(clock, milliseconds);
  const held = { table, id: lease.id };
  const leases = underWay.get(db) ?? new Set();
  underWay.set(db, leases.add(held));
  try {
    return await work(lease);
  } finally {
    leases.delete(held);
  }
}

/**
 * Gives back the rows of the table that this process still works at, for others to claim at once. What it has already
 * sent may then be sent twice.
 */
export async function giveBackLeases(db: Database, table: LeasedTable): Promise<void> {
  const ids = [...(underWay.get(db) ?? [])].filter((held) => held.table === table).map(({ id }) => id);
  if (ids.length === 0) return;
  await leasedRows(db).updateTable(table).set(noLease).where('lease', 'in', ids).execute();
}
