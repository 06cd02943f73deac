import type { Column, Operation } from '../operations.ts';
import { dollars } from '../platform/lib/amountTexts.ts';
import { csvLine, harmless } from '../platform/lib/csv.ts';
import { parseUsd } from '../platform/lib/money.ts';
import { formatDuration, printTable } from './output.ts';
import type { Answer } from './session.ts';

/** The rows of a list's answer. */
export function rowsOf({ list }: Operation, answer: Answer): Answer[] {
  return list!.rows === '' ? answer : valueAt(answer, list!.rows);
}

export function printRows(columns: readonly Column[], rows: readonly Answer[]): void {
  printTable(
    columns.map(({ heading }) => heading),
    rows.map((row) => columns.map((column) => cellOf(valueAt(row, column.path), column.kind))),
  );
}

/** The columns of a list as CSV, with all digits. Numbers may begin with a minus; texts that do could be formulas. */
export function csvOf(columns: readonly Column[], rows: readonly Answer[]): string {
  const lines = rows.map((row) => columns.map(({ path }) => csvText(valueAt(row, path))));
  return [columns.map(({ path }) => path), ...lines].map(csvLine).join('');
}

/** Prints the fields of an answer, one in each line, with the path of each, and then its lists of objects. */
export function printFields(answer: Answer): void {
  const fields = fieldsOf(answer);
  const simple = fields.filter(([, value]) => !isObjects(value));
  printTable(
    [],
    simple.map(([path, value]) => [path, fieldCell(value)]),
  );
  for (const [path, objects] of fields.filter(([, value]) => isObjects(value))) {
    console.log(`\n${path}`);
    printObjects((objects as Answer[]).map((each) => new Map(fieldsOf(each))));
  }
}

const maxColumns = 8;

function printObjects(rows: ReadonlyMap<string, Answer>[]): void {
  const paths = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, maxColumns);
  printTable(
    paths.map((path) => path.replaceAll(/[_.]/g, ' ').toUpperCase()),
    rows.map((row) => paths.map((path) => fieldCell(row.get(path)))),
  );
}

const fieldCell = (value: Answer): string => cellOf(value, isTime(value) ? 'time' : 'other');

/** Each field with its path: `period.start`. */
function fieldsOf(value: Answer, path = ''): [path: string, value: Answer][] {
  return Object.entries(value as Record<string, Answer>).flatMap(([name, each]) => {
    const at = path ? `${path}.${name}` : name;
    return isObject(each) ? fieldsOf(each, at) : [[at, each]];
  });
}

function isObjects(value: Answer): boolean {
  return Array.isArray(value) && value.some(isObject);
}

function isObject(value: Answer): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('rawJSON' in value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

function valueAt(row: Answer, path: string): Answer {
  return path.split('.').reduce((value, name) => value?.[name], row);
}

export function cellOf(value: Answer, kind: Column['kind']): string {
  if (value === null || value === undefined || value === '') return '-';
  if (kind === 'usd') return dollarsOf(value);
  if (kind === 'duration') return formatDuration(value);
  if (kind === 'time') return String(value).replace(/\.\d{3}Z$/, 'Z');
  if (value === true || value === false) return value ? 'yes' : 'no';
  return wordsOf(value) || '-';
}

/** In words, not as JSON: `repository=acme/api, branch=main`. */
function wordsOf(value: Answer): string {
  if (Array.isArray(value)) return firstOf(value.map(wordsOf));
  if (!isObject(value)) return rawText(value);
  return fieldsOf(value)
    .map(([path, each]) => `${path}=${wordsOf(each)}`)
    .join(', ');
}

const maxItems = 5;

/** Long lists would break a table. */
export function firstOf(texts: readonly string[]): string {
  const left = texts.length - maxItems;
  return left <= 0 ? texts.join(', ') : `${texts.slice(0, maxItems).join(', ')} and ${left} more`;
}

/** `$1,284.55` of an amount in an answer. */
export function dollarsOf(amount: number | { rawJSON: string }): string {
  return dollars(nanosOf(amount));
}

export function nanosOf(amount: number | { rawJSON: string }): bigint {
  const number = typeof amount === 'number' ? String(amount) : amount.rawJSON;
  const text = number.includes('e') ? Number(number).toFixed(9) : number;
  return text.startsWith('-') ? -parseUsd(text.slice(1)) : parseUsd(text);
}

function csvText(value: Answer): string {
  const isNumber = typeof value === 'number' || (isObject(value) && 'rawJSON' in value);
  return isNumber ? rawText(value) : harmless(rawText(value));
}

function rawText(value: Answer): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return 'rawJSON' in value ? value.rawJSON : JSON.stringify(value);
}
