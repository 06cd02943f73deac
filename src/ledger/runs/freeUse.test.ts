import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { verifyRollups } from './verifyRollups.ts';

const { app, ...testApp } = await startTestApp();
testApp.clock.set('2026-06-03T12:00:00Z');

const reviews = [
  'dynamic/agents/copilot-pull-request-reviewer',
  'dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer',
];

async function freeMinutes({ orgId }: TestOrganization): Promise<[string, boolean, bigint][]> {
  const rows = await app.db
    .selectFrom('chargeDays')
    .select(['day', 'isFree', 'minutes'])
    .where('orgId', '=', orgId)
    .where('jobs', '>', 0n)
    .orderBy('day')
    .orderBy('isFree')
    .execute();
  return rows.map(({ day, isFree, minutes }) => [day, isFree, minutes]);
}

async function differences({ orgId }: TestOrganization) {
  return app.db
    .transaction()
    .execute((tx) => verifyRollups(tx, orgId, { providers: app.providers, report: () => {} }));
}

test('the day on which a job completes decides whether its use was free', async () => {
  const { organization, work } = await newBilledCompany({ app, ...testApp });
  for (const path of reviews) {
    await work({ path, day: '2026-05-30' });
    await work({ path, start: '2026-05-31T23:50:00Z', minutes: 9 });
    await work({ path, start: '2026-05-31T23:58:00Z', minutes: 3 });
  }
  for (const path of ['dynamic/dependabot/dependabot-updates', 'dynamic/pages/pages-build-deployment'])
    await work({ path, day: '2026-06-02', minutes: 1 });
  await work({ path: 'dynamic/copilot-swe-agent/copilot', day: '2026-05-30', minutes: 7 });
  assert.deepEqual(await freeMinutes(organization), [
    ['2026-05-30', false, 7n],
    ['2026-05-30', true, 10n],
    ['2026-05-31', true, 18n],
    ['2026-06-01', false, 6n],
    ['2026-06-02', true, 2n],
  ]);
  assert.deepEqual((await differences(organization)).differences, []);
});

test('an upgrade moves the sums of code reviews that an older program counted', async () => {
  const { organization, work } = await newBilledCompany({ app, ...testApp });
  for (const path of reviews) await work({ path, repository: 'Acme/Api', day: '2026-05-30' });
  await work({ path: reviews[0]!, day: '2026-05-30', private: false });
  await work({ path: reviews[0]!, day: '2026-06-01' });
  await work({ day: '2026-05-30', minutes: 2 });
  const now = await freeMinutes(organization);
  const { orgId } = organization;
  const ofReviews = sql`org_id = ${orgId} and day = '2026-05-30' and is_free`;
  // One workflow has a private and a public run, the other a private one only.
  await sql`insert into runner_days
    select org_id, day, workflow_id, provider, runner_kind, false, 1, 5, cost_nanos / jobs
    from runner_days where ${ofReviews}`.execute(app.db);
  await sql`update runner_days set jobs = jobs - 1, minutes = minutes - 5, cost_nanos = cost_nanos - cost_nanos / jobs
    where ${ofReviews}`.execute(app.db);
  await sql`delete from charge_days where org_id = ${orgId}`.execute(app.db);
  await sql`insert into charge_days
    select org_id, day, provider, runner_kind, is_free, sum(jobs), sum(minutes), sum(cost_nanos)
    from runner_days where org_id = ${orgId} group by 1, 2, 3, 4, 5`.execute(app.db);
  assert.notDeepEqual(await freeMinutes(organization), now);
  const file = new URL('../../../migrations/0012_dated_terms.sql', import.meta.url);
  const [moves] = /^with reviews[^;]*;/m.exec(readFileSync(file, 'utf8'))!;
  await sql.raw(moves).execute(app.db);
  assert.deepEqual(await freeMinutes(organization), now);
  assert.deepEqual((await differences(organization)).differences, []);
});
