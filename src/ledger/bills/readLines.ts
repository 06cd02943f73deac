import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { normalizeWords } from './skus.ts';

/** `api`: fetched from the provider. The others are files. */
export const formats = ['summarised', 'detailed', 'legacy', 'api'] as const;
type Format = Exclude<(typeof formats)[number], 'api'>;

const names = {
  date: ['date', 'usage_at', 'usage_date'],
  product: ['product', 'product_name'],
  sku: ['sku', 'sku_name'],
  quantity: ['quantity'],
  unit: ['unit_type', 'unit'],
  price: ['applied_cost_per_quantity', 'price_per_unit', 'unit_price'],
  gross: ['gross_amount'],
  discount: ['discount_amount'],
  net: ['net_amount'],
  organization: ['organization', 'organization_name', 'owner'],
  repository: ['repository', 'repository_name', 'repository_slug'],
  workflowPath: ['workflow_path', 'workflow_name', 'actions_workflow'],
  username: ['username'],
  currency: ['currency', 'currency_code', 'billing_currency'],
} as const;

type Column = keyof typeof names;

export type Header = {
  format: Format;
  at: Partial<Record<Column, number>>;
  columns: number;
};

const maxColumns = 200;
const always: Column[] = ['date', 'product', 'sku', 'quantity', 'unit', 'repository'];

export function readHeader(cells: readonly string[]): Header | { fault: string } {
  if (cells.length > maxColumns) return { fault: `has ${cells.length} columns; a bill report has about 14` };
  const separator = cells.length === 1 ? /[;\t]/.exec(cells[0]!)?.[0] : undefined;
  if (separator)
    return { fault: `is separated by ${separator === ';' ? 'semicolons' : 'tabs'}; save it with commas` };
  const given = cells.map(normalizeWords);
  const at: Header['at'] = {};
  for (const [column, known] of Object.entries(names) as [Column, readonly string[]][]) {
    const found = given.flatMap((name, index) => (known.includes(name) ? [index] : []));
    if (found.length > 1) return { fault: `has the column ${cells[found[0]!]!.trim()} twice` };
    if (found.length === 1) at[column] = found[0]!;
  }
  const isLegacy = at.gross === undefined && at.net === undefined;
  const missing = [...always, ...(isLegacy ? (['price'] as const) : (['gross', 'net'] as const))]
    .filter((column) => at[column] === undefined)
    .map((column) => (isLegacy && column === 'price' ? 'gross_amount and net_amount' : names[column][0]));
  if (missing.length > 0) {
    return { fault: `lacks the columns ${missing.join(', ')}: it is not a metered usage report from GitHub` };
  }
  const isDetailed = at.workflowPath !== undefined || at.username !== undefined;
  return { format: isLegacy ? 'legacy' : isDetailed ? 'detailed' : 'summarised', at, columns: cells.length };
}

/** Whether a line is another heading, even if the previous line runs into its first name. */
export function isHeading(cells: readonly string[]): boolean {
  const given = new Set(cells.map(normalizeWords));
  return always.filter((column) => names[column].some((name) => given.has(name))).length >= 4;
}

export type CsvLine = { number: number; cells: string[] } | { number: number; fault: string };

export const longestLine = 64 * 1024;
const linesPerBatch = 1_000;

/** In batches, with constant memory. GitHub breaks no cell, so an unclosed quote spoils only one line. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvLine[]> {
  let batch: RawLine[] = [];
  for await (const line of splitLines(chunks)) {
    batch.push(line);
    if (batch.length < linesPerBatch) continue;
    yield cellsOf(batch);
    batch = [];
  }
  if (batch.length > 0) yield cellsOf(batch);
}

type RawLine = { number: number; text: string } | { number: number; fault: string };

const newline = 0x0a;
const byteOrderMark = '\uFEFF';

/** Skips empty lines. For lines that are too long, it keeps only the number. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawLine> {
  let number = 0;
  let started: Buffer[] = [];
  let startedBytes = 0;
  const keep = (bytes: Buffer): void => {
    startedBytes += bytes.length;
    if (startedBytes > longestLine) started = [];
    else if (bytes.length > 0) started.push(bytes);
  };
  const end = (): RawLine | null => {
    number++;
    const line = startedBytes > longestLine ? tooLong(number) : readText(number, Buffer.concat(started));
    started = [];
    startedBytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const at = chunk.indexOf(newline, start);
      if (at === -1) break;
      keep(chunk.subarray(start, at));
      const line = end();
      if (line) yield line;
      start = at + 1;
    }
    keep(chunk.subarray(start));
  }
  const last = startedBytes > 0 ? end() : null;
  if (last) yield last;
}

function tooLong(number: number): RawLine {
  return { number, fault: `is longer than ${longestLine / 1024} KiB` };
}

const oddQuotes = 'has quotes that do not match';

function readText(number: number, bytes: Buffer): RawLine | null {
  const whole = bytes.toString('utf8').replace(/\r$/, '');
  const text = number === 1 && whole.startsWith(byteOrderMark) ? whole.slice(1) : whole;
  if (text.trim() === '') return null;
  if (text.includes('\0')) return { number, fault: 'holds a null character' };
  if (!isUtf8(bytes)) return { number, fault: 'is not UTF-8 text' };
  return hasOddQuotes(text) ? { number, fault: oddQuotes } : { number, text };
}

const options = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
  trim: true,
  skip_empty_lines: false,
};

function cellsOf(lines: readonly RawLine[]): CsvLine[] {
  const plain = lines.map((line) => ('text' in line ? plainCells(line.text) : null));
  const others = lines.flatMap((line, index) => ('text' in line && !plain[index] ? [line.text] : []));
  const records = parseAll(others);
  let read = 0;
  return lines.map((line, index) => {
    if ('fault' in line) return line;
    const cells = plain[index] ?? (records ? records[read++]! : parseOne(line.text));
    return cells ? { number: line.number, cells } : { number: line.number, fault: oddQuotes };
  });
}

function parseAll(texts: readonly string[]): string[][] | null {
  if (texts.length === 0) return [];
  try {
    const records: string[][] = parse(texts.join('\n'), options);
    return records.length === texts.length ? records : null;
  } catch {
    return null;
  }
}

/** The cells as the library reads them, ten times as fast. Null if a quote is anywhere but around a cell. */
export function plainCells(text: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ;) {
    const isQuoted = text[at] === '"';
    const start = isQuoted ? at + 1 : at;
    const found = text.indexOf(isQuoted ? '"' : ',', start);
    const end = found === -1 ? text.length : found;
    const cell = text.slice(start, end);
    if (isQuoted ? found === -1 : cell.includes('"')) return null;
    cells.push(isQuoted ? cell : cell.trim());
    at = isQuoted ? end + 1 : end;
    if (at >= text.length) return cells;
    if (text[at] !== ',') return null;
    at++;
  }
}

export function parseOne(text: string): string[] | null {
  try {
    return (parse(text, options) as string[][])[0] ?? null;
  } catch {
    return null;
  }
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
