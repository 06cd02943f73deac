/** A line as RFC 4180 has it: CRLF, and quotes if needed. */
export function csvLine(texts: readonly string[]): string {
  return `${texts.map(csvCell).join(',')}\r\n`;
}

/** Includes separators that some readers take: any line break, semicolon, tab. */
const ending = /[",;\t\r\n]/;

export function csvCell(text: string): string {
  return ending.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets skip a tab or line break before a formula, and in countries with decimal commas they split at semicolons
 * and ignore quotes.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/;
const formulaWithin = /[;\t\r\n](?="*[=+\-@＝＋－＠])/g;
const formulaFirst = /^(?=[=+\-@\t\r\n＝＋－＠])/;

/** Text that a spreadsheet could read as a formula gets an apostrophe. */
export function harmless(text: string): string {
  return formula.test(text) ? text.replace(formulaWithin, "$&'").replace(formulaFirst, "'") : text;
}
