import { formatNanos, usd } from '../../platform/lib/money.ts';
import { instantText, type Cell, type Column } from './columns.ts';
import type { FormatName } from './exportTask.ts';
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

/**
 * Rows as RFC 4180 has them: CRLF, quotes where they are needed. Text that a spreadsheet would take for a formula gets
 * an apostrophe before it, which numbers and times never need.
 */
function csvLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const lines = records.map((cells) => lineOf(cells.map((cell, index) => cellText(cell, columns[index]!))));
  return Buffer.from(lines.join(''));
}

function csvHeader(columns: readonly Column[]): Buffer {
  return Buffer.from(lineOf(columns.map(({ name }) => name)));
}

function lineOf(texts: readonly string[]): string {
  return `${texts.map(quoted).join(',')}\r\n`;
}

/** What ends a cell or a row, also for readers that take any line break, semicolon or tab for such an end. */
const ending = /[",;\t\r\n]/;

function quoted(text: string): string {
  return ending.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(cell: Cell, { kind }: Column): string {
  if (cell === null) return '';
  if (kind === 'decimal') return formatNanos(cell as bigint);
  if (kind === 'text') return harmless(cell as string);
  if (cell instanceof Date) return instantText(cell, kind);
  if (typeof cell === 'object') return harmless(JSON.stringify(cell));
  return String(cell);
}

/**
 * What begins a formula, also in full width; spreadsheets skip a tab or line break before it, and in countries with
 * decimal commas they split such files at semicolons and do not see the quotes.
 */
const formula = /^[\t\r\n]|(?:^|[;\t\r\n])[=+\-@＝＋－＠]/;
const formulaWithin = /[;\t\r\n](?=[=+\-@＝＋－＠])/g;
const formulaFirst = /^(?=[=+\-@\t\r\n＝＋－＠])/;

function harmless(text: string): string {
  return formula.test(text) ? text.replace(formulaWithin, "$&'").replace(formulaFirst, "'") : text;
}

/** One JSON object a line; decimals are exact JSON numbers, as everywhere in the API. */
function jsonLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const lines = records.map((cells) => {
    const fields = columns.map((column, index) => [column.name, valueOf(cells[index]!, column)] as const);
    return `${JSON.stringify(Object.fromEntries(fields))}\n`;
  });
  return Buffer.from(lines.join(''));
}

function valueOf(cell: Cell, { kind }: Column): unknown {
  if (cell === null) return null;
  if (kind === 'decimal') return usd(cell as bigint);
  if (kind === 'integer') return JSON.rawJSON((cell as bigint).toString());
  return cell instanceof Date ? instantText(cell, kind) : cell;
}
