import { sql, type RawBuilder } from 'kysely';

/** The columns of a statement's rows with their SQL types. */
export type Columns = Record<
  string,
  'uuid' | 'text' | 'text[]' | 'boolean' | 'integer' | 'bigint' | 'date' | 'timestamptz' | 'bytea'
>;

type Values = Record<string, unknown>;

/**
 * A SELECT of an organization's rows that takes one array parameter a column, so that a statement's text and plan are
 * the same for any number of rows. PostgreSQL reads arrays in half the time that JSON takes it.
 */
export function unnestRows(orgId: string, rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  const selected = Object.entries(columns).map(([name, type]) =>
    type === 'text[]' ? sql`${sql.ref(name)}::text[]` : sql.ref(name),
  );
  return sql`select ${orgId}::uuid, ${sql.join(selected)} from ${unnested(rows, columns)}`;
}

/** The rows as a table named `row`, for a FROM; lists of text are in it as text that can be cast to them. */
export function unnested(rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  const entries = Object.entries(columns);
  const arrays = entries.map(([name, type]) =>
    type === 'text[]'
      ? sql`${rows.map((row) => arrayLiteral((row as Values)[name] as string[]))}::text[]`
      : sql`${rows.map((row) => (row as Values)[name])}::${sql.raw(type)}[]`,
  );
  const names = entries.map(([name]) => sql.ref(name));
  return sql`unnest(${sql.join(arrays)}) as row (${sql.join(names)})`;
}

/** `unnest` takes an array of arrays apart to the last, so the inner ones go in as text. */
function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
