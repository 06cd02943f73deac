import { isUnnamed } from '../../ledger/bills/billed.ts';
import { proportionOf } from '../../ledger/bills/readLine.ts';
import { isStandardSku, systemOfSku } from '../../ledger/bills/skus.ts';
import {
  type Cause,
  type Cell,
  type ExplainedCell,
  type NetParts,
  netCauses,
  noParts,
  type Parts,
  type Shift,
  unpriced,
} from './cells.ts';

type Side = { minutes: bigint; nanos: bigint };

type Working = { cell: Cell; parts: Parts; ours: Side; bill: Side };

/** Whether the repository ever had a priced job on a runner of this SKU. */
export type HadPriced = (repository: string, sku: string) => boolean;

/** GitHub's terms of the day: the discount in hundredths of a percent, and whether larger runners are included. */
export type DayTerms = { discount: number; coversLarger: boolean };

const noTerms: DayTerms = { discount: 0, coversLarger: false };

export type Circumstances = {
  terms?: DayTerms | undefined;
  shiftOf?: (repository: string, cell: Cell) => Shift;
  hadPriced?: HadPriced | undefined;
  isConnected: boolean;
  /** False if only some repositories were read. The others may then have what one side lacks. */
  isWhole: boolean;
};

/** Repository names are in lower case. */
export function explainDay(
  repositories: ReadonlyMap<string, readonly Cell[]>,
  circumstances: Circumstances,
): Map<string, ExplainedCell[]> {
  const listed = explainAmounts(repositories, circumstances);
  const atNet = [...repositories].map(([name, cells]) => [name, cells.map(atNetPrices)] as const);
  const nets = explainAmounts(new Map(atNet), circumstances);
  return new Map(
    [...listed].map(([name, cells]) => [
      name,
      cells.map((each, index) => ({ ...each, net: netPartsOf(each, nets.get(name)![index]!) })),
    ]),
  );
}

/** The amounts after discounts, as if there were no discounts. */
function atNetPrices(cell: Cell): Cell {
  const { ours, bill } = cell;
  const rounding = scaled(bill.listNanos - bill.grossNanos, bill.netNanos, bill.grossNanos);
  const listNanos = bill.netNanos + rounding;
  return {
    ...cell,
    ours: { ...ours, costNanos: ours.netNanos },
    bill: { ...bill, listNanos, grossNanos: bill.netNanos, discountNanos: 0n },
  };
}

/** Other list prices explain their share of the net amount. Other discounts stay unexplained. */
function netPartsOf({ ours, bill, parts: listed }: ListedCell, net: ListedCell): ExplainedCell['net'] {
  const [netNanos, listNanos] =
    ours.costNanos === 0n ? [bill.netNanos, bill.grossNanos] : [ours.netNanos, ours.costNanos];
  const named = Object.fromEntries(netCauses.map((cause) => [cause, net.parts[cause]]));
  const parts = { ...named, price_list: scaled(listed.price_list, netNanos, listNanos) } as NetParts;
  const explained = Object.values(parts).reduce((sum, nanos) => sum + nanos, 0n);
  return { parts, unexplainedNanos: net.differenceNanos - explained };
}

/** `nanos` times `part / whole`, or `nanos` if the whole is 0. */
function scaled(nanos: bigint, part: bigint, whole: bigint): bigint {
  if (whole === 0n) return nanos;
  return whole < 0n ? proportionOf(nanos, -part, -whole) : proportionOf(nanos, part, whole);
}

type ListedCell = Omit<ExplainedCell, 'net'>;

function explainAmounts(
  repositories: ReadonlyMap<string, readonly Cell[]>,
  { terms = noTerms, shiftOf, hadPriced = () => false, isConnected, isWhole }: Circumstances,
): Map<string, ListedCell[]> {
  const days = new Map<string, Working[]>();
  // In a fixed order, so that the same day always gets the same explanation.
  for (const repository of [...repositories.keys()].toSorted()) {
    // A runner that never had a price is more likely misread than one whose jobs we know.
    const rank = ({ sku }: Cell) => Number(hadPriced(repository, sku));
    const cells = repositories
      .get(repository)!
      .toSorted((a, b) => rank(a) - rank(b) || (a.sku < b.sku ? -1 : 1));
    days.set(
      repository,
      explainRepository(cells, terms, (cell) => shiftOf?.(repository, cell)),
    );
  }
  if (isWhole) {
    explainRenamed(days);
    explainUnnamed(days);
  }
  const elsewhere = leftBySku([...days.values()].flat());
  for (const [repository, all] of days) {
    if (!isConnected) for (const working of all) explainBill(working, 'before_connected', 0n);
    else if (isWhole && !isUnnamed(repository)) explainMissing(all, elsewhere);
    for (const working of all) explainOurs(working);
  }
  return new Map([...days].map(([repository, all]) => [repository, all.map(finish)]));
}

function explainRepository(
  cells: readonly Cell[],
  terms: DayTerms,
  shiftOf: (cell: Cell) => Shift | undefined,
): Working[] {
  const all = cells.map((cell) => compareAmounts(cell, terms));
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

function compareAmounts(cell: Cell, terms: DayTerms): Working {
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
  explainDiscount(working, terms);
  return working;
}

/** Larger runners are never free. Without runs, we do not know the visibility of a repository. */
function discountCause({ sku, isPublic }: Cell, { coversLarger }: DayTerms): Cause {
  if (!isStandardSku(sku)) return coversLarger ? 'included_minutes' : 'other_discount';
  if (isPublic === null) return 'other_discount';
  return isPublic ? 'public_repository' : 'included_minutes';
}

/** Free and included amounts cannot exceed the gross amount. The rest is a credit or another kind of charge. */
function explainDiscount(working: Working, terms: DayTerms): void {
  const { cell } = working;
  const { bill, ours } = cell;
  const discount = bill.grossNanos - bill.netNanos;
  const left = discount - agreedDiscount(discount, bill.netNanos, terms);
  let covered = left > 0n ? least(left, bill.grossNanos) : -least(-left, -bill.grossNanos);
  add(working, 'other_discount', discount - covered);
  const cause = discountCause(cell, terms);
  if (cause === 'included_minutes' && isStandardSku(cell.sku) && ours.minutesNanos > 0n) {
    const free = least(covered, proportionOf(bill.grossNanos, ours.freeMinutesNanos, ours.minutesNanos));
    add(working, 'free_use', free);
    covered -= free;
  }
  add(working, cause, covered);
}

/** What our terms take off what is neither free nor included. A discount of 100% leaves no trace of the others. */
function agreedDiscount(discount: bigint, netNanos: bigint, terms: DayTerms): bigint {
  const rest = 10_000 - terms.discount;
  if (discount <= 0n || rest === 0) return 0n;
  return least(discount, proportionOf(netNanos, BigInt(terms.discount), BigInt(rest)));
}

function explainShift(working: Working, shift: Shift | undefined): void {
  if (!shift) return;
  add(working, 'day_shift', take(working, 'ours', least(shift.toDayBefore, working.ours.minutes)));
  add(working, 'day_shift', -take(working, 'bill', least(shift.fromDayAfter, working.bill.minutes)));
}

/** Matches minutes on different runners of one operating system, because only the size may be inferred wrongly. */
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

type Placed = { owner: string; working: Working };

/** A renamed repository: equal minutes on a runner, in the bill and with us, under two names of one owner. */
function explainRenamed(days: ReadonlyMap<string, readonly Working[]>): void {
  const placed = [...days].flatMap(([repository, all]) =>
    isUnnamed(repository)
      ? []
      : all.map((working) => ({ owner: repository.slice(0, repository.indexOf('/') + 1), working })),
  );
  const keyOf = ({ owner, working }: Placed, minutes: bigint) =>
    JSON.stringify([owner, working.cell.sku, String(minutes)]);
  const isOnlyOurs = ({ working: { cell, ours } }: Placed) =>
    ours.minutes > 0n && cell.bill.minutesNanos === 0n && !isElsewhere(cell.sku) && cell.sku !== unpriced;
  const isOnlyBilled = ({ working: { cell, bill } }: Placed) =>
    bill.minutes > 0n && cell.ours.minutesNanos === 0n;
  const ours = Map.groupBy(placed.filter(isOnlyOurs), (each) => keyOf(each, each.working.ours.minutes));
  const billed = Map.groupBy(placed.filter(isOnlyBilled), (each) => keyOf(each, each.working.bill.minutes));
  for (const [key, [first, ...others]] of billed) {
    const [counted, ...more] = ours.get(key) ?? [];
    if (counted && others.length === 0 && more.length === 0)
      movePair(counted.working, first!.working, 'renamed_repository', counted.working.ours.minutes);
  }
}

/** Minutes that each side has elsewhere, at our price. Another price on the bill is the price list's part. */
function movePair(counted: Working, billed: Working, cause: Cause, minutes: bigint): void {
  const ours = take(counted, 'ours', minutes);
  add(counted, cause, ours);
  add(billed, cause, -ours);
  add(billed, 'price_list', ours - take(billed, 'bill', minutes));
}

function explainUnnamed(days: ReadonlyMap<string, readonly Working[]>): void {
  const named = [...days].flatMap(([repository, all]) => (isUnnamed(repository) ? [] : all));
  // Free minutes in public repositories have their own explanation, so they come last.
  const ordered = named.toSorted((a, b) => Number(isFree(a.cell)) - Number(isFree(b.cell)));
  const bySku = Map.groupBy(ordered, ({ cell }) => cell.sku);
  for (const billed of [...days].flatMap(([repository, all]) => (isUnnamed(repository) ? all : []))) {
    for (const counted of bySku.get(billed.cell.sku) ?? []) {
      movePair(counted, billed, 'unnamed_repository', least(billed.bill.minutes, counted.ours.minutes));
    }
  }
}

function explainOurs(working: Working): void {
  const { cell, ours } = working;
  if (isElsewhere(cell.sku)) add(working, 'own_rate', take(working, 'ours', ours.minutes));
  if (isFree(cell)) add(working, 'public_repository', take(working, 'ours', working.ours.minutes));
}

/** Without a job on a runner, deliveries are missing, except for minutes that we may have elsewhere. */
function explainMissing(all: readonly Working[], elsewhere: Map<string, bigint>): void {
  let onOthers = all.reduce((sum, { cell, ours }) => sum + (mayBeBilled(cell) ? ours.minutes : 0n), 0n);
  for (const working of all) {
    const { cell, bill } = working;
    // If some jobs arrived, the others may only have been measured differently.
    if (bill.minutes <= 0n || cell.ours.minutesNanos !== 0n || systemOfSku(cell.sku) === null) continue;
    const renamed = least(bill.minutes, elsewhere.get(cell.sku) ?? 0n);
    elsewhere.set(cell.sku, (elsewhere.get(cell.sku) ?? 0n) - renamed);
    const mistaken = least(bill.minutes - renamed, onOthers);
    onOthers -= mistaken;
    explainBill(working, 'missing_deliveries', renamed + mistaken);
  }
}

function explainBill(working: Working, cause: Cause, doubtful: bigint): void {
  add(working, cause, -take(working, 'bill', working.bill.minutes - doubtful));
}

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

function isFree({ sku, isPublic }: Cell): boolean {
  return isPublic === true && isStandardSku(sku);
}

function isElsewhere(sku: string): boolean {
  return sku === 'self_hosted' || sku === 'third_party' || sku.startsWith('custom:');
}

function finish({ cell, parts }: Working): ListedCell {
  const differenceNanos = cell.ours.costNanos - cell.bill.netNanos;
  const explained = Object.values(parts).reduce((sum, nanos) => sum + nanos, 0n);
  return { ...cell, differenceNanos, parts, unexplainedNanos: differenceNanos - explained };
}

function add({ parts }: Working, cause: Cause, nanos: bigint): void {
  parts[cause] += nanos;
}

function take(working: Working, name: 'ours' | 'bill', minutes: bigint): bigint {
  const side = working[name];
  if (minutes <= 0n) return 0n;
  const nanos = minutes === side.minutes ? side.nanos : proportionOf(side.nanos, minutes, side.minutes);
  working[name] = { minutes: side.minutes - minutes, nanos: side.nanos - nanos };
  return nanos;
}

/** The smaller number, or 0 if it is negative: a report can take minutes back. */
function least(a: bigint, b: bigint): bigint {
  const lower = a < b ? a : b;
  return lower > 0n ? lower : 0n;
}
