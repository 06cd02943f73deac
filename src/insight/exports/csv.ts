import { formatNanos } from '../../platform/lib/money.ts';
import type { Cell, Column } from './column.ts';
import { instantText } from './instantText.ts';

/**
 * Rows as RFC 4180 has them: CRLF, quotes where they are needed. Text that a spreadsheet would take for a formula gets
 * an apostrophe before it, which numbers and times never need.
 */
export function csvLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const lines = records.map((cells) => lineOf(cells.map((cell, index) => cellText(cell, columns[index]!))));
  return Buffer.from(lines.join(''));
}

export function csvHeader(columns: readonly Column[]): Buffer {
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
