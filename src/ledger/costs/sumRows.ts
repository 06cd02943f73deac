import { weekdayOf } from '../../platform/lib/days.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import type { Column } from './dayColumns.ts';
import type { DayFacts } from './readDays.ts';

export type AmountName = 'costNanos' | 'minutes';

export type Dimension = Exclude<ColumnName, AmountName> | 'day' | 'weekday';

export type Values = readonly (string | null)[];

/** Numbers the groups of rows from 0. A group is one value of each dimension, of which there are at most two. */
export type GroupIndex = {
  readonly size: number;
  valuesOf: (group: number) => Values;
  groupOf: (day: DayFacts) => (row: number) => number;
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
    groupOf: (day) => {
      const [first = constant(day, null), second = constant(day, null)] = dimensions.map((dimension) =>
        columnOf(day, dimension),
      );
      const width = second.values.length;
      const ofDay = new Map<number, number>();
      return (row) => {
        const [a, b] = [first.codes[row]!, second.codes[row]!];
        let group = ofDay.get(a * width + b);
        if (group === undefined) {
          group = numberOf(firsts.codeOf(first.values[a]!) * maxValues + seconds.codeOf(second.values[b]!));
          ofDay.set(a * width + b, group);
        }
        return group;
      };
    },
  };
}

function createDictionary() {
  const codes = new Map<string | null, number>();
  const values: (string | null)[] = [];
  return {
    values,
    codeOf: (value: string | null): number => {
      let code = codes.get(value);
      if (code === undefined) codes.set(value, (code = values.push(value) - 1));
      return code;
    },
  };
}

export type RowTest = { dimension: Dimension; accepts: (value: string | null) => boolean };

/** Looks at each value of the day once, however many rows have it. */
export function passes(day: DayFacts, tests: readonly RowTest[]): (row: number) => boolean {
  const conditions = tests.map(({ dimension, accepts }) => {
    const { values, codes } = columnOf(day, dimension);
    return { codes, accepted: values.map(accepts) };
  });
  return (row) => conditions.every(({ codes, accepted }) => accepted[codes[row]!]);
}

/** Sums of whole numbers by index. A number holds few digits and adding bigints is slow: so each has two parts. */
export type Sums = {
  add: (index: number, amount: Amount) => void;
  valueOf: (index: number) => bigint;
};

export type Amount = { billions: number; rest: number };

const billion = 1_000_000_000n;
const one: Amount = { billions: 0, rest: 1 };

export function createSums(): Sums {
  const billions: number[] = [];
  const rests: number[] = [];
  return {
    add: (index, { billions: whole, rest }) => {
      while (billions.length <= index) {
        billions.push(0);
        rests.push(0);
      }
      billions[index]! += whole;
      rests[index]! += rest;
    },
    valueOf: (index) => BigInt(billions[index] ?? 0) * billion + BigInt(rests[index] ?? 0),
  };
}

/** The amount of each row; null counts rows. */
export function amountOf(day: DayFacts, name: AmountName | null): (row: number) => Amount {
  if (name === null) return () => one;
  const { values, codes } = day.column(name);
  const amounts = values.map((value) => ({
    billions: Number(BigInt(value!) / billion),
    rest: Number(BigInt(value!) % billion),
  }));
  return (row) => amounts[codes[row]!]!;
}

function columnOf(day: DayFacts, dimension: Dimension): Column {
  if (dimension === 'day') return constant(day, day.day);
  return dimension === 'weekday' ? constant(day, weekdayOf(day.day)) : day.column(dimension);
}

function constant({ rows }: DayFacts, value: string | null): Column {
  return { values: [value], codes: new Uint8Array(rows) };
}
