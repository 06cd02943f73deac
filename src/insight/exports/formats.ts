import type { Cell, Column } from './column.ts';
import { csvHeader, csvLines } from './csv.ts';
import type { FormatName } from './exportTask.ts';
import { jsonLines } from './jsonl.ts';
import { parquetEnd, parquetGroup, parquetMagic } from './parquet.ts';

/** How a file is written part by part, each by whichever process has its turn. */
export type Format = {
  contentType: string;
  /** Few enough for little memory; of Parquet enough for a good row group. */
  rowsAPiece: number;
  begin: (columns: readonly Column[]) => Buffer;
  rows: (
    columns: readonly Column[],
    records: readonly Cell[][],
    startByte: number,
  ) => { bytes: Buffer; rowGroup: Buffer | null };
  /** What comes after the last row; null where nothing does. */
  end: ((columns: readonly Column[], rowGroups: readonly Buffer[], rowCount: number) => Buffer) | null;
};

const nothing = Buffer.alloc(0);

export const formats: Record<FormatName, Format> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    rowsAPiece: 2_000,
    begin: csvHeader,
    rows: (columns, records) => ({ bytes: csvLines(columns, records), rowGroup: null }),
    end: null,
  },
  jsonl: {
    contentType: 'application/x-ndjson; charset=utf-8',
    rowsAPiece: 2_000,
    begin: () => nothing,
    rows: (columns, records) => ({ bytes: jsonLines(columns, records), rowGroup: null }),
    end: null,
  },
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    rowsAPiece: 5_000,
    begin: () => parquetMagic,
    rows: parquetGroup,
    end: parquetEnd,
  },
};
