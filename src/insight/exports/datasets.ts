import type { Program } from '../../context.ts';
import type { Acted } from '../../ledger/actors/actorKinds.ts';
import { addActorKinds } from '../../ledger/actors/patterns.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, startOfDay } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { parseInstant } from '../../platform/lib/time.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import {
  countBilled,
  findBilledPage,
  focus14Columns,
  isAfterJobs,
  type BilledCharge,
} from './billedCharges.ts';
import {
  dayColumns,
  focusColumns,
  jobColumns,
  runColumns,
  type Cell,
  type Column,
  type ColumnOf,
  type FocusRow,
  type OfKind,
} from './columns.ts';
import { billingPeriodColumns, invoiceDetailColumns } from './invoiceColumns.ts';
import { billingPeriodsOf, findInvoiceDetails } from './invoices.ts';
import { jobLines, type LineSource, runLines } from './lines.queries.ts';
import {
  countByDays,
  findChargePage,
  findDayPage,
  findJobPage,
  findRunPage,
  type Cursor,
  type ExportScope,
  type Page,
} from './rows.queries.ts';
import type { FormatName, StoredDataset } from './tables.ts';

export {
  datasetNames,
  focusVersions,
  formatNames,
  type DatasetName,
  type FocusVersion,
  type FormatName,
  type StoredDataset,
} from './tables.ts';

type Records = { records: Cell[][]; cursor: Cursor | null };

type ReadContext = Pick<Program, 'db' | 'providers'>;

export type Dataset = {
  columns: readonly Column[];
  read: (ctx: ReadContext, scope: ExportScope, after: Cursor | null, limit: number) => Promise<Records>;
  /** The same rows as lines of a CSV file. Null if the database cannot compute some of the cells. */
  lines: ((scope: ExportScope, after: Cursor | null, limit: number) => LineSource) | null;
  count: (db: Database, scope: ExportScope) => Promise<bigint>;
};

export const datasets: Record<StoredDataset, Dataset> = {
  jobs: {
    ...datasetOf(jobColumns, withActorKinds(findJobPage), 'jobs'),
    lines: jobLines,
  },
  runs: {
    ...datasetOf(runColumns, withActorKinds(findRunPage), 'runs'),
    lines: runLines,
  },
  daily: datasetOf(dayColumns, ({ db }, ...page) => findDayPage(db, ...page), 'days'),
  focus: datasetOf(focusColumns, findFocusPage, 'jobs'),
  'focus-1.4': {
    ...datasetOf(focus14Columns, findFocus14Page, 'jobs'),
    count: async (db, scope) => (await countByDays(db, scope)).jobs + (await countBilled(db, scope)),
  },
  focus_invoice_detail: smallDataset(invoiceDetailColumns, findInvoiceDetails),
  focus_billing_period: smallDataset(billingPeriodColumns, async (db, scope) =>
    billingPeriodsOf(await findInvoiceDetails(db, scope)),
  ),
};

/** A few thousand rows at most, so they are read at once. A second page is empty. */
function smallDataset<Row>(
  columns: readonly ColumnOf<Row>[],
  find: (db: Database, scope: ExportScope) => Promise<Row[]>,
): Dataset {
  return {
    lines: null,
    columns,
    read: async ({ db }, scope, after) => {
      const rows = after === null ? await find(db, scope) : [];
      return { records: rows.map((row) => columns.map(({ cellOf }) => cellOf(row))), cursor: ['all'] };
    },
    count: async (db, scope) => BigInt((await find(db, scope)).length),
  };
}

function datasetOf<Row>(
  columns: readonly ColumnOf<Row>[],
  findPage: FindPage<Row>,
  counted: 'jobs' | 'runs' | 'days',
): Dataset {
  return {
    lines: null,
    columns,
    read: async (ctx, scope, after, limit) => {
      const { rows, cursor } = await findPage(ctx, scope, after, limit);
      return { records: rows.map((row) => columns.map(({ cellOf }) => cellOf(row))), cursor };
    },
    count: async (db, scope) => (await countByDays(db, scope))[counted],
  };
}

type PageOf = [scope: ExportScope, after: Cursor | null, limit: number];
type FindPage<Row> = (ctx: ReadContext, ...page: PageOf) => Promise<Page<Row>>;

function withActorKinds<Row extends Acted>(
  find: (db: Database, ...page: PageOf) => Promise<Page<Row>>,
): FindPage<Row & OfKind> {
  return async ({ db }, scope, after, limit) => {
    const { rows, cursor } = await find(db, scope, after, limit);
    return { rows: await addActorKinds(db, scope.orgId, rows), cursor };
  };
}

const findKindCharges = withActorKinds(findChargePage);

async function findFocusPage(
  ctx: ReadContext,
  scope: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<FocusRow>> {
  const { db, providers } = ctx;
  const { name } = await getOrganization({ db, actor: scope });
  const organization = { id: scope.orgId, name };
  const { rows, cursor } = await findKindCharges(ctx, scope, after, limit);
  return { rows: rows.map((row) => Object.assign(row, { organization, providers })), cursor };
}

/** All jobs, then what the bill has beside them. */
async function findFocus14Page(
  ctx: ReadContext,
  scope: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<FocusRow | BilledCharge>> {
  const none: Page<FocusRow> = { rows: [], cursor: after };
  const jobs = isAfterJobs(after) ? none : await findFocusPage(ctx, scope, after, limit);
  if (jobs.rows.length === limit) return jobs;
  const { name: organizationName } = await getOrganization({ db: ctx.db, actor: scope });
  const start = isAfterJobs(after) ? after : null;
  const left = limit - jobs.rows.length;
  const billed = await findBilledPage(ctx.db, { ...scope, organizationName }, start, left);
  return { rows: [...jobs.rows, ...billed.rows], cursor: billed.cursor };
}

/** `from` is inclusive, `to` is exclusive. Both are stored as text. */
export type ExportInput = { dataset: StoredDataset; format: FormatName; from: string; to: string };

type ExportWindow = { from: Date; to: Date };

type Asked = { dataset: StoredDataset; from: string; to: string };

const form = 'must be a UTC day such as 2026-01-31, or an ISO 8601 date-time such as 2026-01-31T09:30:00Z';

/** Limited to the plan's history and to today unless `plan` is null. A last day is included, an instant not. */
export function exportWindow(asked: Asked, now: Date, plan: Plan | null): ExportWindow {
  const from = readStart('from', asked.from);
  const to = readEnd('to', asked.to);
  if (from >= to) {
    throw invalid(
      'to',
      (nameOf) => `must not be before ${nameOf('from')}: a day is included, an instant is not`,
    );
  }
  const window = plan === null ? { from, to } : cut({ from, to }, now, plan);
  if (asked.dataset === 'daily') {
    for (const [name, instant] of Object.entries(window)) {
      if (!isMidnight(instant)) throw invalid(name, 'must be a UTC day, because daily rows are days');
    }
  }
  return window;
}

function cut({ from, to }: ExportWindow, now: Date, plan: Plan): ExportWindow {
  const history = planWindow(now, plan, historyDays[plan]);
  const [first, end] = [startOfDay(history.start), startOfDay(addDays(history.end, 1))];
  if (from >= end) throw invalid('from', 'must not be after today');
  const cutFrom = from < first ? first : from;
  const cutTo = to > end ? end : to;
  return { from: cutFrom, to: cutTo < cutFrom ? cutFrom : cutTo };
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

function readStart(field: string, text: string): Date {
  const instant = isDay(text) ? startOfDay(text) : parseInstant(text);
  if (!instant || Number.isNaN(instant.getTime()) || (isDay(text) && dayOf(instant) !== text)) {
    throw invalid(field, form);
  }
  return instant;
}

function readEnd(field: string, text: string): Date {
  const start = readStart(field, text);
  return isDay(text) ? startOfDay(addDays(text, 1)) : start;
}

export function isMidnight(instant: Date): boolean {
  return startOfDay(dayOf(instant)).getTime() === instant.getTime();
}

/** `runcost-jobs-2026-03-01-to-2026-03-31.csv` with the last day included. Instants look like `2026-03-01T093000Z`. */
export function fileNameOf({ dataset, format, from, to }: ExportInput): string {
  const [start, end] = [new Date(from), new Date(to)];
  const ofDays = isMidnight(start) && isMidnight(end) && end > start;
  const bounds = ofDays ? [dayOf(start), addDays(dayOf(end), -1)] : [compact(start), compact(end)];
  return `runcost-${dataset}-${bounds.join('-to-')}.${format}`;
}

function compact(instant: Date): string {
  return instant.toISOString().replace(/\.\d+/, '').replaceAll(':', '');
}
