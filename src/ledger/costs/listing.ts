import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import {
  addDays,
  dayOf,
  daysOf,
  startOfDay,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { ActorKind } from '../actors/actorPattern.ts';
import { readActorKinds } from '../actors/patterns.ts';
import type { RowKind } from './columns/dayColumns.queries.ts';
import { makeColumns, withoutRemoved, type ColumnContext } from './columns/readDays.ts';
import { findDayVersions } from './columns/rollups.queries.ts';
import { passingRows, type DayRows } from './columns/sumRows.ts';
import { planDays } from './columns/withDays.ts';
import type { CostQuestion, TimeName } from './costQuestion.ts';
import { testOf } from './filters.ts';
import {
  countBefore,
  findJobsAt,
  findRunsAt,
  type FoundJob,
  type FoundRun,
  type Place,
  type RowKey,
} from './listing.queries.ts';

export const listSorts = ['-start', 'start', '-cost', 'cost', '-duration', 'duration'] as const;

export const runSorts = [...listSorts, '-created', 'created'] as const;

export type ListSort = (typeof runSorts)[number];

/**
 * The position of the last row of a page: its sort value (null if unknown), the instant that decides its day, and its
 * key. The next page starts after it, whatever rows have been added since.
 */
export type Cursor = { value: number | null; at: Date; key: RowKey };

export type ListQuestion = Pick<CostQuestion, 'window' | 'filters' | 'ownersOn'> & {
  sort: ListSort;
  limit: number;
  after: Cursor | null;
};

type FoundRows = { runs: FoundRun; jobs: FoundJob };

export type ListPage<F extends RowKind> = {
  rows: (FoundRows[F] & { actorKind: ActorKind | null })[];
  next: Cursor | null;
};

/** The paid jobs that completed in the window, except removed ones. */
export function listJobs(ctx: ColumnContext, question: ListQuestion): Promise<ListPage<'jobs'>> {
  return findPage(ctx, 'jobs', question, {
    find: findJobsAt,
    keyOf: ({ runId, attempt, jobId }) => [runId, attempt, jobId],
  });
}

/** The runs that were created in the window, except removed ones. */
export function listRuns(ctx: ColumnContext, question: ListQuestion): Promise<ListPage<'runs'>> {
  return findPage(ctx, 'runs', question, { find: findRunsAt, keyOf: ({ runId }) => [runId] });
}

type Rows<Row> = {
  find: (tx: Transaction, orgId: string, places: readonly Place[]) => Promise<Row[]>;
  keyOf: (row: Row) => RowKey;
};

/**
 * Ties are in order of day, instant and key, and unknown values come last. Days are searched outside of transactions,
 * which must not wait for a second connection. The snapshot then rereads the days that have changed since.
 */
async function findPage<F extends RowKind>(
  ctx: ColumnContext,
  rowKind: F,
  question: ListQuestion,
  { find, keyOf }: Rows<FoundRows[F]>,
): Promise<ListPage<F>> {
  const { window, filters, sort, limit, ownersOn } = question;
  const { actor, db } = ctx;
  const { orgId } = actor;
  const order = orderOf(rowKind, sort);
  const selection = {
    rowKind,
    questions: [{ groupBy: [], filters, ownersOn, of: rowKind }],
    windows: [window],
    columns: [...order.columns, 'atMilliseconds' as const],
  };
  const { workflows, read } = await inSnapshot(db, (tx) => planDays(tx, ctx, selection));
  const tests = filters.map((filter) => testOf(filter, workflows));
  const seen = createSeenDays(order.isDown, limit + 1);

  /** Reads days and returns a function that searches them. */
  async function readPart(tx: Transaction, part: Window): Promise<() => Promise<void>> {
    const after = question.after && (await startAfter(tx, orgId, rowKind, order, question.after));
    const versions = await findDayVersions(tx, orgId, daysOf(part));
    const days = (await read(tx, part)).map(withoutRemoved);
    return async () => {
      const rows = new Map<Day, PlacedRow[]>();
      for (const day of days) {
        const passing = passingRows(day, tests);
        rows.set(day.day, firstOfDay(day, { order, passing, after, count: limit + 1 }));
        await yieldToRequests();
      }
      seen.add(part, versions, rows);
    };
  }

  // A job starts before it completes, so jobs that completed on earlier days started no later.
  const isByDay = sort === '-created' || (rowKind === 'jobs' && sort === '-start');
  const parts = partsOf(window, isByDay ? 1 : maxDaysRead);
  let partsRead = 0;
  const isEnough = (): boolean => {
    const last = parts[partsRead - 1];
    const hasNewest = isByDay && last && seen.first().least() >= startOfDay(last.start).getTime();
    return partsRead === parts.length || hasNewest === true;
  };
  let page: ListPage<F> | null = null;
  while (!page) {
    while (!isEnough()) {
      const part = parts[partsRead]!;
      await makeColumns(ctx, orgId, rowKind, [part]);
      const lookThrough = await inSnapshot(db, (tx) => readPart(tx, part));
      await lookThrough();
      partsRead++;
    }
    const whole = windowBetween(parts[partsRead - 1]!.start, window.end);
    page = await inSnapshot(db, async (tx) => {
      const versions = await findDayVersions(tx, orgId, daysOf(whole));
      for (const day of seen.changed(versions)) await (await readPart(tx, windowBetween(day, day)))();
      if (!isEnough()) return null;
      const first = seen.first().rows;
      const shown = first.slice(0, limit);
      const kinds = await readActorKinds(tx, orgId);
      const rows = (await find(tx, orgId, shown)).map((row) => ({ ...row, actorKind: kinds.of(row) }));
      if (first.length <= limit) return { rows, next: null };
      const { weight, at } = shown.at(-1)!;
      return { rows, next: { value: order.valueOf(weight), at, key: keyOf(rows.at(-1)!) } };
    });
  }
  return page;
}

const maxDaysRead = 31;

/**
 * Consecutive parts of a window, newest first. The first has `firstDays` days, and each next one twice as many, up
 * to 31.
 */
function partsOf({ start, end }: Window, firstDays: number): Window[] {
  const parts: Window[] = [];
  for (let [last, days] = [end, firstDays]; last >= start; days = Math.min(2 * days, maxDaysRead)) {
    const first = addDays(last, 1 - days);
    parts.push(windowBetween(first < start ? start : first, last));
    last = addDays(first, -1);
  }
  return parts;
}

function createSeenDays(isDown: boolean, count: number) {
  const days = new Map<Day, { version: string; rows: PlacedRow[] }>();
  return {
    add: (part: Window, versions: ReadonlyMap<Day, string>, rows: ReadonlyMap<Day, PlacedRow[]>): void => {
      for (const day of daysOf(part)) days.delete(day);
      for (const [day, version] of versions) days.set(day, { version, rows: rows.get(day) ?? [] });
    },
    changed: (versions: ReadonlyMap<Day, string>): Day[] =>
      [...new Set([...days.keys(), ...versions.keys()])].filter(
        (day) => days.get(day)?.version !== versions.get(day),
      ),
    first: (): FirstRows<PlacedRow> => {
      const first = firstRows<PlacedRow>(count);
      const inOrder = [...days.keys()].toSorted();
      for (const day of isDown ? inOrder.toReversed() : inOrder) {
        for (const row of days.get(day)!.rows) first.add(row);
      }
      return first;
    },
  };
}

/** Rows with a larger weight come first. Costs above nine million dollars lose precision, so nearly equal ones tie. */
type Order = {
  isDown: boolean;
  columns: readonly ('costNanos' | TimeName)[];
  weightsOf: (day: DayRows) => (row: number) => number;
  weightOf: (value: number | null) => number;
  valueOf: (weight: number) => number | null;
};

const unknown = -Number.MAX_VALUE;

function orderOf(rowKind: RowKind, sort: ListSort): Order {
  const isDown = sort.startsWith('-');
  const sign = isDown ? 1 : -1;
  const weightOf = (value: number | null) => (value === null ? unknown : sign * value);
  const common = {
    isDown,
    weightOf,
    valueOf: (weight: number) => (weight === unknown ? null : sign * weight),
  };
  if (sort.endsWith('start')) {
    return {
      ...common,
      columns: ['atMilliseconds', rowKind === 'jobs' ? 'durationMilliseconds' : 'startMilliseconds'],
      weightsOf: (day) => {
        const base = startOfDay(day.day).getTime();
        const at = numbersOf(day, 'atMilliseconds');
        const [step, toStart] =
          rowKind === 'jobs'
            ? [-1, numbersOf(day, 'durationMilliseconds')]
            : [1, numbersOf(day, 'startMilliseconds')];
        return (row) => {
          const value = base + at(row) + step * toStart(row);
          return Number.isNaN(value) ? unknown : sign * value;
        };
      },
    };
  }
  if (sort.endsWith('created')) {
    return {
      ...common,
      columns: ['atMilliseconds'],
      weightsOf: (day) => {
        const base = startOfDay(day.day).getTime();
        const at = numbersOf(day, 'atMilliseconds');
        return (row) => sign * (base + at(row));
      },
    };
  }
  const name = sort.endsWith('cost') ? 'costNanos' : 'durationMilliseconds';
  return {
    ...common,
    columns: [name],
    weightsOf: (day) => {
      const { values, codes } = day.column(name);
      const weights = Float64Array.from(values, (value) =>
        weightOf(value === null ? null : notBelow0(value)),
      );
      return (row) => weights[codes[row]!]!;
    },
  };
}

/** NaN if the value is unknown. */
function numbersOf(day: DayRows, name: TimeName): (row: number) => number {
  const { values, codes } = day.column(name);
  const numberOf = name === 'startMilliseconds' ? Number : notBelow0;
  const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : numberOf(value)));
  return (row) => numbers[codes[row]!]!;
}

/** The clocks of two machines can disagree, so a negative time counts as 0. */
export function notBelow0(text: string): number {
  return Math.max(0, Number(text));
}

type Start = { weight: number; day: Day; at: number; before: number; upTo: number };

async function startAfter(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  { weightOf }: Order,
  after: Cursor,
): Promise<Start> {
  const day = dayOf(after.at);
  const at = after.at.getTime() - startOfDay(day).getTime();
  const counts = await countBefore(tx, orgId, rowKind, after);
  return { weight: weightOf(after.value), day, at, ...counts };
}

type Wanted = { order: Order; passing: Uint8Array; after: Start | null; count: number };

function firstOfDay(day: DayRows, { order, passing, after, count }: Wanted): PlacedRow[] {
  const first = firstRows<{ weight: number; row: number }>(count);
  const weightOf = order.weightsOf(day);
  const { rows } = day;
  const edge = after && edgeOf(day, after, order.isDown);
  const isBeyond = (row: number) => (order.isDown ? row < edge! : row >= edge!);
  for (let step = 0; step < rows; step++) {
    const row = order.isDown ? rows - 1 - step : step;
    if (!passing[row]) continue;
    const weight = weightOf(row);
    if (weight <= first.least()) continue;
    if (after && (weight > after.weight || (weight === after.weight && !isBeyond(row)))) continue;
    first.add({ weight, row });
  }
  return first.rows.map(({ weight, row }) => ({ weight, ...placeOf(day, row) }));
}

/**
 * The boundary between rows that tie with the end of the last page: when descending, the rows before it come next;
 * otherwise, the rows from it on.
 */
function edgeOf(day: DayRows, { day: ofLast, at, before, upTo }: Start, isDown: boolean): number {
  if (day.day !== ofLast) return day.day < ofLast ? day.rows : 0;
  const atOf = numbersOf(day, 'atMilliseconds');
  let earlier = 0;
  while (earlier < day.rows && atOf(earlier) < at) earlier++;
  return earlier + (isDown ? before : upTo);
}

type PlacedRow = Place & { weight: number };

type FirstRows<Row> = { rows: Row[]; least: () => number; add: (row: Row) => void };

/** Keeps the heaviest rows in order. Ties keep the order in which they were added. */
function firstRows<Row extends { weight: number }>(count: number): FirstRows<Row> {
  const rows: Row[] = [];
  let least = -Infinity;
  return {
    rows,
    least: () => least,
    add: (added) => {
      if (added.weight <= least) return;
      let [low, high] = [0, rows.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle]!.weight >= added.weight) low = middle + 1;
        else high = middle;
      }
      rows.splice(low, 0, added);
      if (rows.length > count) rows.pop();
      if (rows.length === count) least = rows.at(-1)!.weight;
    },
  };
}

/** The rows of a day are in order of their instants and keys. */
export function placeOf(day: DayRows, row: number): Place {
  const { values, codes } = day.column('atMilliseconds');
  const code = codes[row]!;
  let first = row;
  while (codes[first - 1] === code) first--;
  return { at: new Date(startOfDay(day.day).getTime() + Number(values[code])), place: row - first };
}
