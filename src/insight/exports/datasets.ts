import type { Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { dayColumns, jobColumns, runColumns, type Cell, type Column, type ColumnOf } from './columns.ts';
import type { Cursor, DatasetName } from './exportTask.ts';
import { focusColumns } from './focusColumns.ts';
import {
  countByDays,
  findDayPage,
  findJobPage,
  findRunPage,
  type ExportScope,
  type Page,
} from './rows.queries.ts';

/** Some rows as the cells of each, and where the last of them stands. */
type Records = { records: Cell[][]; cursor: Cursor | null };

/** What reading rows works with. */
type Reader = Pick<Program, 'db' | 'providers'>;

export type Dataset = {
  columns: readonly Column[];
  /** The next `limit` rows in the dataset's order; fewer where it ends. */
  read: (reader: Reader, scope: ExportScope, after: Cursor | null, limit: number) => Promise<Records>;
  /** How many rows whole days have, from the daily sums. */
  count: (db: Database, scope: ExportScope) => Promise<bigint>;
};

type FindPage<Row> = (
  reader: Reader,
  scope: ExportScope,
  after: Cursor | null,
  limit: number,
) => Promise<Page<Row>>;

export const datasets: Record<DatasetName, Dataset> = {
  jobs: datasetOf(jobColumns, ({ db }, ...page) => findJobPage(db, ...page), 'jobs'),
  runs: datasetOf(runColumns, ({ db }, ...page) => findRunPage(db, ...page), 'runs'),
  daily: datasetOf(dayColumns, ({ db }, ...page) => findDayPage(db, ...page), 'days'),
  focus: datasetOf(focusColumns, findFocusPage, 'jobs'),
};

function datasetOf<Row>(
  columns: readonly ColumnOf<Row>[],
  findPage: FindPage<Row>,
  counted: 'jobs' | 'runs' | 'days',
): Dataset {
  return {
    columns,
    read: async (reader, scope, after, limit) => {
      const { rows, cursor } = await findPage(reader, scope, after, limit);
      return { records: rows.map((row) => columns.map(({ cellOf }) => cellOf(row))), cursor };
    },
    count: async (db, scope) => (await countByDays(db, scope))[counted],
  };
}

async function findFocusPage(
  { db, providers }: Reader,
  scope: ExportScope,
  after: Cursor | null,
  limit: number,
) {
  const { name } = await getOrganization({ db, actor: scope });
  const organization = { id: scope.orgId, name };
  const { rows, cursor } = await findJobPage(db, scope, after, limit);
  return { rows: rows.map((row) => ({ ...row, organization, providers })), cursor };
}
