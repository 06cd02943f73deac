import type { Transaction } from '../../../platform/db/database.ts';
import { addDays, type Day, type Window } from '../../../platform/lib/days.ts';
import { yieldToRequests } from '../../../platform/lib/turns.ts';
import { isUnnamed, openBill, type BilledLine } from '../../bills/billed.ts';
import { piecesOf } from '../../bills/coverage.ts';
import { billedProduct } from '../../bills/skus.ts';
import { isMoney, type Metric } from '../costQuestion.ts';
import { columnOf } from './dayColumns.ts';
import type { Billed, DayRows } from './readDays.ts';
import { codedAmounts, constant, type Amounts } from './sumRows.ts';

/** Few days at once, because a large organization has storage in thousands of repositories. */
const maxDaysRead = 30;

/** What the bill has beside jobs, for each day and product: a row for each line. */
export async function readBilledDays(
  tx: Transaction,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayRows[]> {
  const bill = await openBill(tx, orgId, { start, end });
  const days: DayRows[] = [];
  for (const piece of piecesOf({ start, end }, maxDaysRead)) {
    const lines = await bill.read(tx, piece, { per: 'day', only: 'others' });
    const ofDays = Map.groupBy(lines, ({ day }) => day);
    for (let { start: day } = piece; day <= piece.end; day = addDays(day, 1)) {
      const products = Map.groupBy(ofDays.get(day) ?? [], billedProduct);
      for (const [product, of] of products) days.push(billedDay(day, product, of, bill.repositoryOf));
    }
    await yieldToRequests();
  }
  return days;
}

function billedDay(
  day: Day,
  product: Billed['product'],
  lines: readonly BilledLine[],
  repositoryOf: (line: BilledLine) => string,
): DayRows {
  const rows = lines.length;
  const names = lines.map(repositoryOf).map((name) => (isUnnamed(name) ? null : name));
  const known = {
    repository: columnOf(names),
    provider: constant({ rows }, 'github'),
    // Reports have no run, workflow, job, runner or person of these lines.
    none: constant({ rows }, null),
  };
  return {
    day,
    rows,
    count: null,
    isRemoved: null,
    billed: {
      product,
      grossNanos: columnOf(lines.map(({ grossNanos }) => String(grossNanos))),
      netNanos: columnOf(lines.map(({ netNanos }) => String(netNanos))),
    },
    column: (name) => (name === 'repository' || name === 'provider' ? known[name] : known.none),
  };
}

/** Lines of the bill are no jobs and have no minutes. */
export function billedAmounts({ grossNanos, netNanos }: Billed, metric: Metric): Amounts {
  const { values, codes } = metric === 'net_cost' ? netNanos : grossNanos;
  return codedAmounts({ values: values.map((value) => (isMoney(metric) ? BigInt(value!) : 0n)), codes });
}
