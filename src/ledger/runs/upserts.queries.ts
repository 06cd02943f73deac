import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import { prepared } from '../../platform/db/prepared.ts';
import { arraysOf, selectArrays, type Columns } from '../../platform/db/unnestRows.ts';
import type { RunTables } from './tables.ts';

export type RecordedTable<Row> = {
  name: keyof RunTables;
  key: readonly (keyof Row & string)[];
  columns: Record<keyof Row & string, Columns[string]>;
};

export type Part = { orgId: string; rows: readonly object[] };

export type Upsert = {
  /** Any database writes it where the organization is. */
  ofOne: (part: Part) => CompiledQuery[];
  /** Cheaper, but a distributed database collects the rows first. */
  ofSeveral: (parts: readonly Part[]) => CompiledQuery[];
};

/** An INSERT. `change` says how to update rows that exist; null leaves them unchanged. */
export function upsertInto<Row extends object>(
  table: RecordedTable<Row>,
  change: RawBuilder<unknown> | null,
): Upsert {
  const names = ['orgId', ...Object.keys(table.columns)].map((name) => sql.ref(name));
  const key = ['orgId', ...table.key].map((name) => sql.ref(name));
  const upsert = (rows: RawBuilder<unknown>) => sql`
    insert into ${sql.table(table.name)} as known (${sql.join(names)})
    ${rows}
    on conflict (${sql.join(key)}) do ${change ? sql`update ${change}` : sql`nothing`}
  `;
  const named = prepared((orgId: string, ...arrays: unknown[][]) =>
    upsert(selectArrays(arrays, table.columns, orgId)),
  );
  const owned: Columns = { orgId: 'uuid', ...table.columns };
  const listed = prepared((...arrays: unknown[][]) => upsert(selectArrays(arrays, owned)));
  return {
    ofOne: ({ orgId, rows }) => (rows.length > 0 ? [named(orgId, ...arraysOf(rows, table.columns))] : []),
    ofSeveral: (parts) => {
      const orgIds = parts.flatMap(({ orgId, rows }) => rows.map(() => orgId));
      const allRows = parts.flatMap(({ rows }) => rows);
      return allRows.length > 0 ? [listed(orgIds, ...arraysOf(allRows, table.columns))] : [];
    },
  };
}

export function replacing<Row extends object>(table: RecordedTable<Row>): RawBuilder<unknown> {
  const replaced = changedColumns(table).map(([name]) => sql`${sql.ref(name)} = ${excluded(name)}`);
  return sql`set ${sql.join(replaced)}`;
}

/** The `bigint` columns of a rollup are sums. Other columns are replaced. */
export function adding<Row extends object>(table: RecordedTable<Row>): RawBuilder<unknown> {
  const changed = changedColumns(table).map(([name, type]) => {
    const added = type === 'bigint' ? sql`${sql.ref(`known.${name}`)} +` : sql``;
    return sql`${sql.ref(name)} = ${added} ${excluded(name)}`;
  });
  return sql`set ${sql.join(changed)}`;
}

function changedColumns<Row extends object>({ columns, key }: RecordedTable<Row>) {
  return Object.entries<Columns[string]>(columns).filter(
    ([name]) => !(key as readonly string[]).includes(name),
  );
}

function excluded(name: string) {
  return sql.ref(`excluded.${name}`);
}
