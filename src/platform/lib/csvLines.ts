import { CsvError, parse } from 'csv-parse/sync';
import { invalidAt, PublicError, type FieldError } from './errors.ts';

export type CsvLine = { number: number; cells: string[] };

/** The lines of a file that a spreadsheet or a person wrote, without empty ones. */
export function csvLinesOf(text: string): CsvLine[] {
  return [...csvBatches(text)].flat();
}

const batchCharacters = 16 * 1024;
const longestLine = 64 * 1024;
const recordDelimiters = ['\r\n', '\n', '\r'];

/** The same in parts, so that other requests can be answered between two of them. */
export function* csvBatches(text: string): Generator<CsvLine[]> {
  const delimiter = separatorOf(text);
  let before = 0;
  for (let from = 0; from < text.length;) {
    const to = endOfBatch(text, from);
    const batch = text.slice(from, to);
    yield parsed(batch, delimiter, before);
    before += breaksIn(batch);
    from = to;
  }
}

function parsed(text: string, delimiter: string, before: number): CsvLine[] {
  const options = {
    bom: true,
    delimiter,
    info: true,
    record_delimiter: recordDelimiters,
    relax_column_count: true,
    skip_records_with_empty_values: true,
  } as const;
  try {
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({
      number: before + info.lines,
      cells: record.map((cell) => cell.trim()),
    }));
  } catch (error) {
    if (error instanceof CsvError)
      throw invalidAt(`line ${before + Number(error['lines'])}`, `is not valid CSV: ${error.message}`);
    throw error;
  }
}

/** After a line break outside quotes. */
function endOfBatch(text: string, from: number): number {
  const marks = /"|\r\n|\n|\r/g;
  marks.lastIndex = from;
  let [start, isQuoted] = [from, false];
  for (let at = from; at < text.length && start - from < batchCharacters;) {
    const mark = marks.exec(text)?.[0];
    at = mark === undefined ? text.length : marks.lastIndex;
    if (at - start > longestLine)
      throw invalidAt(`line ${breaksIn(text.slice(0, start)) + 1}`, 'is too long; is a quote left open?');
    if (mark === '"') isQuoted = !isQuoted;
    else if (!isQuoted) start = at;
  }
  return start - from < batchCharacters ? text.length : start;
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** Spreadsheets of some countries separate columns by semicolons. No column name contains a separator. */
function separatorOf(text: string): string {
  const heading = /^\s*[^\r\n]*/.exec(text)![0];
  return heading.includes(',') ? ',' : (/[;\t]/.exec(heading)?.[0] ?? ',');
}

/** Undoes the escaping of `harmless`. */
export function withoutApostrophes(text: string): string {
  return text.replace(/^'(?=[=+\-@＝＋－＠])/, '').replaceAll(/(?<=[;\t])'(?="*[=+\-@＝＋－＠])/g, '');
}

const maxErrors = 50;

export function faultyLines(errors: readonly FieldError[]): PublicError {
  const [{ path, message }] = errors as [FieldError];
  const others = errors.length - 1;
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'fault' : 'faults'})`;
  const text = `${path} ${message}${more}`;
  return new PublicError('invalid', 'invalid_request', text, errors.slice(0, maxErrors));
}
