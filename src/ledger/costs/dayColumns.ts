import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * One property of all jobs or runs of a day: its distinct values, and for each row the index of its value. Null stands
 * for none.
 */
export type Column = { values: (string | null)[]; codes: Uint32Array };

export type ColumnBuilder = { add: (value: string | null) => void; build: () => Column };

export function createColumnBuilder(): ColumnBuilder {
  const { values, codeOf } = createDictionary();
  const codes: number[] = [];
  return {
    add: (value) => codes.push(codeOf(value)),
    build: () => ({ values, codes: new Uint32Array(codes) }),
  };
}

/** Gives each value a number, from 0. */
export function createDictionary() {
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

/** The smallest array that has room for so many different codes: as such they are stored. */
function codesFor(values: number) {
  if (values <= 1 << 8) return Uint8Array;
  return values <= 1 << 16 ? Uint16Array : Uint32Array;
}

const sizeBytes = 4;

/** The length of the values' JSON in four bytes, that JSON, and the codes: all compressed. */
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
  // Copied, because an array of larger numbers cannot begin at any byte.
  const stored = new Uint8Array(bytes.subarray(jsonEnd)).buffer;
  return { values, codes: new Uint32Array(new (codesFor(values.length))(stored)) };
}

export type ColumnCache = {
  get: (key: string) => Column | undefined;
  set: (key: string, column: Column) => void;
};

/** Keeps the columns that were used last. `maxBytes` limits an estimate of their memory. */
export function createColumnCache(maxBytes: number): ColumnCache {
  const columns = new Map<string, Column>();
  let bytes = 0;
  const remove = (key: string): void => {
    const column = columns.get(key);
    if (column) bytes -= bytesOf(column);
    columns.delete(key);
  };
  const set = (key: string, column: Column): void => {
    remove(key);
    columns.set(key, column);
    bytes += bytesOf(column);
    for (const oldest of columns.keys()) {
      if (bytes <= maxBytes) break;
      remove(oldest);
    }
  };
  return {
    get: (key) => {
      const column = columns.get(key);
      if (column) set(key, column); // A map's first key is the one that was set first.
      return column;
    },
    set,
  };
}

/** A string takes about as many bytes beside its characters. */
const stringBytes = 32;

function bytesOf({ values, codes }: Column): number {
  return values.length * stringBytes + codes.byteLength;
}
