import { isUnnamed, openBill, type BilledLine } from '../../ledger/bills/billed.ts';
import { billedProduct, gigabyteHours } from '../../ledger/bills/skus.ts';
import { addDays, monthAround, type Day } from '../../platform/lib/days.ts';
import { compare, getOrCreate } from '../../platform/lib/lists.ts';
import { divideHalfEven, magnitude, usd, usdOrNull } from '../../platform/lib/money.ts';
import type { Product } from '../../platform/lib/products.ts';
import { periodOf, widened, type MonthsContext } from './reconcile.ts';
import { findBilledPeriod } from './reconciliation.queries.ts';

/** `gigabyteHoursNanos` is null if nothing was kept for some time. */
type Sums = { grossNanos: bigint; netNanos: bigint; gigabyteHoursNanos: bigint | null };
type BilledProduct = Sums & { repositories: Map<string, Sums> };
export type BilledMonth = Map<Product, BilledProduct>;

/** What is billed in each month, oldest first. Counts like `reconcile`, but without reading our costs. */
export async function sumBilledMonths(
  ctx: MonthsContext,
  asked: { from?: Day | undefined; to?: Day | undefined },
): Promise<Map<string, BilledMonth>> {
  const { db, actor } = ctx;
  const from = asked.from && monthAround(asked.from).start;
  const to = asked.to && monthAround(asked.to).end;
  const billed = await findBilledPeriod(db, actor.orgId);
  const period = wholeMonths(periodOf(ctx, { by: 'month', from, to }, billed), billed);
  const months = new Map<string, BilledMonth>();
  if (!period) return months;
  const bill = await openBill(db, actor.orgId, widened(period));
  const lines = await bill.read(db, period, { per: 'month' });
  for (const line of lines.toSorted((a, b) => compare(a.day, b.day))) {
    const month = getOrCreate(months, line.day.slice(0, 7), () => new Map());
    const product = getOrCreate(month, billedProduct(line), () => ({ ...nothing, repositories: new Map() }));
    const name = bill.repositoryOf(line);
    const repository = isUnnamed(name) ? '' : name;
    addLine(product, line);
    addLine(
      getOrCreate(product.repositories, repository, () => ({ ...nothing })),
      line,
    );
  }
  return months;
}

type Days = { start: Day; end: Day };

/** Without a first month of which billed days are too old, if others follow: its sums would look like those of all of it. */
function wholeMonths(period: Days | null, billed: Days | null): Days | null {
  if (!period || !billed || billed.start >= period.start) return period;
  const month = monthAround(period.start);
  const start = month.start === period.start ? month.start : addDays(month.end, 1);
  return start > period.end ? period : { start, end: period.end };
}

const nothing: Sums = { grossNanos: 0n, netNanos: 0n, gigabyteHoursNanos: null };

function addLine(sums: Sums, line: BilledLine): void {
  sums.grossNanos += line.grossNanos;
  sums.netNanos += line.netNanos;
  const hours = gigabyteHours(line);
  if (hours !== null) sums.gigabyteHoursNanos = (sums.gigabyteHoursNanos ?? 0n) + hours;
}

const maxListed = 20;

export function billedMonthView(month: string, billed: BilledMonth) {
  const hours = 24 * monthAround(`${month}-01`).days;
  const view = ({ grossNanos, netNanos, gigabyteHoursNanos }: Sums) => ({
    gross: usd(grossNanos),
    net: usd(netNanos),
    average_gigabytes: usdOrNull(gigabyteHoursNanos && averageOf(gigabyteHoursNanos, hours)),
  });
  const products = [...billed].toSorted(byNet);
  return {
    month,
    hours,
    bill_net: usd(products.reduce((sum, [, { netNanos }]) => sum + netNanos, 0n)),
    products: products.map(([product, { repositories, ...sums }]) => ({
      product,
      ...view(sums),
      repositories: [...repositories]
        .toSorted(byNet)
        .slice(0, maxListed)
        .map(([repository, ofOne]) => ({ repository, ...view(ofOne) })),
    })),
  };
}

function averageOf(nanos: bigint, hours: number): bigint {
  const average = divideHalfEven(magnitude(nanos), BigInt(hours));
  return nanos < 0n ? -average : average;
}

function byNet([a, ofA]: [string, Sums], [b, ofB]: [string, Sums]): number {
  return compare(ofB.netNanos, ofA.netNanos) || compare(ofB.grossNanos, ofA.grossNanos) || compare(a, b);
}
