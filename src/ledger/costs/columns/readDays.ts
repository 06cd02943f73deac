import type { Logger } from 'pino';
import type { Context } from '../../../context.ts';
import { createCoalescer } from '../../../platform/db/coalesce.ts';
import { inSnapshot, type Transaction } from '../../../platform/db/database.ts';
import { daysOf, slicesOf, windowBetween, type Day, type Window } from '../../../platform/lib/days.ts';
import { chunksOf, compare, getOrCreate } from '../../../platform/lib/lists.ts';
import type { Product } from '../../../platform/lib/products.ts';
import { yieldToRequests } from '../../../platform/lib/turns.ts';
import {
  columnNames,
  findColumns,
  findDays,
  findRows,
  findParts,
  saveColumns,
  type ColumnName,
  type DayState,
  type RowKind,
  type PartsAsked,
} from './dayColumns.queries.ts';
import {
  columnOf,
  createColumnBuilder,
  createColumnCache,
  decodeColumn,
  encodeColumn,
  type Column,
} from './dayColumns.ts';
import { readRemoved } from './removedRows.ts';
import { findDayVersions, findRollups, type RollupName, type RollupsAsked } from './rollups.queries.ts';

/**
 * `count` is how many jobs or runs a row stands for; null if each is one. `isRemoved` is 1 for rows of removed runs, of
 * which only columns remain.
 */
export type DayRows<Name = ColumnName | RollupName> = {
  day: Day;
  rows: number;
  count: Column | null;
  isRemoved: Uint8Array | null;
  /** Set if the rows are lines of the bill, which are of one product. */
  billed?: Billed;
  column: (name: Name) => Column;
};

export type Billed = { product: Product; grossNanos: Column; netNanos: Column };

/** Rows read at a time. Limits memory, and the time for which a read keeps its connection. */
const maxRowsRead = 10_000;

export type ColumnContext = Pick<Context, 'db' | 'actor'> & Keeper;

type Keeper = Pick<Context, 'db'> & { log: Pick<Logger, 'warn'> };

/**
 * Builds and stores the columns of days that have changed since the last question. Call it before `readDays`, which
 * would otherwise build them while it holds its snapshot.
 */
export async function makeColumns(
  keeper: Keeper,
  orgId: string,
  rowKind: RowKind,
  windows: readonly DaysAsked[],
): Promise<void> {
  for (const window of windows) {
    const key = JSON.stringify([orgId, rowKind, window.start, window.end]);
    await coalesceMaking(key, () => makeWindow(keeper, orgId, rowKind, window));
  }
}

const coalesceMaking = createCoalescer<void>();

export type DaysAsked = Pick<Window, 'start' | 'end'>;

/** Uses short transactions with few days each, so that other requests get a connection and memory holds few days. */
async function makeWindow(
  { db, log }: Keeper,
  orgId: string,
  rowKind: RowKind,
  window: DaysAsked,
): Promise<void> {
  for (const batch of batchesOf(await findDays(db, orgId, rowKind, window))) {
    const made = await inSnapshot(db, async (tx) =>
      makeDays(
        tx,
        orgId,
        { rowKind, names: columnNames[rowKind] },
        await findDays(tx, orgId, rowKind, batch),
      ),
    );
    const encoded = [...made.values()].flatMap(({ day, version, columns }) =>
      [...columns].map(([name, column]) => ({ day, name, version, data: encodeColumn(column) })),
    );
    try {
      await saveColumns(db, orgId, rowKind, encoded);
    } catch (error) {
      log.warn(
        { err: error, orgId },
        'columns for cost queries were not saved; the next query makes them again',
      );
    }
  }
}

function batchesOf(days: readonly DayState[]): DaysAsked[] {
  const batches: { start: Day; end: Day; rows: number }[] = [];
  let open: (typeof batches)[number] | null = null;
  for (const { day, rows, removedRows, isCurrent } of days) {
    if (isCurrent || removedRows === rows) {
      open = null;
    } else if (open && open.rows + rows <= maxRowsRead) {
      open.end = day;
      open.rows += rows;
    } else {
      open = { start: day, end: day, rows };
      batches.push(open);
    }
  }
  return batches;
}

type Asked = { rowKind: RowKind; names: readonly ColumnName[]; window: DaysAsked };

/** Shared by all questions, so that most of them read no columns from the database. */
const cacheBytes = 64 * 2 ** 20;
let cache = createColumnCache(cacheBytes);

/** As in a new process, for tests that repeat a history with the same ids. */
export function forgetColumns(): void {
  cache = createColumnCache(cacheBytes);
}

/**
 * The days of a window as columns, oldest first. Days that changed after `makeColumns`, such as today, are built
 * within the snapshot.
 */
export async function readDays(
  tx: Transaction,
  orgId: string,
  { rowKind, names, window }: Asked,
): Promise<DayRows[]> {
  const keyOf = ({ day, version }: DayState, name: ColumnName) => ({
    property: `${orgId} ${rowKind} ${name}`,
    day: `${day} ${version}`,
  });
  const days = (await findDays(tx, orgId, rowKind, window)).map((state) => {
    const cached = names.map((name) => [name, cache.get(keyOf(state, name))] as const);
    return { state, columns: new Map(cached.filter((entry): entry is [ColumnName, Column] => !!entry[1])) };
  });
  const lacking = days.filter(({ columns }) => columns.size < names.length).map(({ state }) => state);
  const isStored = ({ isCurrent, removedRows, rows }: DayState) => isCurrent && removedRows < rows;
  const [current, changed] = [true, false].map((is) => lacking.filter((state) => isStored(state) === is));
  const stored = await findColumns(tx, orgId, { rowKind, names, days: current! });
  const storedOf = Map.groupBy(stored, ({ day }) => day);
  const made = await makeDays(tx, orgId, { rowKind, names }, changed!);
  const removed = await readRemoved(
    tx,
    { orgId, rowKind, names: [] },
    days.map(({ state }) => state),
  );
  return days.map(({ state, columns }) => {
    const { day, rows } = state;
    const data = new Map(storedOf.get(day)?.map((column) => [column.name, column.data]));
    return {
      day,
      rows,
      count: null,
      isRemoved: removed.get(day)?.isRemoved(rows) ?? null,
      column: (asked) => {
        const name = asked as ColumnName;
        let column = columns.get(name);
        if (!column) {
          column = withRows(rows, made.get(day)?.columns.get(name) ?? decodeColumn(data.get(name)!));
          columns.set(name, column);
          cache.set(keyOf(state, name), column);
        }
        return column;
      },
    };
  });
}

/** Few days at once, because a large organization has thousands of workflows a day. */
const maxDaysRead = 30;

/**
 * What the days of a window come to, as columns: a row for the alike jobs or runs of a workflow, or of a day. Read from
 * rollups, so it takes as long however many jobs there are. The rows of some workflows are read each time: other questions
 * need all rows of a day.
 */
export async function readRollups(
  tx: Transaction,
  orgId: string,
  {
    rowKind,
    grain,
    window: { start, end },
    names: needed,
    workflowIds,
  }: RollupsAsked & { window: DaysAsked },
): Promise<DayRows<string>[]> {
  const names = [...new Set<RollupName>(['count', ...needed])];
  const all = daysOf(windowBetween(start, end));
  if (workflowIds) {
    const read: DayRows<string>[] = [];
    for (const days of chunksOf(all, maxDaysRead)) {
      const found = await findRollups(tx, orgId, { rowKind, grain, names, workflowIds }, days);
      read.push(...found.map((row) => summedDay(row.day, (name) => columnOf(row[name]!))));
      await yieldToRequests();
    }
    return read.toSorted((a, b) => compare(a.day, b.day));
  }
  const versions = await findDayVersions(tx, orgId, all);
  const keyOf = (day: Day, name: RollupName) => ({
    property: `${orgId} ${rowKind} by ${grain} ${name}`,
    day: `${day} ${versions.get(day)}`,
  });
  const known = new Map<Day, Map<RollupName, Column>>();
  for (const day of versions.keys()) {
    const cached = names.map((name) => [name, cache.get(keyOf(day, name))] as const);
    known.set(day, new Map(cached.filter((entry): entry is [RollupName, Column] => !!entry[1])));
  }
  const lackingOf = (day: Day) => names.filter((name) => !known.get(day)!.has(name));
  const lacking = Map.groupBy([...known.keys()], (day) => lackingOf(day).join());
  lacking.delete('');
  for (const days of [...lacking.values()].flatMap((same) => [...chunksOf(same, maxDaysRead)])) {
    const missing = lackingOf(days[0]!);
    const found = await findRollups(tx, orgId, { rowKind, grain, names: missing }, days);
    const ofDay = new Map(found.map((row) => [row.day, row]));
    for (const day of days) {
      for (const name of missing) {
        const column = columnOf(ofDay.get(day)?.[name] ?? []);
        cache.set(keyOf(day, name), column);
        known.get(day)!.set(name, column);
      }
    }
    await yieldToRequests();
  }
  return [...known.keys()].toSorted().map((day) => summedDay(day, (name) => known.get(day)!.get(name)!));
}

/** Parts of days as columns: a row for the alike jobs of a part. */
export async function readParts(
  tx: Transaction,
  orgId: string,
  asked: PartsAsked,
): Promise<DayRows<string>[]> {
  const found = Map.groupBy(await findParts(tx, orgId, asked), ({ day }) => day);
  return [...found].map(([day, rows]) => summedDay(day, (name) => columnOf(rows.map((row) => row[name]!))));
}

/** Its rows stand for several jobs or runs. */
function summedDay(day: Day, columnOfName: (name: RollupName) => Column): DayRows<string> {
  const columns = new Map<string, Column>();
  const column = (name: string) => getOrCreate(columns, name, () => columnOfName(name as RollupName));
  const count = column('count');
  return { day, rows: count.codes.length, count, isRemoved: null, column };
}

function withRows(rows: number, column: Column): Column {
  if (column.codes.length !== rows) throw new Error(`${column.codes.length} codes for ${rows} rows`);
  return column;
}

type MadeDay = DayState & { columns: Map<ColumnName, Column> };

async function makeDays(
  tx: Transaction,
  orgId: string,
  { rowKind, names }: Pick<Asked, 'rowKind' | 'names'>,
  days: readonly DayState[],
): Promise<Map<Day, MadeDay>> {
  const builders = new Map(days.map(({ day }) => [day, names.map(createColumnBuilder)]));
  const removed = await readRemoved(tx, { orgId, rowKind, names }, days);
  const stored = days.filter(({ rows, removedRows }) => rows > removedRows);
  const counted = stored.map(({ day, rows, removedRows }) => ({ day, jobs: rows - removedRows }));
  for (const slice of slicesOf(counted, maxRowsRead)) {
    for (const row of await findRows(tx, orgId, rowKind, slice)) {
      builders.get(row.day)?.forEach((builder, index) => builder.add(row[names[index]!]!));
    }
  }
  return new Map(
    days.map((day) => {
      const removedOfDay = removed.get(day.day);
      const columns = builders.get(day.day)!.map((builder, index) => {
        const [name, column] = [names[index]!, builder.build()];
        return [name, removedOfDay ? removedOfDay.mergedInto(column, name) : column] as const;
      });
      return [day.day, { ...day, columns: new Map(columns) }];
    }),
  );
}

/** Lists cannot show removed rows, because only their columns remain. */
export function withoutRemoved<Name>(day: DayRows<Name>): DayRows<Name> {
  const { isRemoved } = day;
  if (!isRemoved) return day;
  const isLeft = (_: unknown, row: number) => isRemoved[row] === 0;
  return {
    day: day.day,
    rows: isRemoved.filter((value) => value === 0).length,
    count: null,
    isRemoved: null,
    column: (name) => {
      const { values, codes } = day.column(name);
      return { values, codes: codes.filter(isLeft) };
    },
  };
}
