import { setImmediate } from 'node:timers/promises';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf, startOfDay, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import type { CostQuestion, TimeName } from './costQuestion.ts';
import type { Facts } from './dayColumns.queries.ts';
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
import type { Reader } from './readDays.ts';
import { passingRows, type DayFacts } from './sumRows.ts';
import { withDays } from './withDays.ts';

export const listSorts = ['-start', 'start', '-cost', 'cost', '-duration', 'duration'] as const;

export type ListSort = (typeof listSorts)[number];

/**
 * The last row of a page: what it is sorted by (null: unknown), the instant that puts it on its day, and its key. It
 * says where the next page begins, whatever rows have come since.
 */
export type Cursor = { value: number | null; at: Date; key: RowKey };

export type ListQuestion = Pick<CostQuestion, 'window' | 'filters' | 'ownersOn'> & {
  sort: ListSort;
  limit: number;
  after: Cursor | null;
};

type FoundRows = { runs: FoundRun; jobs: FoundJob };

export type ListPage<F extends Facts> = { rows: FoundRows[F][]; next: Cursor | null };

/** The paid jobs that completed in the window. */
export function listJobs(reader: Reader, question: ListQuestion): Promise<ListPage<'jobs'>> {
  return pageOf(reader, 'jobs', question, {
    find: findJobsAt,
    keyOf: ({ runId, attempt, jobId }) => [runId, attempt, jobId],
  });
}

/** The runs that were created in the window. */
export function listRuns(reader: Reader, question: ListQuestion): Promise<ListPage<'runs'>> {
  return pageOf(reader, 'runs', question, { find: findRunsAt, keyOf: ({ runId }) => [runId] });
}

type Rows<Row> = {
  find: (tx: Transaction, orgId: string, places: readonly Place[]) => Promise<Row[]>;
  keyOf: (row: Row) => RowKey;
};

/**
 * Equal rows stand in the order of their days, and there by instant and key: the later first where the sort is downwards.
 * Rows of which the value is unknown are last.
 */
async function pageOf<F extends Facts>(
  reader: Reader,
  facts: F,
  question: ListQuestion,
  { find, keyOf }: Rows<FoundRows[F]>,
): Promise<ListPage<F>> {
  const { window, filters, sort, limit, ownersOn } = question;
  const { orgId } = reader.actor;
  const order = orderOf(facts, sort);
  const asked = {
    facts,
    questions: [{ groupBy: [], filters, ownersOn, of: facts }],
    windows: [window],
    columns: [...order.columns, 'atMilliseconds' as const],
  };
  return withDays(reader, asked, async ({ tx, workflows, read }) => {
    const tests = filters.map((filter) => testOf(filter, workflows));
    const after = question.after && (await startAfter(tx, orgId, facts, order, question.after));
    const first = firstRows(limit + 1);
    for (const part of partsOf(window, order.isDown)) {
      const days = await read(part);
      for (const day of order.isDown ? days.toReversed() : days) {
        addRows(first, day, { order, passing: passingRows(day, tests), after });
        await setImmediate(); // Others are served between two days.
      }
      // A job starts before it completes: no job of the days before started later.
      if (facts === 'jobs' && sort === '-start' && first.least() >= startOfDay(part.start).getTime()) break;
    }
    const shown = first.rows.slice(0, limit);
    const places = placesOf(shown);
    const rows = await find(tx, orgId, places);
    if (first.rows.length <= limit) return { rows, next: null };
    const value = order.valueOf(shown.at(-1)!.weight);
    return { rows, next: { value, at: places.at(-1)!.at, key: keyOf(rows.at(-1)!) } };
  });
}

/** Newest days first where the sort is downwards, and few at first: the newest jobs are on the last days. */
function partsOf(window: Window, isDown: boolean): Window[] {
  if (!isDown) return [window];
  const parts: Window[] = [];
  for (let [end, days] = [window.end, 1]; end >= window.start; days *= 2) {
    const start = addDays(end, 1 - days);
    parts.push(windowBetween(start < window.start ? window.start : start, end));
    end = addDays(start, -1);
  }
  return parts;
}

/** The weight of a row: the largest is first. Dollars beyond nine million lose nano-dollars, and are equal then. */
type Order = {
  isDown: boolean;
  columns: readonly ('costNanos' | TimeName)[];
  weightsOf: (day: DayFacts) => (row: number) => number;
  weightOf: (value: number | null) => number;
  valueOf: (weight: number) => number | null;
};

const unknown = -Number.MAX_VALUE;

function orderOf(facts: Facts, sort: ListSort): Order {
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
      columns: ['atMilliseconds', facts === 'jobs' ? 'durationMilliseconds' : 'startMilliseconds'],
      weightsOf: (day) => {
        const base = startOfDay(day.day).getTime();
        const at = numbersOf(day, 'atMilliseconds');
        const [step, toStart] =
          facts === 'jobs'
            ? [-1, numbersOf(day, 'durationMilliseconds')]
            : [1, numbersOf(day, 'startMilliseconds')];
        return (row) => {
          const value = base + at(row) + step * toStart(row);
          return Number.isNaN(value) ? unknown : sign * value;
        };
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

/** NaN where it is unknown. */
function numbersOf(day: DayFacts, name: TimeName): (row: number) => number {
  const { values, codes } = day.column(name);
  const numberOf = name === 'startMilliseconds' ? Number : notBelow0;
  const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : numberOf(value)));
  return (row) => numbers[codes[row]!]!;
}

/** Clocks of two machines disagree: a time below 0 is 0. */
export function notBelow0(text: string): number {
  return Math.max(0, Number(text));
}

type Start = { weight: number; day: Day; at: number; before: number; upTo: number };

async function startAfter(
  tx: Transaction,
  orgId: string,
  facts: Facts,
  { weightOf }: Order,
  after: Cursor,
): Promise<Start> {
  const day = dayOf(after.at);
  const at = after.at.getTime() - startOfDay(day).getTime();
  const counts = await countBefore(tx, orgId, facts, after);
  return { weight: weightOf(after.value), day, at, ...counts };
}

type Added = { order: Order; passing: Uint8Array; after: Start | null };

function addRows(first: FirstRows, day: DayFacts, { order, passing, after }: Added): void {
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
    first.add({ weight, day, row });
  }
}

/** Rows as heavy as the one that the last page ended with: downwards those before this row come next, else the others. */
function edgeOf(day: DayFacts, { day: ofLast, at, before, upTo }: Start, isDown: boolean): number {
  if (day.day !== ofLast) return day.day < ofLast ? day.rows : 0;
  const atOf = numbersOf(day, 'atMilliseconds');
  let earlier = 0;
  while (earlier < day.rows && atOf(earlier) < at) earlier++;
  return earlier + (isDown ? before : upTo);
}

type ListedRow = { weight: number; day: DayFacts; row: number };

type FirstRows = { rows: ListedRow[]; least: () => number; add: (row: ListedRow) => void };

/** Keeps the heaviest rows in order; of equal ones those that came first. */
function firstRows(count: number): FirstRows {
  const rows: ListedRow[] = [];
  let least = -Infinity;
  return {
    rows,
    least: () => least,
    add: (added) => {
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

/** Rows of a day are in the order of their instants and keys. */
function placesOf(listed: readonly ListedRow[]): Place[] {
  const days = new Set(listed.map(({ day }) => day));
  const columns = new Map([...days].map((day) => [day, day.column('atMilliseconds')]));
  return listed.map(({ day, row }) => {
    const { values, codes } = columns.get(day)!;
    const code = codes[row]!;
    let first = row;
    while (codes[first - 1] === code) first--;
    return { at: new Date(startOfDay(day.day).getTime() + Number(values[code])), place: row - first };
  });
}
