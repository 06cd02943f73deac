import { sql, type RawBuilder } from 'kysely';

export type Columns = Record<
  string,
  'uuid' | 'text' | 'text[]' | 'jsonb' | 'boolean' | 'integer' | 'bigint' | 'date' | 'timestamptz' | 'bytea'
>;

type Values = Record<string, unknown>;

/** One array per column, so that text and plan do not depend on the number of rows. */
export function unnestRows(orgId: string, rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  return selectArrays(arraysOf(rows, columns), columns, orgId);
}

/**
 * Without `orgId`, a column has each row's organization. With it, the organization's own row is joined: a distributed
 * database inserts the rows where that is, and would else collect them first.
 */
export function selectArrays(
  arrays: readonly unknown[],
  columns: Columns,
  orgId?: string,
): RawBuilder<unknown> {
  const selected = sql.join(Object.entries(columns).map(([name, type]) => columnOfRow(name, type)));
  const rows = unnestedArrays(arrays, columns);
  if (orgId === undefined) return sql`select ${selected} from ${rows}`;
  return sql`select owner.org_id, ${selected} from organizations owner cross join ${rows} where owner.org_id = ${orgId}`;
}

/**
 * To join a table by its key. The planner takes the rows for ten, and looks each up: if it knew that there are more, a
 * database without statistics would rather scan all rows of the organization (decision 12).
 */
export function selectUncounted(rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  const arrays = arraysOf(rows, columns);
  const types = Object.values(columns);
  return selectArrays(
    arrays.map((array, place) => sql`(select ${typed(array, types[place]!)})`),
    columns,
  );
}

/** `unnest` flattens nested arrays, and drivers write JSON differently, so both are sent as text. */
const textForms: ReadonlyMap<Columns[string], (value: unknown) => string | null> = new Map([
  ['text[]', (value) => (value === null ? null : arrayLiteral(value as string[]))],
  ['jsonb', (value) => (value === null ? null : JSON.stringify(value))],
]);

function columnOfRow(name: string, type: Columns[string]): RawBuilder<unknown> {
  const column = sql.ref(`row.${name}`);
  return textForms.has(type) ? sql`${column}::${sql.raw(type)}` : column;
}

export function unnested(rows: readonly object[], columns: Columns): RawBuilder<unknown> {
  return unnestedArrays(arraysOf(rows, columns), columns);
}

/** The parameters of `unnestedArrays`, one per column. */
export function arraysOf(rows: readonly object[], columns: Columns): unknown[][] {
  return Object.entries(columns).map(([name, type]) => {
    const textOf = textForms.get(type);
    const values = rows.map((row) => (row as Values)[name]);
    return textOf ? values.map(textOf) : values;
  });
}

export function unnestedArrays(arrays: readonly unknown[], columns: Columns): RawBuilder<unknown> {
  const entries = Object.entries(columns);
  const values = entries.map(([, type], place) => typed(arrays[place], type));
  const names = entries.map(([name]) => sql.ref(name));
  return sql`unnest(${sql.join(values)}) as row (${sql.join(names)})`;
}

function typed(array: unknown, type: Columns[string]): RawBuilder<unknown> {
  return sql`${array}::${sql.raw(textForms.has(type) ? 'text' : type)}[]`;
}

function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
