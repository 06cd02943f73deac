import { weekdayOf } from '../../platform/lib/days.ts';
import type { AmountName, Dimension, OwnerDimension } from './costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import { createDictionary, type Column } from './dayColumns.ts';
import type { DayFacts as StoredFacts } from './readDays.ts';

// Millions of rows pass here for one question: so each step is one loop over arrays of numbers.

/** With the columns that rules make of the stored ones. */
export type DayFacts = StoredFacts<ColumnName | OwnerDimension>;

export type RowTest = { dimension: Dimension; accepts: (value: string | null) => boolean };

/** 1 for each row that passes all tests, else 0. Looks at each value of the day once, however many rows have it. */
export function passingRows(day: DayFacts, tests: readonly RowTest[]): Uint8Array {
  const passing = new Uint8Array(day.rows).fill(1);
  for (const { dimension, accepts } of tests) {
    const { values, codes } = columnOf(day, dimension);
    const accepted = Uint8Array.from(values, (value) => Number(accepts(value)));
    for (let row = 0; row < passing.length; row++) passing[row]! &= accepted[codes[row]!]!;
  }
  return passing;
}

export type Values = readonly (string | null)[];

/** Numbers the groups of rows from 0. A group is one value of each dimension, of which there are at most two. */
export type GroupIndex = {
  readonly size: number;
  valuesOf: (group: number) => Values;
  /** The group of each passing row, and -1 for the others. */
  groupsOf: (day: DayFacts, passing: Uint8Array) => Int32Array;
};

/** More different values than a dimension can have in memory. */
const maxValues = 2 ** 26;

export function createGroupIndex(dimensions: readonly Dimension[]): GroupIndex {
  const firsts = createDictionary();
  const seconds = createDictionary();
  const groups = new Map<number, number>();
  const keys: number[] = [];
  const numberOf = (key: number): number => {
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = keys.push(key) - 1));
    return group;
  };
  return {
    get size() {
      return keys.length;
    },
    valuesOf: (group) => {
      const key = keys[group]!;
      const values = [firsts.values[Math.floor(key / maxValues)]!, seconds.values[key % maxValues]!];
      return values.slice(0, dimensions.length);
    },
    groupsOf: (day, passing) => {
      const [first = constant(day, null), second = constant(day, null)] = dimensions.map((dimension) =>
        columnOf(day, dimension),
      );
      const width = second.values.length;
      const find = (place: number) =>
        numberOf(
          firsts.codeOf(first.values[Math.floor(place / width)]!) * maxValues +
            seconds.codeOf(second.values[place % width]!),
        );
      const known = createMemory(first.values.length * width, find);
      const ofRows = new Int32Array(day.rows).fill(-1);
      for (let row = 0; row < ofRows.length; row++) {
        if (passing[row]) ofRows[row] = known(first.codes[row]! * width + second.codes[row]!);
      }
      return ofRows;
    },
  };
}

/** Finds each number once. Uses an array where it is small, because reading a map takes ten times as long. */
export function createMemory(size: number, find: (place: number) => number): (place: number) => number {
  if (size > 2 ** 22) {
    const found = new Map<number, number>();
    return (place) => {
      let number = found.get(place);
      if (number === undefined) found.set(place, (number = find(place)));
      return number;
    };
  }
  const foundPlusOne = new Int32Array(size);
  return (place) => (foundPlusOne[place] ||= find(place) + 1) - 1;
}

/** Sums of whole numbers by cell. A number holds few digits and adding bigints is slow: so each has two parts. */
export type Sums = { add: (cells: Int32Array, amounts: Amounts) => void; values: () => bigint[] };

/** The amount of each row, by a code: null counts rows. */
export type Amounts = { codes: Uint32Array; billions: Float64Array; rests: Float64Array } | null;

const billion = 1_000_000_000n;

export function createSums(): Sums {
  let billions = new Float64Array(1_024);
  let rests = new Float64Array(1_024);
  let used = 0;
  return {
    add: (cells, amounts) => {
      for (const cell of cells) used = Math.max(used, cell + 1);
      billions = withRoom(billions, used);
      rests = withRoom(rests, used);
      for (let row = 0; row < cells.length; row++) {
        const cell = cells[row]!;
        if (cell < 0) continue;
        if (amounts) {
          const code = amounts.codes[row]!;
          billions[cell]! += amounts.billions[code]!;
          rests[cell]! += amounts.rests[code]!;
        } else rests[cell]! += 1;
      }
      // A day has too few rows for a rest to become inexact; many days have not.
      for (let cell = 0; cell < used; cell++) {
        const whole = Math.floor(rests[cell]! / 1e9);
        billions[cell]! += whole;
        rests[cell]! -= whole * 1e9;
      }
    },
    values: () =>
      Array.from({ length: used }, (_, cell) => BigInt(billions[cell]!) * billion + BigInt(rests[cell]!)),
  };
}

function withRoom(numbers: Float64Array<ArrayBuffer>, size: number): Float64Array<ArrayBuffer> {
  if (size <= numbers.length) return numbers;
  const larger = new Float64Array(Math.max(size, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}

export function amountsOf(day: DayFacts, name: AmountName | null): Amounts {
  if (name === null) return null;
  const { values, codes } = day.column(name);
  const amounts = values.map((value) => BigInt(value!));
  return {
    codes,
    billions: Float64Array.from(amounts, (amount) => Number(amount / billion)),
    rests: Float64Array.from(amounts, (amount) => Number(amount % billion)),
  };
}

function columnOf(day: DayFacts, dimension: Dimension): Column {
  if (dimension === 'day') return constant(day, day.day);
  return dimension === 'weekday' ? constant(day, weekdayOf(day.day)) : day.column(dimension);
}

export function constant({ rows }: { rows: number }, value: string | null): Column {
  return { values: [value], codes: new Uint32Array(rows) };
}
