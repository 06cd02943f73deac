import { weekdayOf } from '../../../platform/lib/days.ts';
import { getOrCreate } from '../../../platform/lib/lists.ts';
import type { AmountName, DerivedDimension, Dimension } from '../costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import { createDictionary, numbersOf, type Column, type Dictionary } from './dayColumns.ts';
import type { DayRows as StoredRows } from './readDays.ts';
import type { RollupName, RunSum } from './rollups.queries.ts';

// One question can process millions of rows, so each step is one loop over arrays of numbers.

/** Includes the columns that rules and patterns derive from stored ones. */
export type DayRows = StoredRows<ColumnName | RollupName | DerivedDimension>;

type Property = Dimension | 'nanosPerMinute';

export type RowTest = { dimension: Dimension; accepts: (value: string | null) => boolean };

/** 1 for each row that passes all tests, else 0. Tests each distinct value of the day only once. */
export function passingRows(day: DayRows, tests: readonly RowTest[]): Uint8Array {
  const passing = new Uint8Array(day.rows).fill(1);
  for (const { dimension, accepts } of tests) {
    const { values, codes } = columnOf(day, dimension);
    const accepted = Uint8Array.from(values, (value) => Number(accepts(value)));
    for (let row = 0; row < passing.length; row++) passing[row]! &= accepted[codes[row]!]!;
  }
  return passing;
}

export type Values = readonly (string | null)[];

/** Numbers groups of rows from 0. A group is a combination of one value per dimension, with at most two dimensions. */
export type GroupIndex = {
  readonly size: number;
  valuesOf: (group: number) => Values;
  /** The group of each passing row, or -1 for other rows. */
  groupsOf: (day: DayRows, passing: Uint8Array) => Int32Array;
};

export function createGroupIndex(dimensions: readonly Property[]): GroupIndex {
  const groups = dimensions.length === 2 ? createPairs() : createSingles();
  const numberings = dimensions.map(createNumbering);
  return {
    get size() {
      return groups.size;
    },
    valuesOf: (group) => {
      const members = groups.membersOf(group);
      return numberings.map((numbering, place) => numbering.valueOf(members[place]!));
    },
    groupsOf: (day, passing) => {
      const [first = constant(day, null), second = constant(day, null)] = dimensions.map((dimension) =>
        columnOf(day, dimension),
      );
      const [firsts, seconds] = [first, second].map((column, place) => numberings[place]?.numbersOf(column));
      const width = second.values.length;
      const find = (place: number) =>
        groups.groupOf(firsts?.[Math.floor(place / width)] ?? 0, seconds?.[place % width] ?? 0);
      const known = createMemory(first.values.length * width, find);
      const ofRows = new Int32Array(day.rows).fill(-1);
      for (let row = 0; row < ofRows.length; row++) {
        if (passing[row]) ofRows[row] = known(first.codes[row]! * width + second.codes[row]!);
      }
      return ofRows;
    },
  };
}

/** Numbers the values of one dimension, using the dictionary that its columns share, if any. */
function createNumbering() {
  let dictionary: Dictionary | null = null;
  return {
    valueOf: (number: number) => dictionary!.values[number]!,
    numbersOf: (column: Column) =>
      numbersOf(column, (dictionary ??= column.dictionary ?? createDictionary())),
  };
}

type Groups = {
  readonly size: number;
  membersOf: (group: number) => [first: number, second: number];
  groupOf: (first: number, second: number) => number;
};

function createSingles(): Groups {
  const groups: number[] = [];
  const members: number[] = [];
  return {
    get size() {
      return members.length;
    },
    membersOf: (group) => [members[group]!, 0],
    groupOf: (first) => {
      while (groups.length <= first) groups.push(-1);
      if (groups[first] === -1) groups[first] = members.push(first) - 1;
      return groups[first]!;
    },
  };
}

/** More distinct values than a dimension can have in memory. */
const maxValues = 2 ** 26;

function createPairs(): Groups {
  const groups = new Map<number, number>();
  const keys: number[] = [];
  return {
    get size() {
      return keys.length;
    },
    membersOf: (group) => [Math.floor(keys[group]! / maxValues), keys[group]! % maxValues],
    groupOf: (first, second) => {
      const key = first * maxValues + second;
      let group = groups.get(key);
      if (group === undefined) {
        group = keys.push(key) - 1;
        groups.set(key, group);
      }
      return group;
    },
  };
}

/** Memoizes `find`. For small sizes it uses an array, because reading a map takes ten times as long. */
export function createMemory(size: number, find: (place: number) => number): (place: number) => number {
  if (size > 2 ** 22) {
    const found = new Map<number, number>();
    return (place) => {
      let number = found.get(place);
      if (number === undefined) {
        number = find(place);
        found.set(place, number);
      }
      return number;
    };
  }
  const foundPlusOne = new Int32Array(size);
  return (place) => (foundPlusOne[place] ||= find(place) + 1) - 1;
}

/** Numbers the pairs of a row's groups in two indexes. The second index must be small. */
export function createPairIndex() {
  const pairs = createPairs();
  return {
    get size() {
      return pairs.size;
    },
    membersOf: pairs.membersOf,
    pairsOf: (firsts: Int32Array, seconds: Int32Array): Int32Array =>
      firsts.map((first, row) => (first < 0 ? -1 : pairs.groupOf(first, seconds[row]!))),
  };
}

/**
 * Exact sums of integers by cell. Adding bigints is slow and a number has too few digits, so each sum has two parts.
 */
export type Sums = { add: (cells: Int32Array, amounts: Amounts) => void; values: () => bigint[] };

/** The amount of each row, by its code. Null means that rows are counted, which stand for one job or run each. */
export type Amounts = { codes: Uint32Array; billions: Float64Array; rests: Float64Array } | null;

const billion = 1_000_000_000n;
/** Each row adds less than a billion, and a number is exact up to nine million billions. */
const maxRowsBetweenCarries = 4_000_000;

export function createSums(): Sums {
  let billions = new Float64Array(1_024);
  let rests = new Float64Array(1_024);
  let used = 0;
  let rowsSinceCarry = 0;
  const carry = () => {
    for (let cell = 0; cell < used; cell++) {
      const whole = Math.floor(rests[cell]! / 1e9);
      billions[cell]! += whole;
      rests[cell]! -= whole * 1e9;
    }
    rowsSinceCarry = 0;
  };
  return {
    add: (cells, amounts) => {
      if (rowsSinceCarry + cells.length > maxRowsBetweenCarries) carry();
      rowsSinceCarry += cells.length;
      for (let row = 0; row < cells.length; row++) if (cells[row]! >= used) used = cells[row]! + 1;
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
    },
    values: () => Array.from(billions.subarray(0, used), (whole, cell) => sumOf(whole, rests[cell]!)),
  };
}

function sumOf(billions: number, rest: number): bigint {
  const sum = billions * 1e9 + rest;
  return Number.isSafeInteger(sum) ? BigInt(sum) : BigInt(billions) * billion + BigInt(rest);
}

function withRoom(numbers: Float64Array<ArrayBuffer>, size: number): Float64Array<ArrayBuffer> {
  if (size <= numbers.length) return numbers;
  const larger = new Float64Array(Math.max(size, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}

/** The amounts of columns that questions keep asking for, as long as the columns are in memory. */
const knownAmounts = new WeakMap<Column, Amounts>();

/** Without a name, how many jobs or runs each row stands for. */
export function amountsOf(day: StoredRows, name: AmountName | RunSum | null): Amounts {
  const column = name === null ? day.count : day.column(name);
  if (!column) return null;
  const { values, codes } = column;
  return getOrCreate(knownAmounts, column, () =>
    codedAmounts({ values: values.map((value) => BigInt(value!)), codes }),
  );
}

/** Distinct amounts, and for each row the index of its amount. */
export type Coded = { values: readonly bigint[]; codes: Uint32Array };

export function codedAmounts({ values, codes }: Coded): Amounts {
  return {
    codes,
    billions: Float64Array.from(values, (amount) => Number(amount / billion)),
    rests: Float64Array.from(values, (amount) => Number(amount % billion)),
  };
}

function columnOf(day: DayRows, dimension: Property): Column {
  if (dimension === 'product') return constant(day, day.billed?.product ?? 'compute');
  if (dimension === 'day') return constant(day, day.day);
  return dimension === 'weekday' ? constant(day, weekdayOf(day.day)) : day.column(dimension);
}

export function workflowIdsOf(days: readonly DayRows[]): string[] {
  return [...new Set(days.flatMap((day) => day.column('workflowId').values))].filter((id) => id !== null);
}

export function constant({ rows }: { rows: number }, value: string | null): Column {
  return { values: [value], codes: new Uint32Array(rows) };
}
