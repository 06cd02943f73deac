import { sql, type RawBuilder } from 'kysely';

/** The columns of a statement's rows with their SQL types. */
export type Columns = Record<
  string,
  'uuid' | 'text' | 'text[]' | 'jsonb' | 'boolean' | 'integer' | 'bigint' | 'date' | 'timestamptz' | 'bytea'
>;

type Values = Record<string, unknown>;

/**
 * A SELECT of an organization's rows that takes one array parameter a column, so that a statement's text and plan are
 * the same for any number of rows. PostgreSQL reads arrays in half the time that JSON takes it.
 */
export function unnestRows(orgId: string, rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  const selected = Object.entries(columns).map(([name, type]) => columnOfRow(name, type));
  return sql`select ${orgId}::uuid, ${sql.join(selected)} from ${unnested(rows, columns)}`;
}

/** `unnest` takes an array of arrays apart to the last, and drivers differ in writing JSON: both go in as text. */
const textForms: ReadonlyMap<Columns[string], (value: unknown) => string | null> = new Map([
  ['text[]', (value) => arrayLiteral(value as string[])],
  ['jsonb', (value) => (value === null ? null : JSON.stringify(value))],
]);

/** A column of the table `row` in its own type. */
export function columnOfRow(name: string, type: Columns[string]): RawBuilder<unknown> {
  const column = sql.ref(`row.${name}`);
  return textForms.has(type) ? sql`${column}::${sql.raw(type)}` : column;
}

/** The rows as a table named `row`, for a FROM; lists of text and JSON are in it as text that can be cast to them. */
export function unnested(rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  const entries = Object.entries(columns);
  const arrays = entries.map(([name, type]) => {
    const textOf = textForms.get(type);
    const values = rows.map((row) => (row as Values)[name]);
    return textOf ? sql`${values.map(textOf)}::text[]` : sql`${values}::${sql.raw(type)}[]`;
  });
  const names = entries.map(([name]) => sql.ref(name));
  return sql`unnest(${sql.join(arrays)}) as row (${sql.join(names)})`;
}

function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
