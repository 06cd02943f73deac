import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ReportedAmount } from '../../platform/http/amounts.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { toNanos, type Nanos } from '../../platform/lib/money.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import {
  findAmountsOfRuns,
  findExcess,
  mergeAmounts,
  type AmountsKey,
  type AmountsReport,
} from './amounts.queries.ts';
import type { StoredAmount } from './tables.ts';

export type { AmountsReport } from './amounts.queries.ts';

/** So that a mistaken key, such as a time, does not fill the run. */
export const maxReportsPerRun = 100;

export type Amount = {
  product: StoredAmount['product'];
  unit: string | null;
  quantity: number | null;
  costNanos: Nanos;
};

/** Amounts in US dollars have at most nine decimals. `path` names the field in the fault. */
export function readAmounts(path: string, amounts: readonly ReportedAmount[]): StoredAmount[] {
  return amounts.map(({ product, unit = null, quantity = null, cost }, index) => {
    const costNanos = toNanos(cost);
    if (costNanos === null) throw invalid(`${path}[${index}].cost`, 'must have at most 9 decimals');
    return { product, unit, quantity, costNanos: String(costNanos) };
  });
}

/** Whether its run has as many reports as it may have, not counting those that replace one. */
export async function findTooMany(
  db: Database,
  orgId: string,
  reports: readonly AmountsReport[],
): Promise<(report: AmountsReport) => boolean> {
  const keyOf = ({ runId, attempt, key }: AmountsKey) => JSON.stringify([runId, attempt, key]);
  const excess = reports.length === 0 ? [] : await findExcess(db, orgId, reports, maxReportsPerRun);
  const keys = new Set(excess.map(keyOf));
  return (report) => keys.has(keyOf(report));
}

export const tooManyAmounts = `would be more than ${maxReportsPerRun} attempts and keys of the run: report an earlier key again, with the sum`;

/** Under the cost lock, because answers about costs are kept until costs change. */
export async function saveAmounts(
  db: Database,
  orgId: string,
  reports: readonly AmountsReport[],
  now: Date,
): Promise<number> {
  if (reports.length === 0) return 0;
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    return mergeAmounts(tx, orgId, reports, now);
  });
}

export async function reportAmounts(
  { db, actor, clock }: Pick<Context, 'db' | 'actor' | 'clock'>,
  report: AmountsReport,
): Promise<void> {
  const isTooMuch = await findTooMany(db, actor.orgId, [report]);
  if (isTooMuch(report)) throw invalid('key', tooManyAmounts);
  const saved = await saveAmounts(db, actor.orgId, [report], clock.now());
  if (saved === 0) throw notFound('run');
}

/** Those with the same product and unit are one. A quantity is unknown if one of them is. */
export async function sumAmounts(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  runIds: readonly string[],
): Promise<Amount[]> {
  const sums = new Map<string, Amount>();
  for (const { product, unit, quantity, costNanos } of await findAmountsOfRuns(db, actor.orgId, runIds)) {
    const sum = getOrCreate(sums, `${product} ${unit}`, () => ({
      product,
      unit,
      quantity: 0,
      costNanos: 0n,
    }));
    sum.costNanos += BigInt(costNanos);
    sum.quantity = sum.quantity === null || quantity === null ? null : sum.quantity + quantity;
  }
  return [...sums.values()];
}

export function costOfAmounts(amounts: readonly Amount[]): Nanos {
  return amounts.reduce((sum, { costNanos }) => sum + costNanos, 0n);
}
