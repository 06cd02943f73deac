import type { Context, Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import {
  countReports,
  deleteDay,
  deleteReportRow,
  findLeftReport,
  findProducts,
  findReport,
  findReports,
  hideReport,
  type ProductRow,
  type ReportRow,
} from './queries.ts';

export type Report = ReportRow & { products: ProductRow[] };

type Reader = Pick<Context, 'db' | 'actor'>;

/** A page of the imported reports, the latest first, and how many there are. */
export async function listReports(
  { db, actor }: Reader,
  page: Page,
): Promise<{ reports: Report[]; total: number }> {
  const asked = rowsOf(page);
  const rows = await findReports(db, actor.orgId, asked);
  return { reports: await withProducts(db, actor.orgId, rows), total: await countReports(db, actor.orgId) };
}

/** One report. Throws `PublicError` where the organization has imported none of that id. */
export async function getReport({ db, actor }: Reader, id: string): Promise<Report> {
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

/** Takes a report back: days that only it covered have no bill any more. Throws `PublicError` where there is none. */
export async function deleteReport(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  const { orgId } = actor;
  const { fileName } = await getReport(ctx, id);
  await db.transaction().execute(async (tx) => {
    if (!(await hideReport(tx, { orgId, id }, clock.now()))) throw notFound('report');
    await recordAudit(tx, ctx, 'bill_report.delete', id, { file_name: fileName });
  });
  await clearReport(db, { orgId, id });
}

/** Deletes a report that does not count, a day at a time: others must not wait for a million lines. */
export async function clearReport(db: Database, key: { orgId: string; id: string }): Promise<void> {
  while (await deleteDay(db, key));
  await deleteReportRow(db, key);
}

const leftAfterMilliseconds = 3_600_000;

/** An import that has not gone on since then may be cleared away. */
export function leftSince(now: Date): Date {
  return new Date(now.getTime() - leftAfterMilliseconds);
}

/**
 * Clears away a day of what an import or a deletion left behind that was killed half-way. Answers whether there may be
 * more.
 */
export async function clearLeftReport({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  const left = await findLeftReport(db, leftSince(clock.now()));
  if (left && !(await deleteDay(db, left))) await deleteReportRow(db, left);
  return left !== undefined;
}

/** Clears away reports that were left half-read or half-deleted. */
export function billPollers(program: Pick<Program, 'db' | 'clock'>): Poller[] {
  return [{ name: 'clear left reports', everyMilliseconds: 60_000, run: () => clearLeftReport(program) }];
}
