import {
  type Cause,
  type Cell,
  type ExplainedCell,
  noParts,
  type Parts,
  type Shift,
  unpriced,
} from './cells.ts';
import { share } from './readLine.ts';
import { isStandardSku, systemOfSku } from './skus.ts';

/** What is left of one side after something of it has been explained. */
type Side = { minutes: bigint; nanos: bigint };

type Working = { cell: Cell; parts: Parts; ours: Side; bill: Side };

/** What there is to know of a day besides its cells. */
export type DayFacts = {
  shiftOf?: (repository: string, cell: Cell) => Shift;
  /** Whether jobs had been recorded by then at all. */
  isConnected: boolean;
  /** Whether the cells are all that there are: otherwise others may hold what one side seems to lack. */
  isWhole: boolean;
};

/**
 * Explains the differences of one day in the repositories of one organization, by their names in lower case. Minutes
 * that the bill has without a repository are those of a name that `isUnnamed`.
 */
export function explainDay(
  repositories: ReadonlyMap<string, readonly Cell[]>,
  { shiftOf, isConnected, isWhole }: DayFacts,
): Map<string, ExplainedCell[]> {
  const days = new Map<string, Working[]>();
  // In an order of their own, so that the same day is explained alike whoever asks.
  for (const repository of [...repositories.keys()].toSorted()) {
    const cells = repositories.get(repository)!.toSorted((a, b) => (a.sku < b.sku ? -1 : 1));
    days.set(
      repository,
      explainRepository(cells, (cell) => shiftOf?.(repository, cell)),
    );
  }
  if (isWhole) explainUnnamed(days);
  const elsewhere = leftBySku([...days.values()].flat());
  for (const [repository, all] of days) {
    if (!isConnected) for (const working of all) explainBill(working, 'before_connected', 0n);
    else if (isWhole && !isUnnamed(repository)) explainMissing(all, elsewhere);
    for (const working of all) explainOurs(working);
  }
  return new Map([...days].map(([repository, all]) => [repository, all.map(finish)]));
}

/** Whether it stands for the bill's lines without a repository: `acme/`, or nothing where no owner is named either. */
export function isUnnamed(repository: string): boolean {
  return repository === '' || repository.endsWith('/');
}

/** What can be told from one repository alone. */
function explainRepository(cells: readonly Cell[], shiftOf: (cell: Cell) => Shift | undefined): Working[] {
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
  return all;
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
  explainDiscount(working);
  return working;
}

/** Larger runners are never free; of a repository without runs nobody knows whether it is public. */
function discountCause({ sku, isPublic }: Cell): Cause {
  if (!isStandardSku(sku) || isPublic === null) return 'other_discount';
  return isPublic ? 'public_repository' : 'included_minutes';
}

/** What is free cannot be more than what it would have cost: all beyond is a credit or a charge of another kind. */
function explainDiscount(working: Working): void {
  const { bill } = working.cell;
  const discount = bill.grossNanos - bill.netNanos;
  const free = discount > 0n ? least(discount, bill.grossNanos) : -least(-discount, -bill.grossNanos);
  add(working, discountCause(working.cell), free);
  add(working, 'other_discount', discount - free);
}

function explainShift(working: Working, shift: Shift | undefined): void {
  if (!shift) return;
  add(working, 'day_shift', take(working, 'ours', least(shift.toDayBefore, working.ours.minutes)));
  add(working, 'day_shift', -take(working, 'bill', least(shift.fromDayAfter, working.bill.minutes)));
}

/** Minutes that we have on another runner than the bill, with the same operating system: sizes are what we may guess. */
function explainOtherRunners(all: readonly Working[]): void {
  for (const billed of all) {
    const system = systemOfSku(billed.cell.sku);
    if (system === null) continue;
    for (const counted of all) {
      if (counted === billed || systemOfSku(counted.cell.sku) !== system) continue;
      const minutes = least(billed.bill.minutes, counted.ours.minutes);
      add(counted, 'other_runner', take(counted, 'ours', minutes));
      add(billed, 'other_runner', -take(billed, 'bill', minutes));
    }
  }
}

/** Minutes that the bill has without a repository are set against those that it lacks in one, runner by runner. */
function explainUnnamed(days: ReadonlyMap<string, readonly Working[]>): void {
  const named = [...days].flatMap(([repository, all]) => (isUnnamed(repository) ? [] : all));
  // What the bill leaves out of public repositories is explained without that.
  const ordered = named.toSorted((a, b) => Number(isFree(a.cell)) - Number(isFree(b.cell)));
  const bySku = Map.groupBy(ordered, ({ cell }) => cell.sku);
  for (const billed of [...days].flatMap(([repository, all]) => (isUnnamed(repository) ? all : []))) {
    for (const counted of bySku.get(billed.cell.sku) ?? []) {
      const minutes = least(billed.bill.minutes, counted.ours.minutes);
      const ours = take(counted, 'ours', minutes);
      add(counted, 'unnamed_repository', ours);
      add(billed, 'unnamed_repository', -ours);
      add(billed, 'price_list', ours - take(billed, 'bill', minutes));
    }
  }
}

function explainOurs(working: Working): void {
  const { cell, ours } = working;
  if (isElsewhere(cell.sku)) add(working, 'own_rate', take(working, 'ours', ours.minutes));
  if (isFree(cell)) add(working, 'public_repository', take(working, 'ours', working.ours.minutes));
}

/**
 * A runner without any job of ours was not delivered, but for minutes that may have been: in a repository that had
 * another name then, or on a runner that we take for another one. Those stay unexplained.
 */
function explainMissing(all: readonly Working[], elsewhere: Map<string, bigint>): void {
  let onOthers = all.reduce((sum, { cell, ours }) => sum + (mayBeBilled(cell) ? ours.minutes : 0n), 0n);
  for (const working of all) {
    const { cell, bill } = working;
    // Where some jobs came, the others may have been measured otherwise.
    if (bill.minutes <= 0n || cell.ours.minutesNanos !== 0n || systemOfSku(cell.sku) === null) continue;
    const renamed = least(bill.minutes, elsewhere.get(cell.sku) ?? 0n);
    elsewhere.set(cell.sku, (elsewhere.get(cell.sku) ?? 0n) - renamed);
    const mistaken = least(bill.minutes - renamed, onOthers);
    onOthers -= mistaken;
    explainBill(working, 'missing_deliveries', renamed + mistaken);
  }
}

/** Explains what is left of the bill, but for `doubtful` minutes. */
function explainBill(working: Working, cause: Cause, doubtful: bigint): void {
  add(working, cause, -take(working, 'bill', working.bill.minutes - doubtful));
}

/** Minutes of ours that the bill lacks and that nothing explains so far. */
function leftBySku(all: readonly Working[]): Map<string, bigint> {
  const left = new Map<string, bigint>();
  for (const { cell, ours } of all) {
    if (ours.minutes > 0n && mayBeBilled(cell)) left.set(cell.sku, (left.get(cell.sku) ?? 0n) + ours.minutes);
  }
  return left;
}

function mayBeBilled(cell: Cell): boolean {
  return !isFree(cell) && cell.sku !== 'self_hosted' && cell.sku !== 'third_party' && cell.sku !== unpriced;
}

/** Standard runners in public repositories, which a report may leave out. */
function isFree({ sku, isPublic }: Cell): boolean {
  return isPublic === true && isStandardSku(sku);
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
