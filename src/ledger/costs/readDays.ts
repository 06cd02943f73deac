import type { Logger } from 'pino';
import type { Context } from '../../context.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { slicesOf, type Day, type Window } from '../../platform/lib/days.ts';
import {
  columnNames,
  findCurrentColumns,
  findDays,
  findFacts,
  saveColumns,
  type ColumnName,
  type DayState,
  type Facts,
} from './dayColumns.queries.ts';
import { createColumnBuilder, decodeColumn, encodeColumn, type Column } from './dayColumns.ts';

/** `rows` is how many jobs or runs the day has. */
export type DayFacts = { day: Day; rows: number; column: (name: ColumnName) => Column };

/** Rows of facts read at a time: few, because nobody else has the embedded database's only connection meanwhile. */
const maxRowsRead = 10_000;

export type Reader = Pick<Context, 'db' | 'actor'> & { log: Pick<Logger, 'warn'> };

type Asked = { facts: Facts; names: readonly ColumnName[]; windows: readonly Window[] };

/**
 * The facts of the days of each window, by column, oldest first, all from one snapshot of the database. Makes and keeps
 * the columns of days that have changed since somebody asked for them.
 */
export async function readDays(reader: Reader, { names, ...asked }: Asked): Promise<DayFacts[][]> {
  return withDays(reader, asked, async (read) => {
    const days: DayFacts[][] = [];
    for (const window of asked.windows) days.push(await read(names, window));
    return days;
  });
}

/** Reads columns of the days of a window, oldest first. */
export type ReadWindow = (names: readonly ColumnName[], window: Window) => Promise<DayFacts[]>;

/** Like `readDays`, for `work` that reads days bit by bit or more of the same snapshot. It can be repeated. */
export async function withDays<T>(
  reader: Reader,
  { facts, windows }: Omit<Asked, 'names'>,
  work: (read: ReadWindow, tx: Transaction) => Promise<T>,
): Promise<T> {
  const { db, actor } = reader;
  const { orgId } = actor;
  for (const window of windows) {
    const key = JSON.stringify([orgId, facts, window.start, window.end]);
    await shareMaking(key, () => makeWindow(reader, orgId, facts, window));
  }
  return inSnapshot(db, (tx) => work((names, window) => readWindow(tx, orgId, { facts, names, window }), tx));
}

const shareMaking = createSharedReads<void>();

/** In short transactions, each with few days, so that others are served meanwhile and memory holds few days. */
async function makeWindow(
  { db, log }: Pick<Reader, 'db' | 'log'>,
  orgId: string,
  facts: Facts,
  window: Window,
): Promise<void> {
  for (const batch of batchesOf(await findDays(db, orgId, facts, window))) {
    const made = await inSnapshot(db, async (tx) =>
      makeDays(tx, orgId, facts, await findDays(tx, orgId, facts, batch)),
    );
    const encoded = [...made.values()].flatMap(({ day, version, columns }) =>
      [...columns].map(([name, column]) => ({ day, name, version, data: encodeColumn(column) })),
    );
    try {
      await saveColumns(db, orgId, facts, encoded);
    } catch (error) {
      log.warn(
        { err: error, orgId },
        'columns for cost queries were not saved; the next query makes them again',
      );
    }
  }
}

/** Changed days, together with their neighbors as long as these are changed and few. */
function batchesOf(days: readonly DayState[]): Pick<Window, 'start' | 'end'>[] {
  const batches: { start: Day; end: Day; rows: number }[] = [];
  let open: (typeof batches)[number] | null = null;
  for (const { day, rows, isCurrent } of days) {
    if (isCurrent) {
      open = null;
    } else if (open && open.rows + rows <= maxRowsRead) {
      open.end = day;
      open.rows += rows;
    } else {
      batches.push((open = { start: day, end: day, rows }));
    }
  }
  return batches;
}

type AskedWindow = { facts: Facts; names: readonly ColumnName[]; window: Window };

/** What changed again since it was made, such as today, is made within the snapshot. */
async function readWindow(
  tx: Transaction,
  orgId: string,
  { facts, names, window }: AskedWindow,
): Promise<DayFacts[]> {
  const days = await findDays(tx, orgId, facts, window);
  const stored = await findCurrentColumns(tx, orgId, { facts, names, window });
  const storedOf = Map.groupBy(stored, ({ day }) => day);
  const changed = days.filter(({ isCurrent }) => !isCurrent);
  const made = await makeDays(tx, orgId, facts, changed);
  return days.map(({ day, rows }) => {
    const data = new Map(storedOf.get(day)?.map((column) => [column.name, column.data]));
    return {
      day,
      rows,
      column: (name) => withRows(rows, made.get(day)?.columns.get(name) ?? decodeColumn(data.get(name)!)),
    };
  });
}

function withRows(rows: number, column: Column): Column {
  if (column.codes.length !== rows) throw new Error(`${column.codes.length} codes for ${rows} rows`);
  return column;
}

type MadeDay = DayState & { columns: Map<ColumnName, Column> };

async function makeDays(
  tx: Transaction,
  orgId: string,
  facts: Facts,
  days: readonly DayState[],
): Promise<Map<Day, MadeDay>> {
  const names = columnNames[facts];
  const builders = new Map(days.map(({ day }) => [day, names.map(createColumnBuilder)]));
  const counted = days.map((day) => ({ day: day.day, jobs: day.rows }));
  for (const slice of slicesOf(counted, maxRowsRead)) {
    for (const row of await findFacts(tx, orgId, facts, slice)) {
      builders.get(row.day)?.forEach((builder, index) => builder.add(row[names[index]!]!));
    }
  }
  return new Map(
    days.map((day) => {
      const columns = builders
        .get(day.day)!
        .map((builder, index) => [names[index]!, builder.build()] as const);
      return [day.day, { ...day, columns: new Map(columns) }];
    }),
  );
}
