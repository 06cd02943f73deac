import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';

const parts = 4;

type Plan = { 'Relation Name'?: string; [field: string]: unknown };

/**
 * Copies the tables of organizations without rows, partitioned by `org_id`, into a schema that this connection reads
 * from now on. Views are copied, too. Checks are not: the planner would skip rows that they exclude.
 */
export async function partitionTables(
  db: Database,
  relations: Map<string, { isView: boolean }>,
): Promise<void> {
  const { rows: views } = await sql<{ name: string; text: string }>`
    select viewname as name, definition as text from pg_views where schemaname = 'public'
  `.execute(db);
  const tables = [...relations].filter(([, { isView }]) => !isView).map(([name]) => name);
  const copies = tables.flatMap((name) => [
    `create table ${name} (like public.${name} including all excluding constraints) partition by hash (org_id)`,
    ...Array.from({ length: parts }, (_, part) => {
      const place = `for values with (modulus ${parts}, remainder ${part})`;
      return `create table ${name}_part_${part} partition of ${name} ${place}`;
    }),
  ]);
  const commands = [
    'create schema partitioned',
    'set search_path = partitioned, public',
    'set plan_cache_mode = force_custom_plan',
    ...copies,
    ...views.map(({ name, text }) => `create view ${name} as ${text}`),
  ];
  await sql.raw(commands.join(';')).execute(db);
}

/** Undefined: a move's table is there only meanwhile, and functions of extensions only where those are. */
const isOfElsewhere = (error: unknown) => /^42(P01|883)$/.test(String((error as { code?: string }).code));

/** The tables of which the statement reads several partitions if all its values name one organization. */
export async function scattered(db: Database, statement: string): Promise<string[]> {
  try {
    await sql.raw(`prepare statement as ${statement}`).execute(db);
  } catch (error) {
    if (isOfElsewhere(error)) return [];
    throw error;
  }
  try {
    const { rows } = await sql<{ types: string }>`
      select parameter_types::text as types from pg_prepared_statements where name = 'statement'
    `.execute(db);
    const types = rows[0]!.types.slice(1, -1).match(/"[^"]+"|[^",]+/g) ?? [];
    const values = types.map((type) => sampleOf(type.replaceAll('"', ''))).join();
    const call = values && `(${values})`;
    const explained = await sql<{
      'QUERY PLAN': Plan[];
    }>`${sql.raw(`explain (format json) execute statement${call}`)}`.execute(db);
    const read = [...new Set(relationsIn(Object.values(explained.rows[0]!)))];
    const tables = read.map((name) => /^(.+)_part_\d$/.exec(name)?.[1] ?? '').filter(Boolean);
    return tables.filter((name, place) => tables.indexOf(name) === place && tables.lastIndexOf(name) > place);
  } finally {
    await sql`deallocate statement`.execute(db);
  }
}

const samples: Record<string, string> = {
  uuid: '00000000-0000-4000-8000-000000000000',
  boolean: 'true',
  date: '2026-01-01',
  'timestamp with time zone': '2026-01-01',
  interval: '1 day',
  jsonb: '{}',
};

function sampleOf(type: string): string {
  const sample = samples[type.replace('[]', '')] ?? '1';
  return `'${type.endsWith('[]') ? `{"${sample}"}` : sample}'::${type}`;
}

function relationsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const name = (tree as Plan)['Relation Name'];
  return [...(name ? [name] : []), ...Object.values(tree).flatMap(relationsIn)];
}
