/**
 * Each statement asks for the rows of one organization, so that one server of a distributed database can answer it. The few
 * that don't are named here. After the whole suite, this reads all statements that the program sent meanwhile.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from './harness/app.ts';
import { findFanOut } from './server/fanOut.ts';
import { recordedStatements } from './server/recordStatements.ts';

const tables = new Set(['jobs', 'runs', 'webhooks', 'deliveries']);

const ofOneOrganization = [
  'select 1',
  'select * from jobs where org_id = $1 and id = $2',
  'select j.id from jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id where j.org_id = $1::uuid',
  'select j.id from jobs j join runs r using (org_id, run_id) where r.org_id = $1',
  'select 1 from jobs j left join runs r on (r.org_id, r.id) = (j.org_id, j.run_id) where (j.org_id, j.id) = ($1, $2)',
  'with old as (select org_id, id from jobs where org_id = $1) delete from jobs j using old where j.org_id = old.org_id',
  'with a as (insert into jobs (org_id) values ($1) returning org_id) select 1 from runs r join a on a.org_id = r.org_id',
  'select 1 from runs r, lateral (select org_id from jobs j where j.org_id = r.org_id) j where r.org_id = $1',
  'update runs r set cost = (select sum(cost) from jobs j where j.org_id = r.org_id) where r.org_id = $1',
  'insert into jobs (id, org_id) select row.id, $1 from unnest($2::text[]) as row (id) on conflict do nothing',
  'insert into jobs (id, org_id) select id, org_id from runs where org_id = $1',
  'select org_id from jobs where org_id = $1 union all select org_id from runs where org_id = $1',
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
  [
    'with old as (select org_id from jobs) delete from runs r using old where r.org_id = old.org_id',
    'jobs',
    'runs',
  ],
  ['insert into jobs (id) values ($1)', 'jobs'],
  [
    'insert into jobs (org_id, id) select org_id, id from unnest($1::uuid[], $2::text[]) as row (org_id, id)',
    'jobs',
  ],
  ['select org_id from jobs where org_id = $1 union all select org_id from runs', 'runs'],
  ['explain select * from jobs', 'jobs'],
  ['lock table jobs', 'jobs'],
  ['truncate runs', 'runs'],
];

test('a statement of one organization is recognized', () => {
  for (const statement of ofOneOrganization) assert.deepEqual(findFanOut(statement, tables), [], statement);
});

test('a statement of many organizations is recognized', () => {
  for (const [statement, ...expected] of ofMany) {
    assert.deepEqual(findFanOut(statement, tables).toSorted(), expected, statement);
  }
});

/** Functions that query all organizations on purpose, with the reason: see docs/explanation/scaling.md. */
const fanOuts: Record<string, string[]> = {
  'finds work that is due': [
    'insight/exports/queries.ts findExportsWithFile',
    'insight/exports/queries.ts findOutlived',
    'insight/scheduledExports/queries.ts claimDueScheduledExport',
    'intake/backfills/nightly.ts startDueChecks',
    'intake/backfills/nightlyReads.queries.ts findReadTimes',
    'intake/backfills/queries.ts findDuePolls',
    'intake/billFetches/queries.ts findNightlyAccounts',
    'intake/storageReadings/queries.ts findReadSources',
    'ledger/bills/reports.ts clearLeftReport',
    'ledger/runs/completion.queries.ts findDueOrganizations',
    'ledger/runs/jobFacts.queries.ts findOrganizationWithoutFacts',
    'outreach/alerts/queries.ts findBudgetsBehind',
    'outreach/alerts/queries.ts correctTimes',
    'outreach/alerts/queries.ts findChangedCosts',
    'outreach/alerts/queries.ts findDueOrganizations',
    'outreach/digests/queries.ts findDueOrganizations',
    'outreach/webhooks/deliver.queries.ts correctDueTimes',
    'outreach/webhooks/deliver.queries.ts findReadyWebhooks',
    'outreach/webhooks/resends.ts advanceResends',
    'platform/work/tasks.ts listTasksUnderWay',
  ],
  'claims work that is due, fairly among organizations': [
    'outreach/notifications/queries.ts claimNotifications',
    'outreach/pullRequestComments/queries.ts claimDue',
    'outreach/webhooks/deliver.queries.ts claimDeliveries',
    'outreach/webhooks/deliver.queries.ts findClaimants',
    'outreach/webhooks/deliver.queries.ts lockWebhooksToClaim',
    'outreach/webhooks/deliveries.queries.ts holdDeliveries',
    'outreach/webhooks/deliveries.queries.ts releaseDeliveries',
    'platform/work/leases.ts giveBackLeases',
    'platform/work/tasks.queries.ts claimDueTask',
    'tenancy/organizations/removal.queries.ts claimDeleted',
    'tenancy/tokens/queries.ts claimExpiring',
  ],
  'writes down the results of many organizations at once': [
    'outreach/webhooks/deliver.queries.ts completeAttempts',
    'outreach/webhooks/deliver.queries.ts updateWebhooks',
    'outreach/webhooks/deliver.queries.ts returnDeliveries',
  ],
  'removes what is old, in small steps': [
    'outreach/pullRequestComments/queries.ts deleteOldComments',
    'events/queries.ts removeBodies',
    'events/queries.ts removeEvents',
    'intake/backfills/listedRuns.queries.ts removeListedRuns',
    'ledger/runs/completion.queries.ts removeAnnounced',
    'outreach/notifications/queries.ts deleteEndedNotifications',
    'outreach/webhooks/deliveries.queries.ts giveUpOld',
    'outreach/webhooks/queries.ts removeDeletedWebhooks',
    'platform/work/tasks.queries.ts removeEndedTaskRows',
  ],
  'records events of several organizations that come at once: decision 21': [
    'intake/reception/queries.ts findSourcesByKey',
    'ledger/runs/queries.ts replaceRows',
    'ledger/runs/queries.ts saveChanges',
  ],
  'belongs to the whole installation': [
    'tenancy/organizations/queries.ts doAllStoreJobFacts',
    'tenancy/organizations/queries.ts storeJobFacts',
    'outreach/channels/queries.ts resealChannels',
    'platform/db/migrate.ts runMigration',
    'platform/db/rowsIn.ts lockAll',
    'platform/work/vacuum.ts vacuum',
    'tenancy/organizations/organizations.ts createFirstOrganization',
    'tenancy/organizations/organizations.ts hasOwn',
    'tenancy/organizations/organizations.ts listOrganizations',
    'tenancy/organizations/queries.ts lockOrganizations',
  ],
  'follows a person through their organizations: decision 18': [
    'tenancy/organizations/queries.ts findNamesInAddresses',
    'tenancy/sessions/organizations.ts enterOrganization',
    'tenancy/sessions/organizations.ts listOwnOrganizations',
    'tenancy/sessions/queries.ts countSessions',
    'tenancy/sessions/sessions.ts listSessions',
    'tenancy/sessions/organizations.queries.ts findSessionsOfRoot',
  ],
  'measures the whole installation for /metrics': [
    'intake/reception/queries.ts findLatestEvents',
    'outreach/alerts/queries.ts findOldestDueCheck',
    'outreach/webhooks/deliver.queries.ts findOldestDue',
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
  'has the organization in each of its rows, which are of one: decision 12': [
    'ledger/runs/queries.ts addToRunCosts',
    'ledger/runs/queries.ts updatePrices',
  ],
};

const root = join(import.meta.dirname, '..');

/** Includes views, whose statements must also ask for one organization. */
async function organizationTables(): Promise<Map<string, { isView: boolean }>> {
  const { app } = await startTestApp();
  const { rows } = await sql<{ name: string; isView: boolean }>`
    select c.table_name as name, t.table_type = 'VIEW' as is_view
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'org_id'
  `.execute(app.db);
  return new Map(rows.map(({ name, isView }) => [name, { isView }]));
}

const relations = await organizationTables();
const owned = new Set(relations.keys());

test('the documented statements distribute every table of organizations', () => {
  const text = readFileSync(join(root, 'docs/explanation/scaling.md'), 'utf8');
  const named = [...text.matchAll(/create_distributed_table\('(\w+)', 'org_id'/g)].map(([, name]) => name!);
  const stored = [...owned].filter((name) => !relations.get(name)!.isView);
  assert.deepEqual(named.toSorted(), stored.toSorted());
});

if (process.env['TEST_STATEMENTS']) {
  const found = recordedStatements(process.env['TEST_FOLDER']!)
    .map((statement) => ({ ...statement, tables: findFanOut(statement.text, owned) }))
    .filter(({ tables: asked }) => asked.length > 0);
  const named = new Set(Object.values(fanOuts).flat());

  test('every statement that the suite sent asks for one organization, or is named here', () => {
    const unnamed = found.filter(({ sender }) => !named.has(sender));
    const lines = unnamed.map(({ sender, tables: asked, text }) => `${sender} asks ${asked.join()}: ${text}`);
    assert.equal(lines.length, 0, `not bound to one org_id:\n${lines.join('\n')}`);
  });
}
