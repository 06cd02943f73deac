import { setImmediate } from 'node:timers/promises';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { csvCell, csvLine, harmless } from '../../platform/lib/csv.ts';
import { startOfDay } from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import type { Cell, Column, ColumnKind } from './columns.ts';
import type { FormatName } from './datasets.ts';

export type Part = { bytes: Buffer; rowGroup: Buffer | null };

/** Writes a file in parts, possibly by several processes. */
export type Format = {
  contentType: string;
  /** Few rows save memory. Parquet needs enough for a good row group. */
  rowsPerPiece: number;
  begin: (columns: readonly Column[]) => Buffer;
  rows: (columns: readonly Column[], records: readonly Cell[][], startByte: number) => Part | Promise<Part>;
  end: ((columns: readonly Column[], rowGroups: readonly Buffer[], rowCount: number) => Buffer) | null;
};

const nothing = Buffer.alloc(0);

export const formats: Record<FormatName, Format> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    rowsPerPiece: 2_000,
    begin: csvHeader,
    rows: (columns, records) => ({ bytes: csvLines(columns, records), rowGroup: null }),
    end: null,
  },
  jsonl: {
    contentType: 'application/x-ndjson; charset=utf-8',
    rowsPerPiece: 2_000,
    begin: () => nothing,
    rows: (columns, records) => ({ bytes: jsonLines(columns, records), rowGroup: null }),
    end: null,
  },
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    rowsPerPiece: 5_000,
    begin: () => parquetMagic,
    rows: parquetGroup,
    end: parquetEnd,
  },
};

function csvLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const texts = columns.map((column) => remembering((cell) => csvCell(cellText(cell, column))));
  const lines = records.map(
    (cells) => `${texts.map((textOf, index) => textOf(cells[index]!)).join(',')}\r\n`,
  );
  return Buffer.from(lines.join(''));
}

function csvHeader(columns: readonly Column[]): Buffer {
  return Buffer.from(csvLine(columns.map(({ name }) => name)));
}

function cellText(cell: Cell, { kind }: Column): string {
  if (cell === null) return '';
  if (kind === 'decimal') return formatNanos(cell as bigint);
  if (kind === 'text') return harmless(cell as string);
  if (cell instanceof Date) return instantText(cell, kind);
  if (typeof cell === 'object') return harmless(JSON.stringify(cell));
  return String(cell);
}

function jsonLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const fields = columns.map((column) =>
    remembering((cell) => `${JSON.stringify(column.name)}:${jsonText(cell, column)}`),
  );
  const lines = records.map(
    (cells) => `{${fields.map((fieldOf, index) => fieldOf(cells[index]!)).join(',')}}\n`,
  );
  return Buffer.from(lines.join(''));
}

function jsonText(cell: Cell, { kind }: Column): string {
  if (cell === null) return 'null';
  if (kind === 'decimal') return formatNanos(cell as bigint);
  if (kind === 'integer') return (cell as bigint).toString();
  return JSON.stringify(cell instanceof Date ? instantText(cell, kind) : cell);
}

/** In most columns, a cell often repeats the one above it. */
function remembering(textOf: (cell: Cell) => string): (cell: Cell) => string {
  let last: unknown;
  let text = '';
  return (cell) => {
    const value = cell instanceof Date ? cell.getTime() : cell;
    if (value !== last) {
      last = value;
      text = textOf(cell);
    }
    return text;
  };
}

type RowGroup = ParquetWriter['row_groups'][number];

const parquetMagic = Buffer.from('PAR1');

/** The library writes whole files. A writer for each row group lets another process continue the file. */
async function parquetGroup(
  columns: readonly Column[],
  records: readonly Cell[][],
  startByte: number,
): Promise<Part> {
  const { bytes, writer } = openWriter(columns, startByte);
  for (const [index, { name, kind }] of columns.entries()) {
    const data = records.map((cells) => parquetOf(cells[index]!, kind));
    // A page index would have to be stored too, and readers do not need it.
    const columnData: ColumnSource[] = [{ name, data, offsetIndex: false }];
    void writer.write({ columnData, rowGroupSize: records.length });
    await setImmediate(); // All columns at once would delay requests for a tenth of a second.
  }
  const written = bytes();
  // The writer sees each column as a row group.
  const group: RowGroup = {
    columns: writer.row_groups.flatMap(({ columns: [column] }) => column!),
    num_rows: BigInt(records.length),
    total_byte_size: sumOf(writer.row_groups, 'total_byte_size'),
    total_compressed_size: BigInt(written.length),
  };
  return { bytes: written, rowGroup: describeGroup(columns, group) };
}

/** The row groups stay encoded, because hundreds of decoded ones would use much memory. */
function parquetEnd(columns: readonly Column[], rowGroups: readonly Buffer[], rowCount: number): Buffer {
  const footer = footerOf(columns, [], rowCount);
  const at = placeOfGroups(columns, rowCount);
  const head = [footer.subarray(0, at), listHeader(rowGroups.length), ...rowGroups, footer.subarray(at + 1)];
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.reduce((sum, bytes) => sum + bytes.length, 0));
  return Buffer.concat([...head, length, parquetMagic]);
}

/** A row group's encoding is the difference between a footer with it and one without. */
function describeGroup(columns: readonly Column[], group: RowGroup): Buffer {
  const [without, withIt] = [footerOf(columns, [], 0), footerOf(columns, [group], 0)];
  const start = placeOfGroups(columns, 0) + 1;
  return withIt.subarray(start, start + withIt.length - without.length);
}

/** The offset of the list of groups, which starts with a byte for its length. */
function placeOfGroups(columns: readonly Column[], rowCount: number): number {
  const group: RowGroup = { columns: [], total_byte_size: 0n, num_rows: 0n };
  const [without, withOne] = [footerOf(columns, [], rowCount), footerOf(columns, [group], rowCount)];
  return without.findIndex((byte, index) => byte !== withOne[index]);
}

/** Thrift's compact protocol for a list of structs. Lengths up to 14 share the first byte. */
function listHeader(length: number): Buffer {
  const struct = 12;
  if (length < 15) return Buffer.of((length << 4) | struct);
  const bytes = [0xf0 | struct];
  for (let rest = length; rest > 0; rest >>>= 7) bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
  return Buffer.from(bytes);
}

function footerOf(columns: readonly Column[], groups: RowGroup[], rowCount: number): Buffer {
  const { bytes, writer } = openWriter(columns, 0);
  writer.row_groups = groups;
  writer.num_rows = BigInt(rowCount);
  void writer.finish();
  return bytes().subarray(0, -8);
}

function openWriter(columns: readonly Column[], startByte: number) {
  const target = new ByteWriter();
  const writer = new ParquetWriter({ writer: target, schema: schemaOf(columns), createdBy: 'runcost' });
  target.index = 0;
  target.offset = startByte;
  return { writer, bytes: () => Buffer.from(target.getBytes()) };
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  const elements = columns.map(({ name, kind, isNullable }): SchemaElement => ({
    name,
    repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
    ...elementOf[kind],
  }));
  return [{ name: 'root', num_children: elements.length }, ...elements];
}

type Element = Omit<SchemaElement, 'name' | 'repetition_type'>;

const milliseconds: Element = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
const json: Element = { type: 'BYTE_ARRAY', converted_type: 'JSON' };

const elementOf: Record<ColumnKind, Element> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  decimal: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 9 },
  instant: milliseconds,
  second: milliseconds,
  day: { type: 'INT32', converted_type: 'DATE' },
  boolean: { type: 'BOOLEAN' },
  list: json,
  object: json,
};

function parquetOf(cell: Cell, kind: ColumnKind): unknown {
  return kind === 'day' && cell !== null ? startOfDay(cell as string) : cell;
}

function instantText(instant: Date, kind: ColumnKind): string {
  const text = instant.toISOString();
  return kind === 'second' ? `${text.slice(0, -5)}Z` : text;
}
