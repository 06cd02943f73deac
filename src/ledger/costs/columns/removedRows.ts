import type { Transaction } from '../../../platform/db/database.ts';
import type { Day } from '../../../platform/lib/days.ts';
import {
  columnNames,
  findDays,
  findRowsOfRuns,
  findPlaces,
  placeColumn,
  type DayState,
  type PropertyRow,
  type RowKind,
} from './dayColumns.queries.ts';
import { columnOf, createDictionary, decodeColumn, encodeColumn, type Column } from './dayColumns.ts';
import { addRemovedColumns, findRemovedColumns } from './removedRows.queries.ts';

// Removed rows keep their positions among the other rows of their day, because net costs are rounded row by row.

export type RemovedRows = {
  /** The column of all rows, given the column of the stored rows. */
  mergedInto: (stored: Column, name: string) => Column;
  isRemoved: (rows: number) => Uint8Array;
};

type Part = { places: number[]; columns: Map<string, Column> };

/** The removed rows of the days that have some. Without names, it reads only their positions. */
export async function readRemoved(
  tx: Transaction,
  { orgId, rowKind, names }: { orgId: string; rowKind: RowKind; names: readonly string[] },
  days: readonly Pick<DayState, 'day' | 'removedRows'>[],
): Promise<Map<Day, RemovedRows>> {
  const wanted = days.filter(({ removedRows }) => removedRows > 0).map(({ day }) => day);
  const found = Map.groupBy(
    await findRemovedColumns(tx, orgId, { rowKind, names, days: wanted }),
    ({ day }) => day,
  );
  return new Map(
    [...found].map(([day, columns]) => {
      const parts = [...Map.groupBy(columns, ({ part }) => part).values()].map((ofPart): Part => {
        const named = ofPart.filter(({ name }) => name !== null);
        return {
          places: numbersIn(decodeColumn(ofPart[0]!.places)),
          columns: new Map(named.map(({ name, data }) => [name!, decodeColumn(data!)])),
        };
      });
      return [day, removedRowsOf(parts)];
    }),
  );
}

function numbersIn({ values, codes }: Column): number[] {
  return Array.from(codes, (code) => Number(values[code]));
}

/** For a part that is older than the column. */
function unknownIn({ places }: Part): Column {
  return { values: [null], codes: new Uint32Array(places.length) };
}

function removedRowsOf(parts: readonly Part[]): RemovedRows {
  const places = parts.flatMap((part) => part.places);
  const removedOf = (rows: number): Uint8Array => {
    const removed = new Uint8Array(rows);
    for (const place of fittingPlaces(places, rows)) removed[place] = 1;
    return removed;
  };
  return {
    isRemoved: removedOf,
    mergedInto: (stored, name) => {
      const rows = places.length + stored.codes.length;
      const fitting = fittingPlaces(places, rows);
      const isRemoved = removedOf(rows);
      const { values, codeOf } = createDictionary();
      const codes = new Uint32Array(rows);
      let number = 0;
      for (const part of parts) {
        const column = part.columns.get(name) ?? unknownIn(part);
        const known = Uint32Array.from(column.values, codeOf);
        for (const code of column.codes) codes[fitting[number++]!] = known[code]!;
      }
      const known = Uint32Array.from(stored.values, codeOf);
      let place = 0;
      for (const code of stored.codes) {
        while (isRemoved[place]) place++;
        codes[place++] = known[code]!;
      }
      return { values, codes };
    },
  };
}

/**
 * Moves positions into the rows that the day still has, because other rows may have been deleted. All results differ.
 */
export function fittingPlaces(places: readonly number[], rows: number): number[] {
  const fitting = places.map(() => 0);
  let least = 0;
  const inOrder = [...places.keys()].toSorted((a, b) => places[a]! - places[b]!);
  for (const [index, number] of inOrder.entries()) {
    const place = Math.min(Math.max(places[number]!, least), rows - places.length + index);
    fitting[number] = place;
    least = place + 1;
  }
  return fitting;
}

/** Turns ascending positions among the stored rows of a day into positions among all of its rows. */
export function placesAmongAll(stored: readonly number[], isRemoved: Uint8Array): number[] {
  let [place, number] = [-1, -1];
  return stored.map((wanted) => {
    while (number < wanted) if (!isRemoved[++place]) number++;
    return place;
  });
}

/**
 * Keeps what cost queries read about runs and their jobs. Call it before removing the runs, under the organization's
 * lock; afterwards their days need a new version and no stored columns.
 */
export async function saveRemovedRows(
  tx: Transaction,
  orgId: string,
  runIds: readonly string[],
): Promise<void> {
  for (const rowKind of ['jobs', 'runs'] as const) {
    const found = Map.groupBy(await findRowsOfRuns(tx, orgId, rowKind, runIds), ({ day }) => day);
    for (const [day, rows] of found) await saveRemovedDay(tx, { orgId, rowKind, day, runIds }, rows);
  }
}

type RemovedDay = { orgId: string; rowKind: RowKind; day: Day; runIds: readonly string[] };

async function saveRemovedDay(
  tx: Transaction,
  { orgId, rowKind, day, runIds }: RemovedDay,
  rows: PropertyRow[],
): Promise<void> {
  const states = await findDays(tx, orgId, rowKind, { start: day, end: day });
  const known = await readRemoved(tx, { orgId, rowKind, names: [] }, states);
  const total = states[0]?.rows ?? 0;
  const isRemoved = known.get(day)?.isRemoved(total) ?? new Uint8Array(total);
  const places = placesAmongAll(await findPlaces(tx, orgId, rowKind, { day, runIds }), isRemoved);
  const columns = new Map<string, Buffer>([
    [placeColumn, encoded(places.map(String))],
    ...columnNames[rowKind].map((name) => [name, encoded(rows.map((row) => row[name]!))] as const),
  ]);
  await addRemovedColumns(tx, orgId, rowKind, { day, rows: rows.length, columns });
}

function encoded(values: readonly (string | null)[]): Buffer {
  return encodeColumn(columnOf(values));
}
