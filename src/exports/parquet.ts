import { deserialize, serialize } from 'node:v8';
import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer';
import { startOfDay } from '../lib/days.ts';
import type { Cell, Column, ColumnKind } from './column.ts';

type RowGroup = ParquetWriter['row_groups'][number];

/** A part of a file, and what the file's end will have to say of it. */
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
  return { bytes: bytes(), rowGroup: serialize(writer.row_groups[0]) };
}

/** The end of a file with these row groups, in the order in which they stand in it. */
export function parquetEnd(
  columns: readonly Column[],
  rowGroups: readonly Buffer[],
  startByte: number,
): Buffer {
  const { bytes, writer } = openWriter(columns, startByte);
  writer.row_groups = rowGroups.map((group) => deserialize(group) as RowGroup);
  writer.num_rows = writer.row_groups.reduce((sum, group) => sum + group.num_rows, 0n);
  void writer.finish();
  return bytes();
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
