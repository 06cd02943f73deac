import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { usd, type Nanos } from '../../platform/lib/money.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { readPoolFile, type PoolFile } from './poolFile.ts';
import { listPools, type Pool } from './pools.ts';
import { findPoolDays, savePoolDays, type PoolDayRow } from './queries.ts';

export type ImportedCosts = PoolFile & { pools: Pool[]; changed: PoolDayRow[]; isDryRun: boolean };

/** Replaces the amounts of the pools and days that the file names, all or nothing. Others stay. */
export async function importCosts(ctx: Context, text: string, isDryRun: boolean): Promise<ImportedCosts> {
  const { db, actor } = ctx;
  // Before anything is locked, because a large file takes seconds. A pool that is deleted meanwhile takes its amounts along.
  const file = await readPoolFile(text, await listPools(db, actor.orgId));
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    const pools = await listPools(tx, actor.orgId);
    const known = new Set(pools.map(({ id }) => id));
    const days = file.days.filter(({ poolId }) => known.has(poolId));
    const changed = days.length === 0 ? [] : await changedDays(tx, actor.orgId, days);
    if (!isDryRun && changed.length > 0) {
      await savePoolDays(tx, actor.orgId, changed);
      const named = pools.filter(({ id }) => changed.some(({ poolId }) => poolId === id));
      const details = { days: changed.length, pools: named.map(({ name }) => name) };
      await recordAudit(tx, ctx, 'runner_pool.import', actor.orgId, details);
    }
    return { ...file, days, pools, changed, isDryRun };
  });
}

async function changedDays(
  tx: Transaction,
  orgId: string,
  days: readonly PoolDayRow[],
): Promise<PoolDayRow[]> {
  const window = { start: days.at(0)!.day, end: days.at(-1)!.day };
  const keyOf = ({ poolId, day, costNanos }: PoolDayRow) => `${poolId} ${day} ${costNanos}`;
  const known = new Set((await findPoolDays(tx, orgId, window)).map(keyOf));
  return days.filter((row) => !known.has(keyOf(row)));
}

export function importView({ isDryRun, lines, others, pools, days, changed }: ImportedCosts) {
  const sumOf = (rows: readonly PoolDayRow[]): Nanos => rows.reduce((sum, row) => sum + row.costNanos, 0n);
  return {
    dry_run: isDryRun,
    lines,
    other_lines: others,
    pools: pools.flatMap(({ id, name }) => {
      const ofPool = days.filter(({ poolId }) => poolId === id);
      const [first, last] = [ofPool.at(0), ofPool.at(-1)];
      if (!first || !last) return [];
      return {
        id,
        name,
        first_day: first.day,
        last_day: last.day,
        cost: usd(sumOf(ofPool)),
        changed_days: changed.filter(({ poolId }) => poolId === id).length,
      };
    }),
  };
}
