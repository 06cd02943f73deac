import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from './harness/app.ts';

const { app } = await startTestApp();

/** Tables of the program, without an organization. A login has none until somebody confirms it. */
const exceptions = ['installation', 'logins', 'migration_lock', 'migrations'];

test('every table starts its primary key, unique indexes and foreign keys with org_id', async () => {
  const { rows } = await sql<{ tableName: string; kind: string; name: string; firstColumn: string }>`
    select t.relname as table_name, case when i.indisprimary then 'primary key' else 'unique index' end as kind,
      c.relname as name, coalesce(a.attname, 'an expression') as first_column
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_class t on t.oid = i.indrelid
    join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
    left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
    where i.indisunique
    union all
    select t.relname, 'foreign key', k.conname, a.attname
    from pg_constraint k
    join pg_class t on t.oid = k.conrelid
    join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
    where k.contype = 'f'
  `.execute(app.db);
  const faults = rows.filter((row) => row.firstColumn !== 'org_id' && !exceptions.includes(row.tableName));
  assert.deepEqual(faults, []);
  assert.ok(
    rows.some((row) => row.kind === 'foreign key'),
    'the query sees foreign keys',
  );
});

test('every table except the named ones has org_id in its primary key', async () => {
  const { rows } = await sql<{ name: string; hasKey: boolean }>`
    select t.relname as name, exists (select 1 from pg_index i where i.indrelid = t.oid and i.indisprimary) as has_key
    from pg_class t join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
    where t.relkind = 'r'
  `.execute(app.db);
  assert.ok(rows.length >= 12);
  assert.deepEqual(
    rows.filter((row) => !row.hasKey),
    [],
  );
});

test('no table needs a sequence, trigger or extension', async () => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public' where c.relkind = 'S'
    union all select tgname from pg_trigger where not tgisinternal
    union all select extname from pg_extension where extname <> 'plpgsql'
  `.execute(app.db);
  assert.deepEqual(rows, []);
});
