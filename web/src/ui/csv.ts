import type { Column, Value } from './columns.ts';

/** For spreadsheets, which would take some texts for formulas: those get an apostrophe. */
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
  const text = (value ?? '').replace(/^[=+\-@＝＋－＠\t\r\n]/, "'$&");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
