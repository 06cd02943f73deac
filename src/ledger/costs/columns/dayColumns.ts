import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * One property of all jobs or runs of a day: its distinct values, and for each row the index of its value. A null
 * value means none.
 */
export type Column = {
  values: (string | null)[];
  codes: Uint32Array;
  dictionary?: Dictionary;
  numbers?: { in: Dictionary; ofValues: Uint32Array };
};

export type ColumnBuilder = { add: (value: string | null) => void; build: () => Column };

export function createColumnBuilder(): ColumnBuilder {
  const { values, codeOf } = createDictionary();
  const codes: number[] = [];
  return {
    add: (value) => codes.push(codeOf(value)),
    build: () => ({ values, codes: new Uint32Array(codes) }),
  };
}

export function columnOf(values: readonly (string | null)[]): Column {
  const builder = createColumnBuilder();
  for (const value of values) builder.add(value);
  return builder.build();
}

export type Dictionary = {
  readonly values: readonly (string | null)[];
  codeOf: (value: string | null) => number;
};

export function createDictionary(): Dictionary & { values: (string | null)[] } {
  const codes = new Map<string | null, number>();
  const values: (string | null)[] = [];
  return {
    values,
    codeOf: (value) => {
      let code = codes.get(value);
      if (code === undefined) {
        code = values.push(value) - 1;
        codes.set(value, code);
      }
      return code;
    },
  };
}

/** The number of each value of a column. Cached, because many questions read the same columns. */
export function numbersOf(column: Column, dictionary: Dictionary): Uint32Array {
  if (column.numbers?.in !== dictionary) {
    const ofValues = Uint32Array.from(column.values, dictionary.codeOf);
    column.numbers = { in: dictionary, ofValues };
  }
  return column.numbers.ofValues;
}

/** The smallest array type that fits this many different codes. Columns are stored in it. */
function codesFor(values: number) {
  if (values <= 1 << 8) return Uint8Array;
  return values <= 1 << 16 ? Uint16Array : Uint32Array;
}

const sizeBytes = 4;

/** The byte length of the values' JSON in four bytes, the JSON, and the codes, all compressed. */
export function encodeColumn({ values, codes }: Column): Buffer {
  const json = Buffer.from(JSON.stringify(values));
  const size = Buffer.alloc(sizeBytes);
  size.writeUInt32LE(json.length);
  const stored = new (codesFor(values.length))(codes);
  return zstdCompressSync(Buffer.concat([size, json, Buffer.from(stored.buffer)]));
}

export function decodeColumn(data: Buffer): Column {
  const bytes = zstdDecompressSync(data);
  const jsonEnd = sizeBytes + bytes.readUInt32LE();
  const values = JSON.parse(bytes.toString('utf8', sizeBytes, jsonEnd)) as Column['values'];
  // Copied, because arrays of larger numbers must start at an aligned offset.
  const stored = new Uint8Array(bytes.subarray(jsonEnd)).buffer;
  return { values, codes: new Uint32Array(new (codesFor(values.length))(stored)) };
}

/** `property` is the same for all days of an organization. */
type ColumnKey = { property: string; day: string };

export type ColumnCache = {
  get: (key: ColumnKey) => Column | undefined;
  set: (key: ColumnKey, column: Column) => void;
};

/** An LRU cache of columns, with one dictionary per property. `maxBytes` limits an estimate of their memory. */
export function createColumnCache(maxBytes: number): ColumnCache {
  const cached = new Map<string, { property: string; column: Column; bytes: number }>();
  const dictionaries = new Map<string, { dictionary: Dictionary; values: number }>();
  let bytes = 0;
  const remove = (text: string): void => {
    const entry = cached.get(text);
    if (!entry) return;
    cached.delete(text);
    bytes -= entry.bytes;
    const shared = dictionaries.get(entry.property)!;
    shared.values -= entry.column.values.length;
    if (shared.values === 0) dictionaries.delete(entry.property);
  };
  const dictionaryOf = (property: string, values: number): Dictionary => {
    const shared = dictionaries.get(property) ?? { dictionary: createDictionary(), values: 0 };
    shared.values += values;
    // Most of its values belong to columns that have left the cache.
    if (shared.dictionary.values.length > shared.values) shared.dictionary = createDictionary();
    dictionaries.set(property, shared);
    return shared.dictionary;
  };
  return {
    get: ({ property, day }) => {
      const text = `${property} ${day}`;
      const entry = cached.get(text);
      if (!entry) return undefined;
      cached.delete(text);
      cached.set(text, entry); // A map's first key is the one that was set first.
      entry.column.dictionary = dictionaryOf(property, 0);
      return entry.column;
    },
    set: ({ property, day }, column) => {
      const text = `${property} ${day}`;
      remove(text);
      column.dictionary = dictionaryOf(property, column.values.length);
      cached.set(text, { property, column, bytes: bytesOf(column) });
      bytes += cached.get(text)!.bytes;
      for (const oldest of cached.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}

/** A string takes about as many bytes beside its characters. */
const stringBytes = 32;

/** What is cached beside a column for as long: the parts of each amount, in two arrays of numbers. */
const amountBytes = 16;

/** Values have a string and a number each. Strings are counted with each column, although a dictionary may share them. */
function bytesOf({ values, codes }: Column): number {
  const texts = values.reduce((sum, value) => sum + stringBytes + (value?.length ?? 0), 0);
  return texts + (4 + amountBytes) * values.length + codes.byteLength;
}
