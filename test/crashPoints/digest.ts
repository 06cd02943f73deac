import pg from 'pg';
import { derivedTables } from '../../src/app.ts';

/** Rows and sums of all tables with rows but those that the program computes from others: equal digests have the same lines. */
export type Digest = string[];

/** A sender that ended leaves an attempt of which nobody knows how it went, and a rotation is asked for until it is answered. */
const known: Record<string, string> = {
  delivery_attempts: "where outcome <> 'unknown'",
  audit_entries: "where action <> 'webhook.rotate_secret'",
};

/** Columns that count attempts to do something, or how long one took: they may differ after a fault. */
const ofAttempts = /[._](attempts|failures|version)$|^(deliveries|delivery_attempts)\.(number|.*_ms)$/;

export async function digestOf(url: string): Promise<Digest> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    // Most tables have no row, and to look into each takes as long as the rest of a trial.
    const { rows: columns } = await db.query<{ table: string; column: string; type: string }>(`
      select c.relname as table, a.attname as column, t.typname as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) > 0
        and a.attnum > 0 and not a.attisdropped
      order by 1, 2`);
    const lines: string[] = [];
    for (const [table, of] of Map.groupBy(columns, (each) => each.table)) {
      if (derivedTables.includes(table)) continue;
      const summed = of
        .filter(({ column }) => !ofAttempts.test(`${table}.${column}`))
        .map(sumOf)
        .filter((each) => each !== null);
      const { rows } = await db.query(
        `select count(*) as rows${summed.map((each) => `, ${each}`).join('')} from "${table}" ${known[table] ?? ''}`,
      );
      const values: Record<string, unknown> = rows[0];
      if (values['rows'] === '0') continue;
      for (const [name, value] of Object.entries(values))
        lines.push(`${table} ${name}: ${JSON.stringify(value)}`);
    }
    return lines;
  } finally {
    await db.end();
  }
}

/** Numbers are summed, and of words each is counted. */
function sumOf({ table, column, type }: { table: string; column: string; type: string }): string | null {
  if (/^(int2|int4|int8|numeric|float8)$/.test(type)) return `sum("${column}")::text as "${column}"`;
  if (type === 'bool') return `count(*) filter (where "${column}") as "${column}"`;
  if (type.startsWith('json')) return null;
  if (/^(status|state|kind|outcome|reason|action|event|event_kind|conclusion|role)$/.test(column))
    return `(select jsonb_object_agg(value, rows) from (select coalesce("${column}"::text, '') as value, count(*) as rows from "${table}" ${known[table] ?? ''} group by 1) counted) as "${column}"`;
  return null;
}
