import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { unnested, unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { Day } from '../../platform/lib/days.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';
import type { Coverage } from './coverage.ts';
import type { BillLine } from './readLine.ts';

export const reportRows = rowsIn('billReports');

export type ReportRow = Selectable<Tables['billReports']>;
export type ProductRow = Omit<Selectable<Tables['billProducts']>, 'orgId' | 'reportId'>;
export type StoredLine = Omit<BillLine, 'isRounded'> & { lines: number };

type ReportKey = Pick<ReportRow, 'orgId' | 'id'>;

const lineColumns: Columns = {
  reportId: 'text',
  day: 'date',
  product: 'text',
  sku: 'text',
  unit: 'text',
  organization: 'text',
  repository: 'text',
  workflowPath: 'text',
  lines: 'integer',
  quantityNanos: 'bigint',
  listNanos: 'bigint',
  grossNanos: 'bigint',
  discountNanos: 'bigint',
  netNanos: 'bigint',
};
const summed = ['lines', 'quantityNanos', 'listNanos', 'grossNanos', 'discountNanos', 'netNanos'];
const lineKey = Object.keys(lineColumns).filter((name) => !summed.includes(name));

export async function addLines(
  db: Database,
  { orgId, id }: ReportKey,
  lines: readonly StoredLine[],
): Promise<void> {
  // Nothing reads the workflow path, and it would multiply the rows.
  const rows = lines.map((line) => ({ ...line, reportId: id, workflowPath: '' }));
  const names = ['orgId', ...Object.keys(lineColumns)].map((name) => sql.ref(name));
  const key = ['orgId', ...lineKey].map((name) => sql.ref(name));
  const added = summed.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`known.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  await sql`
    insert into bill_lines as known (${sql.join(names)}) ${unnestRows(orgId, rows, lineColumns)}
    on conflict (${sql.join(key)}) do update set ${sql.join(added)}
  `.execute(db);
}

const productColumns: Columns = {
  reportId: 'text',
  organization: 'text',
  product: 'text',
  unit: 'text',
  firstDay: 'date',
  lastDay: 'date',
  lines: 'integer',
  quantityNanos: 'bigint',
  grossNanos: 'bigint',
  discountNanos: 'bigint',
  netNanos: 'bigint',
};

export async function insertProducts(
  tx: Transaction,
  { orgId, id }: ReportKey,
  products: readonly ProductRow[],
): Promise<void> {
  const rows = products.map((product) => ({ ...product, reportId: id }));
  const names = ['orgId', ...Object.keys(productColumns)].map((name) => sql.ref(name));
  await sql`
    insert into bill_products (${sql.join(names)}) ${unnestRows(orgId, rows, productColumns)}
  `.execute(tx);
}

/** Returns false if the import made no progress since `left`, because parts of it may have been deleted. */
export async function touchReport(
  db: Database | Transaction,
  { orgId, id }: ReportKey,
  { now, left }: { now: Date; left: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('billReports')
    .set({ touchedAt: now })
    .where((all) => all.and({ orgId, id }))
    .where('touchedAt', '>=', left)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type ReportSums = Pick<
  ReportRow,
  'linesRead' | 'linesKept' | 'linesSkipped' | 'linesRounded' | 'firstDay' | 'lastDay' | 'importedAt'
>;

/** Makes the report count. Returns null if it was deleted, or if the same file was imported in the meantime. */
export async function completeReport(
  tx: Transaction,
  { orgId, id, sha256 }: ReportKey & Pick<ReportRow, 'sha256'>,
  sums: ReportSums,
  badLines: readonly { line: number; reason: string }[],
): Promise<ReportRow | null> {
  if (await findReportByContent(tx, orgId, sha256)) return null;
  const changes = { ...sums, badLines: JSON.stringify(badLines) };
  return (await reportRows.change(tx, { orgId, id }, changes)) ?? null;
}

export function findReportByContent(
  db: Database | Transaction,
  orgId: string,
  sha256: string,
): Promise<ReportRow | undefined> {
  return db
    .selectFrom('billReports')
    .selectAll()
    .where((all) => all.and({ orgId, sha256 }))
    .where('importedAt', 'is not', null)
    .executeTakeFirst();
}

export function findReports(
  db: Database,
  orgId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReportRow[]> {
  return db
    .selectFrom('billReports')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('importedAt', 'is not', null)
    .orderBy('importedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countReports(db: Database, orgId: string): Promise<number> {
  const { total } = await db
    .selectFrom('billReports')
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .where('orgId', '=', orgId)
    .where('importedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

export function findReport(db: Database, orgId: string, id: string): Promise<ReportRow | undefined> {
  return db
    .selectFrom('billReports')
    .selectAll()
    .where((all) => all.and({ orgId, id }))
    .where('importedAt', 'is not', null)
    .executeTakeFirst();
}

export async function findProducts(
  db: Database,
  orgId: string,
  reportIds: string[],
): Promise<Map<string, ProductRow[]>> {
  const rows = await db
    .selectFrom('billProducts')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('reportId', 'in', reportIds.length > 0 ? reportIds : [''])
    .orderBy('reportId')
    .orderBy('product')
    .orderBy('organization')
    .orderBy('unit')
    .execute();
  return Map.groupBy(rows, ({ reportId }) => reportId);
}

export async function findFileNames(
  db: Database | Transaction,
  orgId: string,
  reportIds: string[],
): Promise<Map<string, string>> {
  if (reportIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('billReports')
    .select(['id', 'fileName'])
    .where('orgId', '=', orgId)
    .where('id', 'in', reportIds)
    .execute();
  return new Map(rows.map(({ id, fileName }) => [id, fileName]));
}

export async function findImportTimes(
  db: Database,
  orgId: string,
  reportIds: string[],
): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('billReports')
    .select(['id', 'importedAt'])
    .where('orgId', '=', orgId)
    .where('id', 'in', reportIds.length > 0 ? reportIds : [''])
    .execute();
  return new Map(rows.map(({ id, importedAt }) => [id, importedAt!]));
}

export async function hideReport(tx: Transaction, { orgId, id }: ReportKey, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('billReports')
    .set({ importedAt: null, touchedAt: now })
    .where((all) => all.and({ orgId, id }))
    .where('importedAt', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the id of the report that counted until now. */
export async function hideFetched(
  tx: Transaction,
  { orgId, fetched }: { orgId: string; fetched: string },
  now: Date,
): Promise<string | null> {
  const hidden = await tx
    .updateTable('billReports')
    .set({ importedAt: null, touchedAt: now })
    .where((all) => all.and({ orgId, fetched }))
    .where('importedAt', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return hidden?.id ?? null;
}

export async function findLeftReport(db: Database, before: Date): Promise<ReportKey | undefined> {
  const left = sql<ReportKey>`
    select org_id, id from bill_reports
    where imported_at is null and touched_at < ${before} order by touched_at limit 1
  `;
  return (await findInAll(db, left))[0];
}

export async function deleteDay(db: Database, { orgId, id }: ReportKey): Promise<boolean> {
  const { rows } = await sql<{ day: Day | null }>`
    select min(day) as day from bill_lines where org_id = ${orgId} and report_id = ${id}
  `.execute(db);
  const day = rows[0]?.day ?? null;
  if (day === null) return false;
  await db
    .deleteFrom('billLines')
    .where((all) => all.and({ orgId, reportId: id, day }))
    .execute();
  return true;
}

export async function findCoverages(
  db: Database | Transaction,
  orgId: string,
  { start, end }: { start: Day; end: Day },
): Promise<Coverage[]> {
  const { rows } = await sql<Coverage>`
    select r.id as report_id, p.organization, p.product, min(p.first_day) as first_day, max(p.last_day) as last_day
    from bill_reports r
    join bill_products p on p.org_id = r.org_id and p.report_id = r.id
    where r.org_id = ${orgId} and r.imported_at is not null and r.first_day <= ${end} and r.last_day >= ${start}
    group by r.id, r.imported_at, p.organization, p.product
    order by r.imported_at desc, r.id desc
  `.execute(db);
  return rows;
}

export type BilledLine = Pick<
  StoredLine,
  | 'day'
  | 'product'
  | 'sku'
  | 'unit'
  | 'organization'
  | 'repository'
  | 'quantityNanos'
  | 'listNanos'
  | 'grossNanos'
  | 'discountNanos'
  | 'netNanos'
>;

const coverageColumns = {
  reportId: 'text',
  organization: 'text',
  product: 'text',
  firstDay: 'date',
  lastDay: 'date',
} as const;

/** As in `billedProduct`. */
const isCompute = sql`(l.product = 'actions' and l.unit = 'minutes')`;

export type BilledAsked = {
  /** The day of a month's lines is its first. */
  per: 'day' | 'month';
  only?: 'compute' | 'others';
  /** Part of a name, in any case. */
  repository?: string | undefined;
  limit?: number;
};

export async function findBilledLines(
  db: Database | Transaction,
  orgId: string,
  coverages: readonly Coverage[],
  { per, only, repository, limit }: BilledAsked,
): Promise<BilledLine[]> {
  if (coverages.length === 0) return [];
  const day = per === 'day' ? sql`l.day` : sql`date_trunc('month', l.day)::date`;
  const asked = only === undefined ? sql`true` : only === 'compute' ? isCompute : sql`not ${isCompute}`;
  const isNamed =
    repository === undefined
      ? sql`true`
      : sql`position(lower(${repository}::text) in lower(l.repository)) > 0`;
  const { rows } = await sql<BilledLine>`
    select ${day} as day, l.product, l.sku, l.unit, l.organization, l.repository,
      sum(l.quantity_nanos)::int8 as quantity_nanos, sum(l.list_nanos)::int8 as list_nanos,
      sum(l.gross_nanos)::int8 as gross_nanos, sum(l.discount_nanos)::int8 as discount_nanos,
      sum(l.net_nanos)::int8 as net_nanos
    from ${unnested(coverages, coverageColumns)}
    join bill_lines l on l.org_id = ${orgId} and l.report_id = row.report_id
      and l.day between row.first_day and row.last_day
      and l.product = row.product and l.organization = row.organization
    where ${asked} and ${isNamed}
    group by 1, 2, 3, 4, 5, 6
    limit ${limit ?? null}
  `.execute(db);
  return rows;
}

export async function findRepositories(db: Database | Transaction, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select distinct repository from workflows where org_id = ${orgId}
  `.execute(db);
  return rows.map(({ repository }) => repository);
}
