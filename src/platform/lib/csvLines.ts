import { CsvError, parse } from 'csv-parse/sync';
import { invalidAt, PublicError, type FieldError } from './errors.ts';

export type CsvLine = { number: number; cells: string[] };

/** The lines of a file that a spreadsheet or a person wrote, without empty ones. */
export function csvLinesOf(text: string): CsvLine[] {
  const options = {
    bom: true,
    delimiter: separatorOf(text),
    info: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
  } as const;
  try {
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({
      number: info.lines,
      cells: record.map((cell) => cell.trim()),
    }));
  } catch (error) {
    if (error instanceof CsvError)
      throw invalidAt(`line ${String(error['lines'])}`, `is not valid CSV: ${error.message}`);
    throw error;
  }
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
