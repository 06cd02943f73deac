import type { Column, Value } from './columns.ts';

/**
 * For spreadsheets, which would take some texts for formulas: those get an apostrophe. In countries with decimal commas
 * they split at semicolons and ignore quotes. The server's CSV has the same rule.
 */
export function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const written = columns.filter(({ csv, value }) => csv !== null && (csv ?? value));
  const lines = [
    written.map(({ title }) => csvCell(title)),
    ...rows.map((row) => written.map(({ csv, value }) => csvCell(csv ? csv(row) : value!(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function csvCell(value: Value): string {
  if (typeof value === 'number') return String(value);
  const text = (value ?? '')
    .replaceAll(/[;\t\r\n](?="*[=+\-@＝＋－＠])/g, "$&'")
    .replace(/^[=+\-@＝＋－＠\t\r\n]/, "'$&");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
