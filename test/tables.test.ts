/**
 * Every table has one owner: the domain whose `tables.ts` declares it. Only the owner writes it, and few others read it.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { startTestApp } from './harness/app.ts';
import { readCodeSql } from './harness/codeSql.ts';

/** Domains that read a table of another domain, because its owner's operation would cost a query or a join. */
const readers: Record<string, string[]> = {
  // The actor and its rights: one join per request.
  organizations: [
    'tenancy/sessions',
    'tenancy/invitations',
    'tenancy/shareLinks',
    'tenancy/tokens',
    'intake/billFetches',
    'ledger/pricing',
    'ledger/runs',
    'outreach/alerts',
    'outreach/digests',
  ],
  members: [
    'tenancy/audit',
    'tenancy/sessions',
    'tenancy/invitations',
    'tenancy/shareLinks',
    'tenancy/tokens',
    'outreach/digests',
  ],
  tokens: ['tenancy/audit', 'tenancy/sessions', 'tenancy/invitations', 'tenancy/shareLinks'],
  // Which organizations trust an issuer.
  identity_providers: ['tenancy/sessions'],
  // Whether an audit entry has an event, and the names of what entries are about.
  webhooks: ['tenancy/audit'],
  price_books: ['tenancy/audit'],
  saved_views: ['tenancy/audit'],
  runner_pools: ['tenancy/audit'],
  alerts: ['tenancy/audit'],
  channels: ['tenancy/audit'],
  // Messages stay while their trigger is open.
  alert_triggers: ['outreach/notifications'],
  // Input and state of tasks.
  tasks: ['intake/backfills', 'intake/billFetches', 'intake/storageReadings', 'insight/exports'],
  // Bodies of deliveries.
  events: ['outreach/webhooks'],
  // Recorded history and its rollups, for every figure.
  runs: [
    'ledger/repricing',
    'ledger/storage',
    'ledger/costs',
    'intake/backfills',
    'intake/hostedRunners',
    'intake/pullRequestReadings',
    'intake/teams',
    'insight/bills',
    'insight/waste',
    'insight/estimates',
    'insight/moves',
    'insight/exports',
  ],
  // Which are not known to have ended, and what those of runs changed.
  pull_requests: ['intake/pullRequestReadings', 'insight/waste'],
  jobs: ['ledger/repricing', 'ledger/costs', 'intake/backfills', 'intake/usageImports', 'insight/exports'],
  // Used if a view of both would be slow.
  job_facts: ['ledger/repricing', 'ledger/costs', 'insight/exports'],
  recorded_jobs: [
    'ledger/repricing',
    'ledger/costs',
    'insight/bills',
    'insight/waste',
    'insight/estimates',
    'insight/moves',
  ],
  // A run's amounts, with the columns of its run.
  run_amounts: ['ledger/costs'],
  workflows: [
    'ledger/pricing',
    'ledger/repricing',
    'ledger/bills',
    'ledger/storage',
    'ledger/costs',
    'intake/backfills',
    'intake/hostedRunners',
    'intake/teams',
    'insight/bills',
    'insight/waste',
    'insight/estimates',
    'insight/exports',
  ],
  // Versions, beside the sums.
  workflow_days: ['ledger/costs', 'insight/exports', 'insight/waste'],
  organization_days: ['ledger/repricing', 'ledger/costs', 'insight/bills', 'insight/waste'],
  charge_days: ['ledger/pricing', 'ledger/costs'],
  runner_days: ['ledger/pricing', 'ledger/repricing', 'ledger/costs', 'insight/bills'],
  // Compared with recorded costs.
  bill_reports: ['insight/bills'],
  // Days that can no longer be added up.
  kept_columns: ['ledger/runs'],
  // Time of a provider's last report.
  sources: ['ledger/costs', 'tenancy/audit', 'intake/gitHubApps'],
  // Shown with its source.
  github_apps: ['intake/reception'],
  bill_accounts: ['intake/hostedRunners'],
  source_credentials: ['intake/reception', 'intake/storageReadings'],
};

/** Files that choose their table at run time. */
const dynamic: Record<string, string> = {
  'intake/backfills/nightlyReads.queries.ts': 'claims nightly reads in tables that their owners name',
  'platform/backup/integrity.queries.ts': 'counts the rows of every table',
  'platform/backup/rows.queries.ts': 'reads and loads every table',
  'platform/db/distribution.ts': 'distributes every table of organizations',
  'platform/db/migrate.ts': 'runs the migrations',
  'platform/db/rowsIn.ts': 'makes the statements of tables that their owners name',
  'platform/db/unnestRows.ts':
    'puts the names of types into SQL, and joins the organization of inserted rows',
  'platform/work/leases.ts': 'writes the leases of tables that their owners name',
  'tenancy/organizations/removal.queries.ts': 'removes the rows of deleted organizations from every table',
};

const folder = fileURLToPath(new URL('../src', import.meta.url));
const names = globSync('**/*.ts', { cwd: folder }).filter((name) => !name.endsWith('.test.ts'));
const code = readCodeSql(
  Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
);

const owners = new Map<string, string>();
const declarations = [...code].flatMap(([name, { declared }]) =>
  declared.map((table) => ({ table, domain: domainOf(name) })),
);
for (const { table, domain } of declarations) owners.set(table, domain);

/** Accesses of domains to tables of others. */
const foreign = [...code].filter(([name]) => !(name in dynamic)).flatMap(([name]) => foreignUsesOf(name));

function foreignUsesOf(name: string) {
  return code
    .get(name)!
    .uses.map(({ name: table, access }) => ({
      domain: domainOf(name),
      table,
      access,
      owner: owners.get(table),
    }))
    .filter(({ domain, owner }) => owner !== undefined && owner !== domain);
}

function domainOf(name: string): string {
  return name.startsWith('events/') ? 'events' : name.split('/').slice(0, 2).join('/');
}

test('every table and view of the catalog has one owner', async () => {
  const { app } = await startTestApp();
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind in ('r', 'v') and relnamespace = current_schema()::regnamespace
  `.execute(app.db);
  assert.deepEqual(
    declarations.map(({ table }) => table).toSorted(),
    rows.map(({ name }) => name).toSorted(),
  );
});

test('only the owner writes a table', () => {
  const faults = foreign.filter((use) => use.access === 'write');
  assert.deepEqual(faults, []);
});

test('every other reader of a table is on its list, and everybody on it reads it', () => {
  const found = foreign.filter((use) => use.access === 'read');
  const listed = Object.entries(readers).flatMap(([table, domains]) =>
    domains.map((domain) => `${domain} reads ${table}`),
  );
  assert.deepEqual(
    [...new Set(found.map(({ domain, table }) => `${domain} reads ${table}`))].toSorted(),
    listed.toSorted(),
  );
});

test('only the named files decide at run time which table they use', () => {
  const found = [...code.keys()].filter(
    (name) => code.get(name)!.dynamic.length > 0 || (name in dynamic && foreignUsesOf(name).length > 0),
  );
  assert.deepEqual(found.toSorted(), Object.keys(dynamic).toSorted());
});

test('every table name in the code is a table of the catalog, or a subquery that hides none', () => {
  for (const [name, { uses, ctes }] of code) {
    const strange = uses.filter(
      (use) => !owners.has(use.name) && !ctes.includes(use.name) && !use.name.startsWith('pg_'),
    );
    assert.deepEqual(strange, [], name);
    assert.deepEqual(
      ctes.filter((each) => owners.has(each)),
      [],
      name,
    );
  }
});

const samples: [title: string, code: string, found: string[]][] = [
  ['a query', "db.selectFrom('runs').selectAll()", ['read runs']],
  ['an alias', "db.selectFrom('runCompletions as c').select('c.id')", ['read run_completions']],
  ['several tables', "db.selectFrom(['runs as r', 'jobs'])", ['read runs', 'read jobs']],
  [
    'joins',
    "db.selectFrom('runs').innerJoin('jobs', (join) => join).leftJoin('workflows as w', 'w.id', 'runs.workflowId')",
    ['read runs', 'read jobs', 'read workflows'],
  ],
  ['an insert', "tx.insertInto('jobs').values(rows)", ['write jobs']],
  ['an update from', "tx.updateTable('jobs').from('runs').set({})", ['write jobs', 'read runs']],
  ['a delete using', "tx.deleteFrom('jobs').using('runs')", ['write jobs', 'read runs']],
  ['a merge', "tx.mergeInto('jobs').using('runs', 'a', 'b')", ['write jobs', 'read runs']],
  ['a subquery', "db.selectFrom((from) => from.selectFrom('runs').as('r')).selectAll('r')", ['read runs']],
  [
    'a name of a type of few names',
    "function find(table: 'runs' | 'jobs') { return db.selectFrom(`${table} as t` as 'runs as t') }",
    ['read runs', 'read jobs'],
  ],
  ['no query', "Array.from('runs'); Buffer.from('jobs'); [].join('workflows')", []],
  ['a name of any text', 'function find(table: string) { return db.selectFrom(table) }', ['dynamic']],
  [
    'SQL: a list of tables',
    'sql`select * from runs r, jobs as j where r.id = j.run_id`',
    ['read runs', 'read jobs'],
  ],
  [
    'SQL: joins',
    'sql`select 1 from runs r left join lateral (select 1 from jobs) j on true cross join workflows`',
    ['read runs', 'read jobs', 'read workflows'],
  ],
  ['SQL: functions', 'sql`select 1 from unnest(${list}) as runs (id), jobs`', ['read jobs']],
  [
    'SQL: an insert',
    'sql`insert into jobs (id) select id from runs on conflict (id) do update set id = excluded.id`',
    ['write jobs', 'read runs'],
  ],
  ['SQL: an update', 'sql`update jobs j set x = 1 from runs where true`', ['write jobs', 'read runs']],
  ['SQL: a lock', 'sql`select 1 from runs for no key update skip locked`', ['read runs']],
  ['SQL: a delete', 'sql`delete from jobs j using runs r where true`', ['write jobs', 'read runs']],
  [
    'SQL: a join by columns',
    'sql`select 1 from runs join jobs using (workflows)`',
    ['read runs', 'read jobs'],
  ],
  [
    'SQL: subqueries with names',
    'sql`with old as materialized (delete from jobs returning id), new (id) as (select 1 from runs) select 1 from old, new`',
    ['write jobs', 'read runs', 'read old', 'read new', 'cte old', 'cte new'],
  ],
  [
    'SQL: FROM that names no table',
    "sql`select extract(epoch from runs), a is distinct from jobs, 'from workflows' from runs -- from jobs\n`",
    ['read runs'],
  ],
  [
    'SQL: a piece',
    'sql`${columns} from runs where ${condition} and exists (select from jobs)`',
    ['read runs', 'read jobs'],
  ],
  ['SQL: a table by call', "sql`delete from ${sql.table('runDays')} using ${rows}`", ['write run_days']],
  [
    'SQL: a table of any name',
    'function f(name: string) { return sql`update ${sql.table(name)} set a = 1` }',
    ['dynamic'],
  ],
  ['SQL: raw', "sql.raw('truncate table jobs'); sql.raw(text)", ['write jobs', 'dynamic']],
  ['a lease', "releaseLease(db, 'tasks', row); withLease(db, 'tasks', 5)", ['write tasks']],
  ['rows of a table', "const rows = rowsIn('savedViews')", ['write saved_views']],
  ['text that is no SQL', "const text = `select from runs ${1}`; help('update jobs')", []],
];

test('the code reader finds every kind of access', async (context) => {
  const files = Object.fromEntries(samples.map(([, text], index) => [`sample${index}.ts`, `${text};`]));
  const read = readCodeSql({
    ...files,
    'tables.ts': 'export type ATables = { runDays: X; jobs: { id: string } };',
  });
  assert.deepEqual(read.get('tables.ts')?.declared, ['run_days', 'jobs']);
  for (const [index, [title, , expected]] of samples.entries()) {
    await context.test(title, () => {
      const { uses, ctes, dynamic: places } = read.get(`sample${index}.ts`)!;
      const found = [
        ...uses.map(({ access, name }) => `${access} ${name}`),
        ...ctes.map((name) => `cte ${name}`),
        ...places.map(() => 'dynamic'),
      ];
      assert.deepEqual(found.toSorted(), expected.toSorted());
    });
  }
});
