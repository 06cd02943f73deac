import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer';
import { startOfDay } from '../../platform/lib/days.ts';
import type { Cell, Column, ColumnKind } from './columns.ts';

type RowGroup = ParquetWriter['row_groups'][number];

/** A part of a file, and what the file's end will have to say of it, as it will stand there. */
export type WrittenGroup = { bytes: Buffer; rowGroup: Buffer };

/** What a Parquet file begins with. */
export const parquetMagic = Buffer.from('PAR1');

/**
 * A row group that stands at `startByte` of the file. The library writes files from their beginning to their end in one
 * go; here each group is written by a writer of its own that is told where it stands, so that a file can be gone on with
 * by another process.
 */
export function parquetGroup(
  columns: readonly Column[],
  records: readonly Cell[][],
  startByte: number,
): WrittenGroup {
  const { bytes, writer } = openWriter(columns, startByte);
  const columnData: ColumnSource[] = columns.map(({ name, kind }, index) => ({
    name,
    data: records.map((cells) => valueOf(cells[index]!, kind)),
    // The page index of several pages would have to be kept as well, and readers do without.
    offsetIndex: false,
  }));
  void writer.write({ columnData, rowGroupSize: records.length });
  return { bytes: bytes(), rowGroup: describeGroup(columns, writer.row_groups[0]!) };
}

/**
 * The end of a file with these row groups, in the order in which they stand in it. Long files have hundreds of them with
 * dozens of columns each, which take much memory as objects; as bytes they are put together as they are.
 */
export function parquetEnd(
  columns: readonly Column[],
  rowGroups: readonly Buffer[],
  rowCount: number,
): Buffer {
  const footer = footerOf(columns, [], rowCount);
  const at = placeOfGroups(columns, rowCount);
  const head = [footer.subarray(0, at), listHeader(rowGroups.length), ...rowGroups, footer.subarray(at + 1)];
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.reduce((sum, bytes) => sum + bytes.length, 0));
  return Buffer.concat([...head, length, parquetMagic]);
}

/** What a footer says of a group: what one with it has more than one without it. */
function describeGroup(columns: readonly Column[], group: RowGroup): Buffer {
  const [without, withIt] = [footerOf(columns, [], 0), footerOf(columns, [group], 0)];
  const start = placeOfGroups(columns, 0) + 1;
  return withIt.subarray(start, start + withIt.length - without.length);
}

/** Where the list of groups begins in a footer: with a byte that says how many they are. */
function placeOfGroups(columns: readonly Column[], rowCount: number): number {
  const group: RowGroup = { columns: [], total_byte_size: 0n, num_rows: 0n };
  const [without, withOne] = [footerOf(columns, [], rowCount), footerOf(columns, [group], rowCount)];
  return without.findIndex((byte, index) => byte !== withOne[index]);
}

/** Thrift's compact protocol: a list of structs and its length, in the same byte up to 14. */
function listHeader(length: number): Buffer {
  const struct = 12;
  if (length < 15) return Buffer.of((length << 4) | struct);
  const bytes = [0xf0 | struct];
  for (let rest = length; rest > 0; rest >>>= 7) bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
  return Buffer.from(bytes);
}

/** Without its length and the magic, which end a file. */
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
  // Without the magic that every new writer begins with.
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

function valueOf(cell: Cell, kind: ColumnKind): unknown {
  return kind === 'day' && cell !== null ? startOfDay(cell as string) : cell;
}
