import type { Transaction } from '../../../platform/db/database.ts';
import { addDays, type Day, type Window } from '../../../platform/lib/days.ts';
import { yieldToRequests } from '../../../platform/lib/turns.ts';
import { isUnnamed, openBill, type BilledLine } from '../../bills/billed.ts';
import { piecesOf } from '../../bills/coverage.ts';
import { billedProduct, normalizeWords } from '../../bills/skus.ts';
import { isMoney, type Metric } from '../costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import { columnOf } from './dayColumns.ts';
import type { Billed, DayRows } from './readDays.ts';
import { findRunAmounts, type AmountRow } from './runAmounts.queries.ts';
import { codedAmounts, constant, type Amounts } from './sumRows.ts';

/** A month and the day after: a large organization has storage in thousands of repositories. */
const maxDaysRead = 32;

type Asked = Pick<Window, 'start' | 'end'>;

/**
 * What there is beside jobs, for each day and product: a row for each line of the bill, and for each amount that a run
 * reported. GitHub's bill has what GitHub's runs report in the bill's own units, such as AI credits: on the day of the run,
 * or on the next if it ran past midnight.
 */
export async function readOtherDays(
  tx: Transaction,
  orgId: string,
  names: readonly ColumnName[],
  window: Asked,
): Promise<DayRows[]> {
  const { days: billed, units } = await readBilledDays(tx, orgId, window);
  const amounts: DayRows[] = [];
  for (const piece of piecesOf(window, maxDaysRead)) {
    const found = await findRunAmounts(tx, orgId, names, piece);
    const counted = found.filter((row) => row.provider !== 'github' || !units.has(unitKey(row)));
    const ofDays = Map.groupBy(counted, ({ day, product }) => `${day} ${product}`);
    amounts.push(...[...ofDays.values()].map(amountDay));
    await yieldToRequests();
  }
  return [...billed, ...amounts];
}

/** GitHub's bill says `ai-credits`. What reports call credits, in any spelling, are the same. */
function unitKey({ day, product, unit }: Pick<AmountRow, 'day' | 'product' | 'unit'>): string {
  const words = normalizeWords(unit ?? '');
  return `${day} ${product} ${product === 'ai_credits' ? words.replace(/^(ai_?)?credits?$/, 'ai_credits') : words}`;
}

function amountDay(found: readonly AmountRow[]): DayRows {
  const { day, product } = found[0]!;
  const nanos = columnOf(found.map(({ costNanos }) => costNanos));
  return {
    day,
    rows: found.length,
    count: null,
    isRemoved: null,
    billed: { product, grossNanos: nanos, netNanos: nanos },
    column: (name) => columnOf(found.map((row) => row[name as ColumnName] ?? null)),
  };
}

async function readBilledDays(
  tx: Transaction,
  orgId: string,
  { start, end }: Asked,
): Promise<{ days: DayRows[]; units: Set<string> }> {
  const units = new Set<string>();
  const read = { start, end: addDays(end, 1) };
  const bill = await openBill(tx, orgId, read);
  const isCovered = (day: Day, { product, organization }: BilledLine) =>
    bill.decided.some(
      (each) =>
        each.product === product &&
        each.organization === organization &&
        each.firstDay <= day &&
        day <= each.lastDay,
    );
  const days: DayRows[] = [];
  for (const piece of piecesOf(read, maxDaysRead)) {
    const lines = await bill.read(tx, piece, { per: 'day', only: 'others' });
    for (const line of lines)
      for (const day of [line.day, addDays(line.day, -1)])
        if (isCovered(day, line)) units.add(unitKey({ ...line, day, product: billedProduct(line) }));
    const ofDays = Map.groupBy(lines, ({ day }) => day);
    for (let { start: day } = piece; day <= piece.end && day <= end; day = addDays(day, 1)) {
      const products = Map.groupBy(ofDays.get(day) ?? [], billedProduct);
      for (const [product, of] of products) days.push(billedDay(day, product, of, bill.repositoryOf));
    }
    await yieldToRequests();
  }
  return { days, units };
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
