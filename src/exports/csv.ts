import { stringify } from 'csv-stringify/sync';
import { formatNanos } from '../lib/money.ts';
import { instantText } from './instantText.ts';
import type { Cell, Column } from './column.ts';

/**
 * Rows as RFC 4180 has them: CRLF, quotes where they are needed. Text that a spreadsheet would take for a formula gets
 * an apostrophe before it, which numbers and times never need.
 */
export function csvLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const lines = records.map((cells) => cells.map((cell, index) => cellText(cell, columns[index]!)));
  return Buffer.from(stringify(lines, { record_delimiter: '\r\n' }));
}

export function csvHeader(columns: readonly Column[]): Buffer {
  return Buffer.from(stringify([columns.map(({ name }) => name)], { record_delimiter: '\r\n' }));
}

function cellText(cell: Cell, { kind }: Column): string | null {
  if (cell === null) return null;
  if (kind === 'decimal') return formatNanos(cell as bigint);
  if (kind === 'text') return harmless(cell as string);
  if (cell instanceof Date) return instantText(cell, kind);
  if (typeof cell === 'object') return JSON.stringify(cell);
  return String(cell);
}

/** What begins a formula, also in full width; spreadsheets skip a tab or line break before it. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function harmless(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}
