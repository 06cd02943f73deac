/** A line as in RFC 4180: CRLF, and quotes if needed. */
export function csvLine(texts: readonly string[]): string {
  return `${texts.map(csvCell).join(',')}\r\n`;
}

/** Includes what some readers take for separators: any line break, semicolon or tab. */
const ending = /[",;\t\r\n]/;

export function csvCell(text: string): string {
  return ending.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets skip a tab or line break before a formula, and some split at semicolons despite quotes. */
const formula = /^[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/;
const formulaWithin = /[;\t\r\n](?="*[=+\-@＝＋－＠])/g;
const formulaFirst = /^(?=[=+\-@\t\r\n＝＋－＠])/;

/** Puts an apostrophe before text that a spreadsheet could read as a formula. */
export function harmless(text: string): string {
  return formula.test(text) ? text.replace(formulaWithin, "$&'").replace(formulaFirst, "'") : text;
}
