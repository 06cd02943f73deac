import { isUnnamed, openBill, type BilledLine } from '../../ledger/bills/billed.ts';
import { billedProduct } from '../../ledger/bills/skus.ts';
import type { Database } from '../../platform/db/database.ts';
import { addDays, dayOf, monthAround, startOfDay, type Day } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import { focusColumns, optional, type Cell, type ColumnOf, type FocusRow } from './columns.ts';
import { detailIdOf, focusUnit, invoiceIdOf, issuer } from './invoiceColumns.ts';
import type { Cursor, ExportScope, Page } from './rows.queries.ts';

/** What a bill has on a day beside compute: its jobs are rows of their own, so nothing counts twice. */
export type BilledCharge = BilledLine & {
  orgId: string;
  organizationName: string;
  repositoryName: string | null;
};

const marker = 'billed';

/** After the jobs, day by day. `after` is null at the end of the jobs. */
export async function findBilledPage(
  db: Database,
  scope: ExportScope & { organizationName: string },
  after: Cursor | null,
  limit: number,
): Promise<Page<BilledCharge>> {
  const { orgId, organizationName } = scope;
  const { first, last } = daysIn(scope);
  let day = after?.[1] ?? first;
  const rows: BilledCharge[] = [];
  if (day <= last) {
    const bill = await openBill(db, orgId, { start: day, end: last });
    for (; day <= last && rows.length < limit; day = addDays(day, 1)) {
      const lines = await bill.read(db, { start: day, end: day }, { per: 'day', only: 'others' });
      const ofDay = lines.map((line) => {
        const repository = bill.repositoryOf(line);
        const repositoryName = isUnnamed(repository) ? null : repository;
        return { ...line, orgId, organizationName, repositoryName };
      });
      rows.push(...ofDay.toSorted((a, b) => compare(keyOf(a), keyOf(b))));
    }
  }
  return { rows, cursor: [marker, day] };
}

export function isAfterJobs(after: Cursor | null): boolean {
  return after?.[0] === marker;
}

export async function countBilled(db: Database, scope: ExportScope): Promise<bigint> {
  const { first, last } = daysIn(scope);
  if (first > last) return 0n;
  const bill = await openBill(db, scope.orgId, { start: first, end: last });
  let count = 0;
  for (let day = first; day <= last; day = addDays(day, 1))
    count += (await bill.read(db, { start: day, end: day }, { per: 'day', only: 'others' })).length;
  return BigInt(count);
}

/** The days that begin within the scope. */
function daysIn({ from, to }: ExportScope): { first: Day; last: Day } {
  const start = dayOf(from);
  return {
    first: startOfDay(start) < from ? addDays(start, 1) : start,
    last: dayOf(new Date(to.getTime() - 1)),
  };
}

function keyOf({ organization, product, sku, unit, repository }: BilledLine): string {
  return [organization, product, sku, unit, repository].join('\0');
}

const services: Partial<Record<string, [category: string, subcategory: string]>> = {
  storage: ['Storage', 'Other (Storage)'],
  ai_credits: ['AI and Machine Learning', 'Generative AI'],
};

const serviceOf = (line: BilledLine) =>
  services[billedProduct(line)] ?? (['Developer Tools', 'Other (Developer Tools)'] as const);

const unitOf = ({ unit }: BilledLine) => focusUnit(unit) ?? 'Units';
const month = ({ day }: BilledLine) => monthAround(day);

function unitPrice({ grossNanos, quantityNanos }: BilledLine): bigint | null {
  if (quantityNanos <= 0n || grossNanos < 0n) return null;
  return divideHalfEven(grossNanos * 1_000_000_000n, quantityNanos);
}

const detailOf = (row: BilledCharge) => ({ ...row, month: month(row).start });

/** Of the columns without an entry, a line of a bill has none. */
const cells: Record<string, (row: BilledCharge) => Cell> = {
  BilledCost: (row) => row.netNanos,
  BillingAccountId: (row) => row.orgId,
  BillingAccountName: (row) => row.organizationName,
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: (row) => startOfDay(addDays(month(row).end, 1)),
  BillingPeriodStart: (row) => startOfDay(month(row).start),
  ChargeCategory: () => 'Usage',
  ChargeDescription: ({ product, sku, repositoryName }) =>
    `${product} ${sku}${repositoryName === null ? '' : ` of ${repositoryName}`}`,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: ({ day }) => startOfDay(addDays(day, 1)),
  ChargePeriodStart: ({ day }) => startOfDay(day),
  ConsumedQuantity: (row) => row.quantityNanos,
  ConsumedUnit: unitOf,
  ContractedCost: (row) => row.grossNanos,
  ContractedUnitPrice: unitPrice,
  EffectiveCost: (row) => row.netNanos,
  HostProviderName: () => issuer,
  InvoiceDetailId: (row) => detailIdOf(detailOf(row)),
  InvoiceId: (row) => invoiceIdOf(detailOf(row)),
  InvoiceIssuerName: () => issuer,
  ListCost: (row) => row.grossNanos,
  ListUnitPrice: unitPrice,
  PricingCategory: () => 'Standard',
  PricingQuantity: (row) => row.quantityNanos,
  PricingUnit: unitOf,
  ResourceId: (row) => row.repositoryName,
  ResourceName: (row) => row.repositoryName,
  ResourceType: (row) => (row.repositoryName === null ? null : 'Repository'),
  ServiceCategory: (row) => serviceOf(row)[0],
  ServiceName: ({ product }) => (product === 'actions' ? 'GitHub Actions' : product || issuer),
  ServiceProviderName: () => issuer,
  ServiceSubcategory: (row) => serviceOf(row)[1],
  SkuId: (row) => row.sku,
  SkuMeter: (row) => row.sku,
  SkuPriceId: (row) => row.sku,
  SubAccountId: (row) => row.organization || null,
  SubAccountName: (row) => row.organization || null,
  Tags: () => ({}),
  x_IsUnpriced: () => false,
};

/** What a job always has, and a line of a bill may lack. */
const lacking = new Set([
  'ContractedUnitPrice',
  'ListUnitPrice',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'SubAccountId',
  'SubAccountName',
  'x_JobId',
  'x_RunAttempt',
  'x_RunId',
]);

const removedIn14 = new Set(['ProviderName', 'PublisherName']);

/** Of jobs, we do not know the invoice. */
const invoiceColumns = ['InvoiceDetailId', 'InvoiceId'].map((name) =>
  optional<FocusRow>(name, 'text', () => null),
);

/** FOCUS 1.4: of jobs and of what a bill has beside them. */
export const focus14Columns: ColumnOf<FocusRow | BilledCharge>[] = focusColumns
  .filter(({ name }) => !removedIn14.has(name))
  .flatMap((column) => (column.name === 'InvoiceIssuerName' ? [...invoiceColumns, column] : [column]))
  .map((column) => ({
    ...column,
    isNullable: column.isNullable || lacking.has(column.name),
    cellOf: (row) => ('netNanos' in row ? (cells[column.name]?.(row) ?? null) : column.cellOf(row)),
  }));
