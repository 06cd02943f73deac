import { isUnnamed, type Bill, type BilledLine } from '../../ledger/bills/billed.ts';
import { proportionOf } from '../../ledger/bills/readLine.ts';
import {
  billedProduct,
  knownPriceNanos,
  normalizeSku,
  skuOfBill,
  skuOfKind,
} from '../../ledger/bills/skus.ts';
import { paginationView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { compare, onPage, type Page } from '../../platform/lib/lists.ts';
import { magnitude, usd, usdOrNull, type DecimalNumber } from '../../platform/lib/money.ts';
import { causesView } from './causeWords.ts';
import {
  causes,
  isNothing,
  netCauses,
  noParts,
  type Cause,
  type ExplainedCell,
  type NetCause,
  type NetParts,
  type Parts,
} from './cells.ts';
import type { OurMinutes } from './reconciliation.queries.ts';

export const groupings = ['all', 'day', 'month', 'sku', 'repository'] as const;

export type Grouping = (typeof groupings)[number];

export type RowsAsked = {
  by: Grouping;
  sku?: string | undefined;
  repository?: string | undefined;
};

export type Sums = {
  ourMinutes: bigint;
  ourCostNanos: bigint;
  billMinutesNanos: bigint;
  billGrossNanos: bigint;
  billDiscountNanos: bigint;
  billNetNanos: bigint;
  differenceNanos: bigint;
  parts: Parts;
  unexplainedNanos: bigint;
  ourNetNanos: bigint;
  netParts: NetParts;
  netUnexplainedNanos: bigint;
};

/** `month` looks like `2026-03`. */
export type Row = Sums & {
  day: Day | null;
  month: string | null;
  sku: string | null;
  repository: string | null;
};

/** `repositories` has the net amount of each. */
export type OtherProduct = Omit<BilledLine, 'day' | 'organization' | 'repository'> & {
  repositories: Map<string, bigint>;
};

export type Reconciliation = {
  period: Window | null;
  firstBilledDay: Day | null;
  rows: Row[];
  totals: Sums;
  daysWithoutReport: number;
  uncovered: { minutes: bigint; costNanos: bigint };
  otherProducts: OtherProduct[];
};

export type Collector = ReturnType<typeof collectRows>;

const maxRows = 100_000;

export function collectRows(
  { by, sku, repository: part }: RowsAsked,
  { repositoryOf }: Pick<Bill, 'repositoryOf'>,
) {
  const rows = new Map<string, Row>();
  const spellings = new Map<string, string>();
  const others = new Map<string, OtherProduct>();
  const uncovered = { minutes: 0n, costNanos: 0n };
  const skus = sku === undefined ? null : new Set([sku.toLowerCase(), skuOfBill(normalizeSku(sku))]);
  const isAskedSku = (name: string) => skus === null || skus.has(name.toLowerCase());
  const shownName = (repository: string) =>
    isUnnamed(repository) ? '' : (spellings.get(repository.toLowerCase()) ?? repository);
  const isAsked = (repository: string, name: string) =>
    isAskedSku(name) && (part === undefined || repository.toLowerCase().includes(part.toLowerCase()));
  return {
    /** Our spelling takes precedence, because pages show it. */
    addSpellings: (names: readonly string[]): void => {
      for (const name of names)
        if (!spellings.has(name.toLowerCase())) spellings.set(name.toLowerCase(), name);
    },
    addCells: (day: Day, repository: string, cells: readonly ExplainedCell[]): void => {
      for (const cell of cells) {
        if (isNothing(cell) || !isAsked(repository, cell.sku)) continue;
        const name = shownName(repository);
        const names = {
          day: by === 'all' || by === 'day' ? day : null,
          month: by === 'month' ? day.slice(0, 7) : null,
          sku: by === 'all' || by === 'sku' ? cell.sku : null,
          repository: by === 'all' || by === 'repository' ? name : null,
        };
        const key = JSON.stringify(names);
        let row = rows.get(key);
        if (!row) {
          if (rows.size === maxRows) throw tooManyRows();
          row = { ...names, ...noSums() };
          rows.set(key, row);
        }
        addCell(row, cell);
      }
    },
    addUncovered: ({ repository, runnerKind, minutes, costNanos }: OurMinutes): void => {
      if (!isAsked(repository, skuOfKind(runnerKind))) return;
      uncovered.minutes += minutes;
      uncovered.costNanos += costNanos;
    },
    addOthers: (found: readonly BilledLine[]): void => {
      for (const other of found)
        if (isAskedSku(other.sku)) addOther(others, other, shownName(repositoryOf(other)));
    },
    result: () => {
      const sorted = [...rows.values()].toSorted(by === 'day' || by === 'month' ? byDay : byDifference);
      const totals = noSums();
      for (const row of sorted) addSums(totals, row);
      const otherProducts = [...others.values()].toSorted(
        (a, b) => compare(b.netNanos, a.netNanos) || compare(a.sku, b.sku),
      );
      return { rows: sorted, totals, uncovered, otherProducts };
    },
  };
}

function tooManyRows(): Error {
  return invalid('by', `makes more than ${maxRows} rows: ask for fewer days, one SKU, or by=repository`);
}

export function noSums(): Sums {
  return {
    ourMinutes: 0n,
    ourCostNanos: 0n,
    billMinutesNanos: 0n,
    billGrossNanos: 0n,
    billDiscountNanos: 0n,
    billNetNanos: 0n,
    differenceNanos: 0n,
    parts: noParts(),
    unexplainedNanos: 0n,
    ourNetNanos: 0n,
    netParts: noParts(),
    netUnexplainedNanos: 0n,
  };
}

function addCell(
  sums: Sums,
  { ours, bill, differenceNanos, parts, unexplainedNanos, net }: ExplainedCell,
): void {
  addSums(sums, {
    ourMinutes: ours.minutesNanos / 1000000000n,
    ourCostNanos: ours.costNanos,
    billMinutesNanos: bill.minutesNanos,
    billGrossNanos: bill.grossNanos,
    billDiscountNanos: bill.discountNanos,
    billNetNanos: bill.netNanos,
    differenceNanos,
    parts,
    unexplainedNanos,
    ourNetNanos: ours.netNanos,
    netParts: net.parts,
    netUnexplainedNanos: net.unexplainedNanos,
  });
}

function addSums(sums: Sums, more: Sums): void {
  sums.ourMinutes += more.ourMinutes;
  sums.ourCostNanos += more.ourCostNanos;
  sums.billMinutesNanos += more.billMinutesNanos;
  sums.billGrossNanos += more.billGrossNanos;
  sums.billDiscountNanos += more.billDiscountNanos;
  sums.billNetNanos += more.billNetNanos;
  sums.differenceNanos += more.differenceNanos;
  for (const cause of causes) sums.parts[cause] += more.parts[cause];
  sums.unexplainedNanos += more.unexplainedNanos;
  sums.ourNetNanos += more.ourNetNanos;
  for (const cause of netCauses) sums.netParts[cause] += more.netParts[cause];
  sums.netUnexplainedNanos += more.netUnexplainedNanos;
}

function addOther(others: Map<string, OtherProduct>, found: BilledLine, repository: string): void {
  const { day: _, organization: __, repository: ___, ...other } = found;
  const key = JSON.stringify([other.product, other.sku, other.unit]);
  const known = others.get(key);
  const repositories = known?.repositories ?? new Map<string, bigint>();
  repositories.set(repository, (repositories.get(repository) ?? 0n) + other.netNanos);
  if (!known) return void others.set(key, { ...other, repositories });
  known.quantityNanos += other.quantityNanos;
  known.listNanos += other.listNanos;
  known.grossNanos += other.grossNanos;
  known.discountNanos += other.discountNanos;
  known.netNanos += other.netNanos;
}

function byDay(a: Row, b: Row): number {
  return compare(a.day ?? a.month ?? '', b.day ?? b.month ?? '');
}

function byDifference(a: Row, b: Row): number {
  return (
    compare(magnitude(b.differenceNanos), magnitude(a.differenceNanos)) ||
    byDay(a, b) ||
    compare(a.repository ?? '', b.repository ?? '') ||
    compare(a.sku ?? '', b.sku ?? '')
  );
}

const maxListed = 20;

/** The most expensive repositories. */
function mostExpensive({ repositories }: OtherProduct): [repository: string, netNanos: bigint][] {
  return [...repositories]
    .toSorted(([a, ofA], [b, ofB]) => compare(ofB, ofA) || compare(a, b))
    .slice(0, maxListed);
}

export function reconciliationView(found: Reconciliation, page: Page) {
  const { period, rows, totals } = found;
  return {
    data: onPage(rows, page).map(sumsView),
    period,
    totals: sumsView(totals),
    days_without_report: found.daysWithoutReport,
    not_billed: apiFields(found.uncovered),
    not_compared: found.otherProducts.map((other) => ({
      ...apiFields(other),
      kind: billedProduct(other),
      known_gross: usdOrNull(knownGross(other)),
      repositories: mostExpensive(other).map(([repository, net]) => ({ repository, net: usd(net) })),
    })),
    causes: causesView,
    pagination: paginationView(page, rows.length),
  };
}

function knownGross(other: OtherProduct): bigint | null {
  const price = knownPriceNanos(other);
  return price && proportionOf(other.quantityNanos, price, nanosPerUnit);
}

const nanosPerUnit = 1_000_000_000n;

function sumsView<Summed extends Sums>(sums: Summed) {
  return {
    ...apiFields(sums),
    explained: Object.fromEntries(causes.map((cause) => [cause, usd(sums.parts[cause])])) as Record<
      Cause,
      DecimalNumber
    >,
    net_difference: usd(sums.ourNetNanos - sums.billNetNanos),
    net_explained: Object.fromEntries(netCauses.map((cause) => [cause, usd(sums.netParts[cause])])) as Record<
      NetCause,
      DecimalNumber
    >,
  };
}
