import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { Tables } from '../../tables.ts';

export const poolRows = rowsIn('runnerPools');

export type PoolRow = Selectable<Tables['runnerPools']>;
export type PoolDayRow = Omit<Selectable<Tables['runnerPoolDays']>, 'orgId'>;

/** In the order in which they are tried. */
export function findPools(db: Database, orgId: string): Promise<PoolRow[]> {
  return poolRows.list(db, { orgId }, 'position');
}

export function findPoolDays(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<PoolDayRow[]> {
  return db
    .selectFrom('runnerPoolDays')
    .select(['poolId', 'day', 'costNanos'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .execute();
}

export type Imported = { poolId: string; firstDay: Day; lastDay: Day; days: bigint; costNanos: Nanos };

/** What was imported, by pool. */
export async function sumPoolDays(db: Database, orgId: string): Promise<Imported[]> {
  // Many large amounts are more than a bigint holds.
  const { rows } = await sql<Omit<Imported, 'costNanos'> & { costNanos: string }>`
    select pool_id, min(day) as first_day, max(day) as last_day, count(*) as days, sum(cost_nanos) as cost_nanos
    from runner_pool_days where org_id = ${orgId} group by pool_id
  `.execute(db);
  return rows.map((row) => ({ ...row, costNanos: BigInt(row.costNanos) }));
}

export async function savePoolDays(
  tx: Transaction,
  orgId: string,
  rows: readonly PoolDayRow[],
): Promise<void> {
  const types = { poolId: 'text', day: 'date', costNanos: 'bigint' } as const;
  await sql`
    insert into runner_pool_days (org_id, pool_id, day, cost_nanos) ${unnestRows(orgId, rows, types)}
    on conflict (org_id, pool_id, day) do update set cost_nanos = excluded.cost_nanos
  `.execute(tx);
}
