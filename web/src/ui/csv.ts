import type { Column, Value } from './columns.ts';

/**
 * Prefixes texts that spreadsheets would read as formulas with an apostrophe. Spreadsheets with decimal commas split at
 * semicolons and ignore quotes. The server's CSV follows the same rule.
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
