import type { BilledLine } from '../../ledger/bills/billed.ts';
import { skuOfBill, skuOfKind } from '../../ledger/bills/skus.ts';
import { addDays, type Day } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import type { OurMinutes } from './reconciliation.queries.ts';

/** A part is its cause's contribution to `ours − bill`, so it is negative if GitHub charges more. */
export const causes = [
  'public_repository',
  'free_use',
  'included_minutes',
  'other_discount',
  'price_list',
  'unpriced_label',
  'other_runner',
  'own_rate',
  'day_shift',
  'renamed_repository',
  'unnamed_repository',
  'before_connected',
  'missing_deliveries',
  'rounding',
] as const;

export type Cause = (typeof causes)[number];

/** Deductions of a provider. Our net cost already subtracts them, so they explain nothing about net amounts. */
export const discounts = ['public_repository', 'free_use', 'included_minutes', 'other_discount'] as const;

export const netCauses = causes.filter(
  (cause) => !(discounts as readonly Cause[]).includes(cause),
) as NetCause[];

export type NetCause = Exclude<Cause, (typeof discounts)[number]>;
export type NetParts = Record<NetCause, bigint>;

export type Parts = Record<Cause, bigint>;

export function noParts(): Parts {
  return Object.fromEntries(causes.map((cause) => [cause, 0n])) as Parts;
}

/** Our side and the bill's side of one SKU in one repository on one day. Minutes are in billionths. */
export type Cell = {
  sku: string;
  ours: { minutesNanos: bigint; freeMinutesNanos: bigint; costNanos: bigint; netNanos: bigint };
  bill: Bill;
  /** Null if no run reported the visibility of the repository. */
  isPublic: boolean | null;
};

type Bill = {
  minutesNanos: bigint;
  listNanos: bigint;
  grossNanos: bigint;
  discountNanos: bigint;
  netNanos: bigint;
};

/** `differenceNanos`, ours minus the bill's net amount, is the sum of the parts and the unexplained rest. */
export type ExplainedCell = Cell & {
  differenceNanos: bigint;
  parts: Parts;
  unexplainedNanos: bigint;
  /** The same for our net cost minus the bill's net amount. */
  net: { parts: NetParts; unexplainedNanos: bigint };
};

/** Billionths of a minute that the bill has on the day before, and on this day instead of the next. */
export type Shift = { toDayBefore: bigint; fromDayAfter: bigint };

export const unpriced = 'unpriced';

export type Cells = Map<Day, Map<string, Map<string, Cell>>>;

const nanosPerMinute = 1_000_000_000n;

export type OurNet = { day: Day; repository: string; runnerKind: string; netNanos: bigint };

type Sides = { ours: readonly OurMinutes[]; nets: readonly OurNet[]; billed: readonly BilledLine[] };

export function cellsOf({ ours, nets, billed }: Sides, repositoryOf: (line: BilledLine) => string): Cells {
  const cells: Cells = new Map();
  for (const { day, repository, runnerKind, minutes, freeMinutes, costNanos } of ours) {
    const cell = cellFor(cells, day, repository.toLowerCase(), skuOfKind(runnerKind));
    cell.ours.minutesNanos += minutes * nanosPerMinute;
    cell.ours.freeMinutesNanos += freeMinutes * nanosPerMinute;
    cell.ours.costNanos += costNanos;
  }
  for (const { day, repository, runnerKind, netNanos } of nets) {
    const cell = cells.get(day)?.get(repository.toLowerCase())?.get(skuOfKind(runnerKind));
    if (cell) cell.ours.netNanos += netNanos;
  }
  for (const line of billed) {
    const cell = cellFor(cells, line.day, repositoryOf(line).toLowerCase(), skuOfBill(line.sku));
    cell.bill = addBills(cell.bill, { ...line, minutesNanos: line.quantityNanos });
  }
  setVisibility(cells, ours);
  return cells;
}

/** A repository is public on a day if every run that reports its visibility says so. */
function setVisibility(cells: Cells, ours: readonly OurMinutes[]): void {
  const isPublic = new Map<string, boolean>();
  for (const { day, repository, isPrivate } of ours) {
    if (isPrivate === null) continue;
    const key = `${day}/${repository.toLowerCase()}`;
    isPublic.set(key, !isPrivate && (isPublic.get(key) ?? true));
  }
  for (const [day, repositories] of cells) {
    for (const [repository, bySku] of repositories) {
      for (const cell of bySku.values()) cell.isPublic = isPublic.get(`${day}/${repository}`) ?? null;
    }
  }
}

function cellFor(cells: Cells, day: Day, repository: string, sku: string): Cell {
  const repositories = getOrCreate(cells, day, () => new Map());
  const bySku = getOrCreate(repositories, repository, () => new Map<string, Cell>());
  return getOrCreate(bySku, sku, () => {
    const ours = { minutesNanos: 0n, freeMinutesNanos: 0n, costNanos: 0n, netNanos: 0n };
    return { sku, ours, bill: noBill(), isPublic: null };
  });
}

function noBill(): Bill {
  return { minutesNanos: 0n, listNanos: 0n, grossNanos: 0n, discountNanos: 0n, netNanos: 0n };
}

function addBills(a: Bill, b: Bill): Bill {
  return {
    minutesNanos: a.minutesNanos + b.minutesNanos,
    listNanos: a.listNanos + b.listNanos,
    grossNanos: a.grossNanos + b.grossNanos,
    discountNanos: a.discountNanos + b.discountNanos,
    netNanos: a.netNanos + b.netNanos,
  };
}

/** Free minutes on runners that the bill does not list, such as self-hosted ones. */
export function isNothing({ sku, ours, bill }: Cell): boolean {
  const isBilled = bill.minutesNanos !== 0n || bill.grossNanos !== 0n || bill.netNanos !== 0n;
  return !isBilled && ours.costNanos === 0n && sku !== unpriced;
}

/** By day and `repository/sku`: billionths of minutes of jobs that started on the day before. */
export type Crossed = Map<Day, Map<string, bigint>>;

/** We count a job on the day it completes: jobs past midnight explain at most their own minutes. */
export function shiftsOf(
  cells: Cells,
  crossed: Crossed,
  day: Day,
): (repository: string, cell: Cell) => Shift {
  const [dayBefore, dayAfter] = [addDays(day, -1), addDays(day, 1)];
  const cellAt = (at: Day, repository: string, sku: string) => cells.get(at)?.get(repository)?.get(sku);
  const shifted = (from: Day, to: Day, repository: string, sku: string): bigint => {
    const over = crossed.get(from)?.get(`${repository}/${sku}`);
    const late = over && cellAt(from, repository, sku);
    const early = late && cellAt(to, repository, sku);
    if (!early) return 0n;
    const tooMany = late.ours.minutesNanos - late.bill.minutesNanos;
    const tooFew = early.bill.minutesNanos - early.ours.minutesNanos;
    const least = [tooMany, tooFew, over].reduce((a, b) => (a < b ? a : b));
    return least > 0n ? least : 0n;
  };
  return (repository, { sku }) => ({
    toDayBefore: shifted(day, dayBefore, repository, sku),
    fromDayAfter: shifted(dayAfter, day, repository, sku),
  });
}
