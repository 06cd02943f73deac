import { noParts, type Cause, type Parts } from './causes.ts';
import { share } from './decimals.ts';
import { isStandardSku } from './skus.ts';

/** What we and the bill say of one SKU in one repository on one day. Minutes are billionths of a minute. */
export type Cell = {
  sku: string;
  ours: { minutesNanos: bigint; costNanos: bigint };
  bill: Bill;
  /** Whether the repository was public, as its runs say; null where no run of it has told. */
  isPublic: boolean | null;
};

export type Bill = {
  minutesNanos: bigint;
  /** Minutes times unit price, before the report's rounding. */
  listNanos: bigint;
  grossNanos: bigint;
  discountNanos: bigint;
  netNanos: bigint;
};

/** `differenceNanos` is our cost without the bill's net amount; the parts and what is unexplained add up to it. */
export type ExplainedCell = Cell & { differenceNanos: bigint; parts: Parts; unexplainedNanos: bigint };

/**
 * How many billionths of a minute of the same repository and SKU the bill has on the day before instead, and how many of
 * the next day's it has here. Both are 0 for most.
 */
export type Shift = { toDayBefore: bigint; fromDayAfter: bigint };

export const unpriced = 'unpriced';

/** What is left of one side after something of it has been explained. */
type Side = { minutes: bigint; nanos: bigint };

type Working = { cell: Cell; parts: Parts; ours: Side; bill: Side };

/** Explains the differences of one repository on one day. */
export function explainDay(
  cells: readonly Cell[],
  shiftOf: (cell: Cell) => Shift = () => ({ toDayBefore: 0n, fromDayAfter: 0n }),
): ExplainedCell[] {
  const all = cells.map(compareAmounts);
  for (const working of all) explainShift(working, shiftOf(working.cell));
  const labels = all.find(({ cell }) => cell.sku === unpriced);
  let unpricedMinutes = labels?.cell.ours.minutesNanos ?? 0n;
  for (const working of all) {
    const minutes = least(unpricedMinutes, working.bill.minutes);
    add(working, 'unpriced_label', -take(working, 'bill', minutes));
    unpricedMinutes -= minutes;
  }
  explainOtherRunners(all);
  for (const working of all) explainRest(working);
  return all.map(finish);
}

/** The minutes that both have are compared by price; what one has more stays to be explained. */
function compareAmounts(cell: Cell): Working {
  const { ours, bill } = cell;
  const working: Working = {
    cell,
    parts: noParts(),
    ours: { minutes: ours.minutesNanos, nanos: ours.costNanos },
    bill: { minutes: bill.minutesNanos, nanos: bill.listNanos },
  };
  const common = least(ours.minutesNanos, bill.minutesNanos);
  const ourPrice = take(working, 'ours', common);
  add(working, 'price_list', ourPrice - take(working, 'bill', common));
  add(working, 'rounding', bill.listNanos - bill.grossNanos);
  add(working, discountCause(cell), bill.grossNanos - bill.netNanos);
  return working;
}

/** Larger runners are never free; of a repository without runs nobody knows whether it is public. */
function discountCause({ sku, isPublic }: Cell): Cause {
  if (!isStandardSku(sku) || isPublic === null) return 'other_discount';
  return isPublic ? 'public_repository' : 'included_minutes';
}

function explainShift(working: Working, { toDayBefore, fromDayAfter }: Shift): void {
  add(working, 'day_shift', take(working, 'ours', least(toDayBefore, working.ours.minutes)));
  add(working, 'day_shift', -take(working, 'bill', least(fromDayAfter, working.bill.minutes)));
}

/** Minutes that we have on another kind of runner than the bill. */
function explainOtherRunners(all: readonly Working[]): void {
  for (const billed of all) {
    for (const counted of all) {
      if (counted === billed || counted.cell.sku === unpriced) continue;
      const minutes = least(billed.bill.minutes, counted.ours.minutes);
      add(counted, 'other_runner', take(counted, 'ours', minutes));
      add(billed, 'other_runner', -take(billed, 'bill', minutes));
    }
  }
}

function explainRest(working: Working): void {
  const { cell, ours, bill } = working;
  if (ours.minutes > 0n && isElsewhere(cell.sku))
    add(working, 'own_rate', take(working, 'ours', ours.minutes));
  if (ours.minutes > 0n && cell.isPublic && isStandardSku(cell.sku)) {
    add(working, 'public_repository', take(working, 'ours', ours.minutes));
  }
  // Where some jobs came, the others may have been measured otherwise: only a runner without any is sure.
  if (bill.minutes > 0n && cell.ours.minutesNanos === 0n) {
    add(working, 'missing_deliveries', -take(working, 'bill', bill.minutes));
  }
}

/** Runners that GitHub does not bill: the organization's own, other companies', and those with a rate of its own. */
function isElsewhere(sku: string): boolean {
  return sku === 'self_hosted' || sku === 'third_party' || sku.startsWith('custom:');
}

function finish({ cell, parts }: Working): ExplainedCell {
  const differenceNanos = cell.ours.costNanos - cell.bill.netNanos;
  const explained = Object.values(parts).reduce((sum, nanos) => sum + nanos, 0n);
  return { ...cell, differenceNanos, parts, unexplainedNanos: differenceNanos - explained };
}

function add({ parts }: Working, cause: Cause, nanos: bigint): void {
  parts[cause] += nanos;
}

/** Takes minutes from a side with their share of its amount, and answers that. */
function take(working: Working, name: 'ours' | 'bill', minutes: bigint): bigint {
  const side = working[name];
  if (minutes <= 0n) return 0n;
  const nanos = minutes === side.minutes ? side.nanos : share(side.nanos, minutes, side.minutes);
  working[name] = { minutes: side.minutes - minutes, nanos: side.nanos - nanos };
  return nanos;
}

/** 0 where one of them is below, as minutes that a report takes back are. */
function least(a: bigint, b: bigint): bigint {
  const lower = a < b ? a : b;
  return lower > 0n ? lower : 0n;
}
