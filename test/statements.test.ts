/**
 * Each statement asks for the rows of one organization, so that one server of a distributed database can answer it. The few
 * that don't are named here. After the whole suite, this reads all statements that the program sent meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from './harness/app.ts';
import { findFanOut, isQuery, parse } from './server/fanOut.ts';
import { partitionTables, scattered } from './server/partitions.ts';
import { recordedStatements } from './server/recordStatements.ts';
import { findRefusals } from './server/shardRules.ts';

const tables = new Set(['jobs', 'runs', 'webhooks', 'deliveries']);
const fanOutOf = (text: string, owned = tables) => parse(text).flatMap((query) => findFanOut(query, owned));

const ofOneOrganization = [
  'select 1',
  'select * from jobs where org_id = $1 and id = $2',
  'select j.id from jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id where j.org_id = $1::uuid',
  'select j.id from jobs j join runs r using (org_id, run_id) where r.org_id = $1',
  'select 1 from jobs j left join runs r on (r.org_id, r.id) = (j.org_id, j.run_id) where (j.org_id, j.id) = ($1, $2)',
  'with old as (select id from jobs where org_id = $1) delete from jobs j using old where j.org_id = $1',
  'select 1 from runs r, lateral (select 1 from jobs j where j.org_id = $1 and j.run_id = r.id) j where r.org_id = $1',
  'update runs r set cost = (select sum(cost) from jobs j where j.org_id = $1) where r.org_id = $1',
  'insert into jobs (id, org_id) select row.id, $1 from unnest($2::text[]) as row (id) on conflict do nothing',
  'insert into jobs (id, org_id) select id, org_id from runs where org_id = $1',
  'select org_id from jobs where org_id = $1 union all select org_id from runs where org_id = $1',
  'with jobs as (select 1) select 1 from jobs',
];

const ofMany: [statement: string, ...tables: string[]][] = [
  ['select * from jobs where id = $1', 'jobs'],
  ['select * from jobs where org_id = any($1)', 'jobs'],
  ['select * from jobs where org_id = $1 or id = $2', 'jobs'],
  ['select * from jobs where org_id <> $1', 'jobs'],
  ['select 1 from jobs j join runs r on r.id = j.run_id where j.org_id = $1', 'runs'],
  ['select 1 from jobs j join runs r on r.org_id = j.org_id where j.id = $1', 'jobs', 'runs'],
  ['select 1 where exists (select 1 from jobs)', 'jobs'],
  ['select 1 from runs where org_id = $1 order by (select max(id) from jobs)', 'jobs'],
  ['update jobs j set id = 1 from unnest($1::uuid[]) as row (org_id) where j.org_id = row.org_id', 'jobs'],
  ['insert into jobs (id) values ($1)', 'jobs'],
  [
    'insert into jobs (org_id, id) select org_id, id from unnest($1::uuid[], $2::text[]) as row (org_id, id)',
    'jobs',
  ],
  ['select org_id from jobs where org_id = $1 union all select org_id from runs', 'runs'],
  ['explain select * from jobs', 'jobs'],
  ['lock table jobs', 'jobs'],
  ['truncate runs', 'runs'],
  // An organization that only an outer query, a CTE or a derived table names
  ['update runs r set cost = (select 1 from jobs j where j.org_id = r.org_id) where r.org_id = $1', 'jobs'],
  [
    'select 1 from runs r, lateral (select 1 from jobs j where j.org_id = r.org_id) j where r.org_id = $1',
    'jobs',
  ],
  [
    'with old as (select org_id from jobs where org_id = $1) delete from runs r using old where r.org_id = old.org_id',
    'runs',
  ],
  [
    'select 1 from (select org_id from jobs where org_id = $1 limit 1) j join runs r on r.org_id = j.org_id',
    'runs',
  ],
  ['insert into jobs (id, org_id) select id, org_id from (select * from runs where org_id = $1) r', 'jobs'],
];

/** For each rule, a statement that breaks it, and one that does not. */
const refused: Record<string, [refused: string, accepted: string]> = {
  'a subquery in RETURNING': [
    'insert into jobs (org_id) values ($1) returning (select 1)',
    'with saved as (insert into jobs (org_id) values ($1) returning org_id) select (select 1) from saved',
  ],
  'a function in ON CONFLICT whose result can change': [
    "insert into jobs (org_id) values ($1) on conflict (org_id) do update set at = jobs.at + interval '1 minute'",
    'insert into jobs (org_id) values ($1) on conflict (org_id) do update set at = greatest(excluded.at, jobs.at)',
  ],
  'a CASE of a value in a change': [
    "update jobs set at = case kind when 'a' then at end where org_id = $1",
    "update jobs set at = case when kind = 'a' then at end where org_id = $1",
  ],
  'a join on false': [
    'select 1 from jobs j left join runs r on r.org_id = j.org_id and false where j.org_id = $1',
    "select 1 from jobs j left join runs r on r.org_id = j.org_id and r.id = '' where j.org_id = $1",
  ],
  'a subquery that compares a row with rows of another organization': [
    'select 1 from jobs j where j.org_id = $1 and exists (select from runs r where r.org_id = j.other_org_id and r.id = j.id)',
    'select 1 from jobs j where j.org_id = $1 and exists (select from runs r where r.org_id = j.org_id and r.id = j.id)',
  ],
  'a volatile function in a change': [
    'update jobs set at = clock_timestamp() where org_id = $1',
    'update jobs set at = now() where org_id = $1',
  ],
  'a change of org_id': [
    'insert into jobs (org_id) values ($1) on conflict (org_id) do update set org_id = excluded.org_id',
    'update jobs set id = $1 where org_id = $2',
  ],
  'a lock in INSERT … SELECT': [
    'insert into jobs (org_id) select $1 from runs r where org_id = $1 for share of r',
    'insert into jobs (org_id) select $1 from runs r where org_id = $1',
  ],
  'a subquery among the columns of INSERT … SELECT': [
    'insert into jobs (org_id, id) select $1, (select 1) from runs r where r.org_id = $1',
    'insert into jobs (org_id, id) select $1, r.id from runs r where r.org_id = $1',
  ],
  'an INSERT … SELECT of rows alone': [
    'insert into jobs (org_id, id) select $1, row.id from unnest($2::text[]) as row (id)',
    'insert into jobs (org_id, id) select w.org_id, row.id from webhooks w, unnest($1::text[]) as row (id) where w.org_id = $2',
  ],
  'a lock without org_id': [
    'select 1 from (select id from jobs limit 1 for update skip locked) j',
    'select 1 from (select id from jobs where org_id = $1 limit 1 for update skip locked) j',
  ],
  'a recursive query over organizations': [
    'with recursive w as (select org_id from jobs union select j.org_id from w, jobs j) select 1 from w',
    'with recursive w as (select 1 as n union select n + 1 from w) select 1 from w',
  ],
};

test('a statement of one organization is recognized', () => {
  for (const statement of ofOneOrganization) assert.deepEqual(fanOutOf(statement), [], statement);
});

test('a statement of many organizations is recognized', () => {
  for (const [statement, ...expected] of ofMany) {
    assert.deepEqual(fanOutOf(statement).toSorted(), expected, statement);
  }
});

test('a statement that a distributed database refuses is recognized', () => {
  const functions = new Set(['clock_timestamp']);
  const catalog = { ownedTables: tables, volatileFunctions: functions, changingFunctions: functions };
  for (const [rule, [bad, good]] of Object.entries(refused)) {
    assert.deepEqual(findRefusals(bad, catalog), [rule], bad);
    assert.deepEqual(findRefusals(good, catalog), [], good);
  }
});

const finder = 'platform/work/claims.ts findInAll';

/** Functions that query all organizations on purpose, with the reason: see docs/explanation/scaling.md. */
const fanOuts: Record<string, string[]> = {
  'finds what is due or old, and the organizations of a person': [finder],
  'records events of several organizations that come at once, on plain PostgreSQL only: decision 21': [
    'intake/reception/queries.ts findSourcesByKey',
    'ledger/runs/queries.ts write',
  ],
  'belongs to the whole installation': [
    'platform/db/migrate.ts runMigration',
    'platform/db/rowsIn.ts findKeys',
  ],
  'reads or writes whole tables: backup, restore, move and verify': [
    'platform/backup/integrity.queries.ts checkByCount',
    'platform/backup/integrity.queries.ts countOf',
    'platform/backup/rows.queries.ts clearTable',
    'platform/backup/rows.queries.ts countRows',
    'platform/backup/rows.queries.ts digestOf',
    'platform/backup/rows.queries.ts loadLines',
    'platform/backup/rows.queries.ts readLines',
  ],
};

/** By rule, functions that a distributed database still refuses. */
const notYet: Record<string, string[]> = {
  // Rows of several organizations on plain PostgreSQL, a restore, and migrations of tables that are not distributed yet.
  'an INSERT … SELECT of rows alone': [
    'ledger/runs/queries.ts write',
    'platform/backup/rows.queries.ts loadLines',
    'platform/db/migrate.ts runMigration',
  ],
  // A migration runs before its tables are distributed.
  'a volatile function in a change': ['platform/db/migrate.ts runMigration'],
  'a CASE of a value in a change': ['platform/db/migrate.ts runMigration'],
};

const { app } = await startTestApp();

/** Includes views, whose statements must also ask for one organization. */
async function organizationTables(): Promise<Map<string, { isView: boolean }>> {
  const { rows } = await sql<{ name: string; isView: boolean }>`
    select c.table_name as name, t.table_type = 'VIEW' as is_view
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'org_id'
  `.execute(app.db);
  return new Map(rows.map(({ name, isView }) => [name, { isView }]));
}

/** By volatility. Those that only some arguments make so are left out. */
async function functionsThatAre(...kinds: ('v' | 's')[]): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc group by proname having bool_and(provolatile = any(${kinds}::text[]))
  `.execute(app.db);
  return new Set(rows.map(({ name }) => name));
}

const relations = await organizationTables();
const owned = new Set(relations.keys());

if (process.env['TEST_STATEMENTS']) {
  const statements = recordedStatements(process.env['TEST_FOLDER']!);
  const catalog = {
    ownedTables: owned,
    volatileFunctions: await functionsThatAre('v'),
    changingFunctions: await functionsThatAre('v', 's'),
  };
  const fanned = new Set(Object.values(fanOuts).flat());

  test('every statement that the suite sent asks for one organization, or is named here', () => {
    const lines = statements
      .filter(({ sender }) => !fanned.has(sender))
      .map(({ sender, text }) => ({ sender, text, asked: fanOutOf(text, owned).join() }))
      .filter(({ asked }) => asked)
      .map(({ sender, asked, text }) => `${sender} asks ${asked}: ${text}`);
    assert.equal(lines.length, 0, `not bound to one org_id:\n${lines.join('\n')}`);
  });

  test('what finds rows of all organizations only reads', () => {
    const written = statements.filter(
      ({ sender, text }) => sender === finder && /\b(?:insert|update|delete|lock)\b/i.test(text),
    );
    assert.deepEqual(written, []);
  });

  // The text checks more than PostgreSQL, which follows an org_id into subqueries, and it checks inserted rows.
  test('every statement that the suite sent reads one partition of each table by org_id, or is named here', async () => {
    const lines = await app.db.connection().execute(async (db) => {
      await partitionTables(db, relations);
      assert.deepEqual(await scattered(db, 'select 1 from runs where id = $1'), ['runs']);
      const found: string[] = [];
      for (const { sender, text } of statements) {
        const queries = fanned.has(sender) ? [] : parse(text);
        if (queries.length !== 1 || !isQuery(queries[0])) continue;
        const asked = await scattered(db, text.replace(/^\s*explain\b/i, ''));
        if (asked.length > 0) found.push(`${sender} reads ${asked.join()}: ${text}`);
      }
      return found;
    });
    assert.equal(lines.length, 0, `not in one partition:\n${lines.join('\n')}`);
  });

  test('no statement that the suite sent has what a distributed database refuses, or is named here', () => {
    const lines = statements
      .map(({ sender, text }) => ({ sender, text, rules: findRefusals(text, catalog) }))
      .map(({ rules, ...sent }) => ({
        ...sent,
        broken: rules.filter((rule) => !notYet[rule]?.includes(sent.sender)),
      }))
      .filter(({ broken }) => broken.length > 0)
      .map(({ sender, broken, text }) => `${sender} has ${broken.join(', ')}: ${text}`);
    assert.equal(lines.length, 0, `refused:\n${lines.join('\n')}`);
  });
}
