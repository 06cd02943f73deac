import { paginationView } from '../../platform/http/views.ts';
import { formatNanos, usd, type DecimalNumber } from '../../platform/lib/money.ts';
import { onPage, type Page } from '../../platform/lib/page.ts';
import { causes, type Cause } from './causes.ts';
import type { Row, Sums } from './collectRows.ts';
import type { Imported } from './importReport.ts';
import type { Reconciliation } from './reconcile.ts';
import type { Report } from './reports.ts';

/** A report as the API and the command line show it. */
export function reportView(report: Report) {
  const { products } = report;
  const total = (name: 'grossNanos' | 'discountNanos' | 'netNanos') =>
    usd(products.reduce((sum, product) => sum + product[name], 0n));
  return {
    id: report.id,
    file_name: report.fileName,
    sha256: report.sha256,
    bytes: Number(report.bytes),
    format: report.format,
    date_order: report.dateOrder,
    lines: {
      read: report.linesRead,
      kept: report.linesKept,
      skipped: report.linesSkipped,
      rounded: report.linesRounded,
    },
    bad_lines: report.badLines as { line: number; reason: string }[],
    period: { start: report.firstDay!, end: report.lastDay! },
    totals: { gross: total('grossNanos'), discount: total('discountNanos'), net: total('netNanos') },
    products: products.map((product) => ({
      organization: product.organization,
      product: product.product,
      unit: product.unit,
      period: { start: product.firstDay, end: product.lastDay },
      lines: product.lines,
      quantity: decimal(product.quantityNanos),
      gross: usd(product.grossNanos),
      discount: usd(product.discountNanos),
      net: usd(product.netNanos),
      compared: product.product === 'actions' && product.unit === 'minutes',
    })),
    imported_at: report.importedAt!,
  };
}

/** An imported report, and what that changed. */
export function importView(report: Report, { isNew, replaced }: Pick<Imported, 'isNew' | 'replaced'>) {
  const replaces = replaced.map(({ id, fileName, days }) => ({ id, file_name: fileName, days }));
  return { ...reportView(report), is_new: isNew, replaces };
}

/** One page of a reconciliation, with the totals of all of it. */
export function reconciliationView(found: Reconciliation, page: Page) {
  const { period, rows, totals } = found;
  return {
    data: onPage(rows, page).map(rowView),
    period: period && { start: period.start, end: period.end },
    totals: sumsView(totals),
    days_without_report: found.daysWithoutReport,
    not_billed: { minutes: Number(found.uncovered.minutes), cost: usd(found.uncovered.costNanos) },
    not_compared: found.otherProducts.map((other) => ({
      product: other.product,
      sku: other.sku,
      unit: other.unit,
      quantity: decimal(other.quantityNanos),
      gross: usd(other.grossNanos),
      discount: usd(other.discountNanos),
      net: usd(other.netNanos),
    })),
    pagination: paginationView(page, rows.length),
  };
}

function rowView({ day, sku, repository, ...sums }: Row) {
  return { day, sku, repository, ...sumsView(sums) };
}

function sumsView(sums: Sums) {
  return {
    our_minutes: Number(sums.ourMinutes),
    our_cost: usd(sums.ourCostNanos),
    bill_minutes: decimal(sums.billMinutesNanos),
    bill_gross: usd(sums.billGrossNanos),
    bill_discount: usd(sums.billDiscountNanos),
    bill_net: usd(sums.billNetNanos),
    difference: usd(sums.differenceNanos),
    explained: Object.fromEntries(causes.map((cause) => [cause, usd(sums.parts[cause])])) as Record<
      Cause,
      DecimalNumber
    >,
    unexplained: usd(sums.unexplainedNanos),
  };
}

/** Billionths of a unit as an exact number. */
function decimal(nanos: bigint): DecimalNumber {
  return JSON.rawJSON(formatNanos(nanos));
}
