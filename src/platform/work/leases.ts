import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder, type UpdateObject } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/time.ts';
import { changeInEach } from './claims.ts';
import type { LeaseColumns } from './tables.ts';

/**
 * The exclusive right to work on claimed rows until a certain time. After that, another process may claim them.
 */
export type Lease = { id: string; until: Date };

type LeasedTable = {
  [Name in keyof Tables]: Tables[Name] extends LeaseColumns ? Name : never;
}[keyof Tables];

type LeasedRow = { orgId: string; id: string; lease: string | null };

export function newLease(clock: Clock, milliseconds: number): Lease {
  return { id: randomUUID(), until: leaseEnd(clock, milliseconds) };
}

export function leaseEnd(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

export function isFree(now: Date): RawBuilder<boolean> {
  return sql`(lease is null or leased_until <= ${now})`;
}

export function isHeld(now: Date): RawBuilder<boolean> {
  return sql`(lease is not null and leased_until > ${now})`;
}

export function leasedBy({ id, until }: Lease): RawBuilder<unknown> {
  return sql`lease = ${id}, leased_until = ${until}`;
}

export const noLease: LeaseColumns = { lease: null, leasedUntil: null };

export function renewLease<Table extends LeasedTable>(
  db: Database,
  table: Table,
  row: LeasedRow,
  until: Date,
  change: UpdateObject<Tables, Table> = {},
): Promise<boolean> {
  return changeHeld(db, table, row, { ...change, leasedUntil: until });
}

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
    // A row without a lease has no holder: null equals nothing here.
    .where('lease', '=', row.lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

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

function leasedRows(db: Database): Kysely<Record<LeasedTable, LeasedRow & LeaseColumns>> {
  return db as unknown as Kysely<Record<LeasedTable, LeasedRow & LeaseColumns>>;
}

const underWay = new WeakMap<Database, Set<{ table: LeasedTable; id: string }>>();

/** Runs `work` under a new lease. Until it ends, `giveBackLeases` can release the lease. */
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

/** So that others can claim them at once. Messages may be sent twice. */
export async function giveBackLeases(db: Database, table: LeasedTable): Promise<void> {
  const ids = [...(underWay.get(db) ?? [])].filter((held) => held.table === table).map(({ id }) => id);
  if (ids.length === 0) return;
  const [name, isOwn] = [sql.table(table), sql`lease = any(${ids}::text[])`];
  await changeInEach(
    db,
    sql`select org_id from ${name} where ${isOwn}`,
    (orgId) => sql`
      update ${name} set lease = null, leased_until = null
      where org_id = ${orgId} and ${isOwn}
    `,
  );
}
