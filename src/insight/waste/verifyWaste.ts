import type { Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { chunksOf } from '../../platform/lib/lists.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { findSavedSums, findUnits, keyOfUnit, type StaleUnit, type UnitSums } from './rollups.queries.ts';
import { findStale, sumUnits, type RollupContext } from './rollups.ts';

type Difference = { table: string; day: Day; of: string; measure: string; stored: bigint; summed: bigint };

const unitsAtOnce = 200;

/** Sums up all jobs again, except in outdated units, which the next request recomputes anyway. */
export async function verifyWaste(
  tx: Transaction,
  { orgId, providers }: { orgId: string } & Pick<RollupContext, 'providers'>,
): Promise<{ units: number; outdated: number; differences: Difference[] }> {
  const ctx: RollupContext = { db: tx, providers, actor: { orgId } };
  const stale = new Set((await findStale(tx, ctx)).map(keyOfUnit));
  const { retention } = await getOrganization({ db: tx, actor: { orgId } });
  const found = await findUnits(tx, orgId, retention.detailsFrom);
  const units = found.filter((unit) => !stale.has(keyOfUnit(unit)));
  const differences: Difference[] = [];
  for (const chunk of chunksOf(units, unitsAtOnce)) {
    const summed = amountsOf(await sumUnits(tx, ctx, chunk));
    const stored = amountsOf(await findSavedSums(tx, orgId, chunk));
    for (const [key, amount] of new Map([...summed, ...stored])) {
      const [a, b] = [stored.get(key)?.value ?? 0n, summed.get(key)?.value ?? 0n];
      if (a !== b) differences.push({ ...amount.place, stored: a, summed: b });
    }
  }
  return { units: units.length, outdated: stale.size, differences };
}

type Amount = { place: Omit<Difference, 'stored' | 'summed'>; value: bigint };

function amountsOf(sums: readonly UnitSums[]): Map<string, Amount> {
  const amounts = new Map<string, Amount>();
  const add = (table: string, unit: StaleUnit, row: { day: Day }): void => {
    for (const [measure, value] of Object.entries(row)) {
      if (typeof value !== 'bigint') continue;
      const place = { table, day: row.day, of: `${unit.workflowId}, runs of ${unit.day}`, measure };
      const key = JSON.stringify(place);
      const known = amounts.get(key)?.value ?? 0n;
      amounts.set(key, { place, value: known + value });
    }
  };
  for (const { unit, days, jobs } of sums) {
    for (const row of days) add('waste_days', unit, row);
    for (const row of jobs) add('waste_jobs', unit, row);
  }
  return amounts;
}
