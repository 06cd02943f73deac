import type { Context, Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { type Page, type Paged, rowsOf } from '../../platform/lib/lists.ts';
import { usd } from '../../platform/lib/money.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import {
  countReports,
  deleteDay,
  findLeftReport,
  findProducts,
  findReport,
  findReports,
  hideFetched,
  hideReport,
  type ProductRow,
  type ReportRow,
  reportRows,
} from './queries.ts';

export type Report = ReportRow & { products: ProductRow[] };

export type Imported = {
  report: ReportRow;
  isNew: boolean;
  replaced: { id: string; fileName: string; days: number }[];
};

type ReadContext = Pick<Context, 'db' | 'actor'>;

export async function listReports({ db, actor }: ReadContext, page: Page): Promise<Paged<Report>> {
  const found = await findReports(db, actor.orgId, rowsOf(page));
  const rows = await withProducts(db, actor.orgId, found);
  return { rows, total: await countReports(db, actor.orgId) };
}

export async function getReport({ db, actor }: ReadContext, id: string): Promise<Report> {
  const row = await findReport(db, actor.orgId, id);
  if (!row) throw notFound('report');
  return (await withProducts(db, actor.orgId, [row]))[0]!;
}

async function withProducts(db: Database, orgId: string, rows: ReportRow[]): Promise<Report[]> {
  const products = await findProducts(
    db,
    orgId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, products: products.get(row.id) ?? [] }));
}

/** Days that only this report covered have no bill afterwards. */
export async function deleteReport(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  const { orgId } = actor;
  const { fileName } = await getReport(ctx, id);
  await db.transaction().execute(async (tx) => {
    if (!(await hideReport(tx, { orgId, id }, clock.now()))) throw notFound('report');
    await lockCosts(tx, orgId);
    await recordAudit(tx, ctx, 'bill_report.delete', id, { file_name: fileName });
  });
  await clearReport(db, { orgId, id });
}

/** For a month that has no bill anymore. */
export async function removeFetched(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  orgId: string,
  fetched: string,
): Promise<void> {
  const id = await db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    return hideFetched(tx, { orgId, fetched }, clock.now());
  });
  if (id !== null) await clearReport(db, { orgId, id });
}

/** One day at a time, so that a million lines do not block others. */
export async function clearReport(db: Database, key: { orgId: string; id: string }): Promise<void> {
  while (await deleteDay(db, key));
  await reportRows.remove(db, key);
}

const leftAfterMilliseconds = 3_600_000;

export function leftSince(now: Date): Date {
  return new Date(now.getTime() - leftAfterMilliseconds);
}

export async function clearLeftReport({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  const left = await findLeftReport(db, leftSince(clock.now()));
  if (left && !(await deleteDay(db, left))) await reportRows.remove(db, left);
  return left !== undefined;
}

export function billPollers(program: Pick<Program, 'db' | 'clock'>): Poller[] {
  return [{ name: 'clear left reports', everyMilliseconds: 60_000, run: () => clearLeftReport(program) }];
}

export function reportView(report: Report) {
  return { id: report.id, ...contentView(report), imported_at: report.importedAt! };
}

function contentView(report: Omit<Report, 'id' | 'importedAt'>) {
  const { products } = report;
  const total = (name: 'grossNanos' | 'discountNanos' | 'netNanos') =>
    usd(products.reduce((sum, product) => sum + product[name], 0n));
  return {
    ...apiFields(report),
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
      ...apiFields(product),
      period: { start: product.firstDay, end: product.lastDay },
      compared: product.product === 'actions' && product.unit === 'minutes',
    })),
  };
}

type Effects = Pick<Imported, 'isNew' | 'replaced'>;

export function importView(report: Report, effects: Effects) {
  return { ...reportView(report), ...effectsView(effects) };
}

export function triedView(report: Omit<Report, 'id' | 'importedAt'>, effects: Effects) {
  return { id: null, ...contentView(report), imported_at: null, ...effectsView(effects) };
}

function effectsView({ isNew, replaced }: Effects) {
  return {
    is_new: isNew,
    replaces: replaced.map(({ id, fileName, days }) => ({ id, file_name: fileName, days })),
  };
}

export { findCoverages, findImportTimes } from './queries.ts';
