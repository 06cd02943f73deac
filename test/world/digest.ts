import type pg from 'pg';

/** The database sets these from its own clock. */
const realTimes = '{costs_version,costs_checked_version,judged_costs_version,applied_at}';

/** A line for each table with the hash of all its rows. Ids follow from the seed, so that they are the same each time, too. */
export async function digestOf(db: pg.Client): Promise<string[]> {
  const { rows: tables } = await db.query<{ name: string }>(`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations' order by 1`);
  const each = tables.map(
    ({ name }) => `select '${name} ' || md5(coalesce(string_agg(line, ',' order by line), '')) from (
        select (to_jsonb(r) - '${realTimes}'::text[])::text as line from "${name}" r) lines`,
  );
  const { rows } = await db.query<{ line: string }>(
    `select line from (${each.join(' union all ')}) of_all (line)`,
  );
  return rows.map(({ line }) => line);
}
