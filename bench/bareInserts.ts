import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { measures, organizationDaysOf, workflowDaysOf } from './rollups.ts';

/** Upper limit for recording: PostgreSQL inserts the rows that the service stored into copies of its tables. */

const tables = ['runs', 'jobs', 'workflow_days', 'organization_days'];

/** Creates empty tables with the same columns and indexes in this schema. */
export async function createTwins(db: pg.Client, schema: string): Promise<void> {
  const twins = tables.map(
    (table) => `create table ${schema}.${table} (like public.${table} including all);`,
  );
  await db.query(`create schema ${schema}; ${twins.join(' ')}`);
}

/** The inserts of the stored runs that `condition` selects, with their jobs and additions to the rollups. */
export async function batchInsert(db: pg.Client, condition: string): Promise<string> {
  const runs = `select r.* from public.runs r where ${condition}`;
  const jobs = `
    select j.* from public.jobs j join public.runs r on r.org_id = j.org_id and r.id = j.run_id where ${condition}`;
  return [
    await insertOf(db, 'runs', runs),
    await insertOf(db, 'jobs', jobs),
    `${await insertOf(db, 'workflow_days', workflowDaysOf(condition))} ${addTo(['day', 'workflow_id'])}`,
    `${await insertOf(db, 'organization_days', organizationDaysOf(condition))} ${addTo(['day'])}`,
  ].join(';\n');
}

export function onTwins(schema: string, statements: string): string {
  return `begin;\nset local search_path = ${schema};\n${statements};\ncommit`;
}

function addTo(key: string[]): string {
  const added = measures.map((measure) => `${measure} = known.${measure} + excluded.${measure}`);
  return `on conflict (org_id, ${key.join(', ')}) do update set ${added.join(', ')}`;
}

/** A multi-row INSERT of a query's rows. */
async function insertOf(db: pg.Client, table: string, query: string): Promise<string> {
  const columns = await columnsOf(db, table);
  const literals = columns.map((column) => `quote_nullable(${column}::text)`).join(', ');
  const { rows } = await db.query<{ values: string }>(
    `select string_agg('(' || array_to_string(array[${literals}], ',') || ')', ',') as values from (${query}) q`,
  );
  return `insert into ${table} as known (${columns.join(', ')}) values ${rows[0]!.values}`;
}

async function columnsOf(db: pg.Client, table: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'version'
      order by attnum`,
    [`public.${table}`],
  );
  return rows.map(({ name }) => name);
}

/** Runs all statements, spread over the connections. Returns the seconds. */
export async function runBare(
  databaseUrl: string,
  statements: readonly string[],
  connections: number,
): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      return client;
    }),
  );
  const waiting = statements.values();
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (const statement of waiting) await client.query(statement);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(clients.map((client) => client.end()));
  return seconds;
}

/**
 * A transaction that inserts a copy of one GitHub run and its job. `:client_id` and `:i` stand for numbers that make
 * the ids unique.
 */
export async function singleInsert(db: pg.Client, schema: string, round: number): Promise<string> {
  const id = `'run_github_${round}_' || :client_id || '_' || :i`;
  const run = await exampleRow(db, "public.runs where id like 'run_github_%'", { id });
  const job = await exampleRow(db, "public.jobs where run_id like 'run_github_%'", { run_id: id });
  return `begin;\ninsert into ${schema}.runs ${run};\ninsert into ${schema}.jobs ${job};\nend;\n`;
}

async function exampleRow(db: pg.Client, where: string, replaced: Record<string, string>): Promise<string> {
  const { rows, fields } = await db.query<Record<string, string | null>>({
    text: `select * from ${where} limit 1`,
    types: { getTypeParser: () => String },
  });
  const values = fields.map(({ name }) => replaced[name] ?? literalOf(rows[0]![name] ?? null));
  return `(${fields.map(({ name }) => name).join(', ')}) values (${values.join(', ')})`;
}

/** pgbench reads a colon in a text as a variable, so times have none. PostgreSQL accepts that. */
function literalOf(text: string | null): string {
  if (text === null) return 'null';
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text);
  return pg.escapeLiteral(isTime ? text.replaceAll(/[-:]/g, '').replace(' ', 'T') : text);
}

const execute = promisify(execFile);

/** Repeats a script with pgbench. Returns transactions per second. */
export async function runPgbench(
  tools: string,
  databaseUrl: string,
  script: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-pgbench-'));
  try {
    const file = join(folder, 'insert.sql');
    writeFileSync(file, `\\set i :i + 1\n${script}`);
    const { stdout } = await execute(join(tools, 'pgbench'), [
      '-n',
      '-M',
      'prepared',
      '-f',
      file,
      '-D',
      'i=0',
      '-c',
      String(connections),
      '-j',
      '2',
      '-T',
      String(seconds),
      databaseUrl,
    ]);
    return Number(/tps = ([\d.]+)/.exec(stdout)![1]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
