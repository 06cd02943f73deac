import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import {
  backfillWorker,
  deleteEarlierSources,
  getBackfill,
  newReadingSource,
  serveRuns,
  startBackfill,
  totalsOf,
} from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { widenRecordedRuns } from '../../../test/harness/recordedRuns.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock } = testApp;
const worker = backfillWorker(testApp);
const day = 86_400;

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set('2026-03-18T12:00:00Z');
  fake.repositories.clear();
  fake.brokenRuns.clear();
  Object.assign(fake, { requests: [], interruptions: [], remaining: 100_000 });
});

async function newOrganization(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await newReadingSource(testApp, organization, fake);
  return organization;
}

/** Works until the end, through all waits; returns the backfill and the total wait. */
async function workThrough(organization: TestOrganization, id: string) {
  const start = clock.now().getTime();
  for (;;) {
    await worker.processAll();
    const shown = await getBackfill(organization, id);
    if (shown.ended_at !== null) return { backfill: shown, seconds: (clock.now().getTime() - start) / 1_000 };
    clock.set(shown.waiting.until);
  }
}

async function readAll(organization: TestOrganization, repositories = ['acme/app']) {
  const { id } = await startBackfill(organization, repositories);
  return workThrough(organization, id);
}

async function completenessOf(organization: TestOrganization) {
  const { body } = await organization.get('/api/v1/backfills/completeness');
  const { runs_listed: listed, runs_unread: unread, completeness } = body.data[0];
  return { listed, unread, completeness };
}

test('names a run that GitHub never returns, and reads all others', async () => {
  const runs = serveRuns(fake, 'acme/app', 30);
  serveRuns(fake, 'acme/site', 5, 1_000);
  const broken = runs[20]!.run.id;
  fake.brokenRuns.add(broken);
  const organization = await newOrganization();
  const { backfill: done, seconds } = await readAll(organization, ['acme/app', 'acme/site']);
  assert.deepEqual([done.status, done.error, done.problems], ['done', null, []]);
  assert.deepEqual(done.progress, { done: 34, total: 35 });
  assert.equal(done.unread_count, 1);
  assert.deepEqual(done.unread_runs, [
    { repository: 'acme/app', run_id: String(broken), reason: 'GitHub answered 502' },
  ]);
  assert.ok(seconds >= 60 && seconds <= 180, `after ${seconds} s of waiting`);
  const asked = fake.requests.filter(({ path }) => path.includes(`/runs/${broken}/jobs`));
  assert.equal(asked.length, 3);
});

test('reads the other runs despite many such runs in a row and on every page', async () => {
  const runs = serveRuns(fake, 'acme/app', 30);
  for (const { run } of runs.filter((_, index) => index % 25 < 8)) fake.brokenRuns.add(run.id);
  const organization = await newOrganization();
  const { backfill: done } = await readAll(organization);
  assert.deepEqual([done.status, done.progress], ['done', { done: 17, total: 30 }]);
  assert.deepEqual(
    new Set(done.unread_runs.map((unread: { run_id: string }) => Number(unread.run_id))),
    fake.brokenRuns,
  );
});

test('counts it as incomplete until another look reads it', async () => {
  const runs = serveRuns(fake, 'acme/app', 10).filter(({ run }) => run['status'] === 'completed');
  const whole = await newOrganization();
  await readAll(whole);
  await readAll(whole);
  const organization = await newOrganization();
  fake.brokenRuns.add(runs[4]!.run.id);
  await readAll(organization);
  await readAll(organization);
  const before = await completenessOf(organization);
  assert.deepEqual([before.listed, before.unread], [runs.length, 1]);
  assert.ok(before.completeness < 1);
  fake.brokenRuns.clear();
  const { backfill: done } = await readAll(organization);
  assert.deepEqual([done.unread_count, done.unread_runs], [0, []]);
  assert.equal((await completenessOf(organization)).unread, 0);
  assert.deepEqual(await totalsOf(testApp, organization), await totalsOf(testApp, whole));
});

test('a complete run stays complete if a later look cannot read it', async () => {
  const runs = serveRuns(fake, 'acme/app', 5);
  const organization = await newOrganization();
  await readAll(organization);
  const before = await completenessOf(organization);
  fake.brokenRuns.add(runs[0]!.run.id);
  const { backfill: done } = await readAll(organization);
  assert.equal(done.unread_count, 1);
  assert.deepEqual(await completenessOf(organization), before);
});

test('the nightly check retries it, for runs of any age', async () => {
  const every = { gapSeconds: day / 2, end: new Date('2026-03-18T09:00:00Z') };
  const runs = widenRecordedRuns('acme/app', { count: 20, ...every });
  fake.repositories.set('acme/app', { runs });
  const broken = runs[1]!.run;
  assert.ok(broken.created_at < '2026-03-10');
  fake.brokenRuns.add(broken.id);
  const organization = await newOrganization();
  const { backfill: done } = await readAll(organization);
  assert.equal(done.unread_count, 1);
  await worker.processAll();
  fake.brokenRuns.clear();
  clock.forward(2 * day);
  await worker.processAll();
  const { body } = await organization.get('/api/v1/backfills');
  assert.deepEqual([body.data[0].is_nightly, body.data[0].status], [true, 'done']);
  const { status } = await organization.get(`/api/v1/runs/run_github_${broken.id}`);
  assert.equal(status, 200);
  assert.equal((await completenessOf(organization)).unread, 0);
});

for (const [which, gapSeconds] of [
  ['one', day / 4],
  ['the only one of its day', day],
] as const) {
  test(`stops looking for ${which} that was deleted at GitHub`, async () => {
    const end = new Date('2026-03-18T09:00:00Z');
    const runs = widenRecordedRuns('acme/app', { count: (12 * day) / gapSeconds, end, gapSeconds });
    fake.repositories.set('acme/app', { runs });
    const broken = runs.find(({ run }) => run.created_at > '2026-03-08')!.run;
    fake.brokenRuns.add(broken.id);
    const organization = await newOrganization();
    await readAll(organization);
    await worker.processAll();
    assert.equal((await completenessOf(organization)).unread, 1);
    fake.repositories.set('acme/app', { runs: runs.filter(({ run }) => run !== broken) });
    const asksForItsDay = ({ path }: { path: string }) => path.includes(broken.created_at.slice(0, 10));
    const nights: boolean[] = [];
    for (let night = 0; night < 3; night++) {
      fake.requests.length = 0;
      clock.forward(2 * day);
      await worker.processAll();
      nights.push(fake.requests.some(asksForItsDay));
    }
    assert.deepEqual(nights, [true, false, false]);
    assert.equal((await completenessOf(organization)).unread, 0);
  });
}

test('of many days with such runs, retries the least recently tried one first', async () => {
  const every = { gapSeconds: day / 2, end: new Date('2026-03-18T09:00:00Z') };
  const runs = widenRecordedRuns('acme/app', { count: 80, ...every });
  fake.repositories.set('acme/app', { runs });
  for (const { run } of runs.filter((_, index) => index % 2 === 1)) fake.brokenRuns.add(run.id);
  const organization = await newOrganization();
  await readAll(organization);
  const unread = async () =>
    (await organization.get('/api/v1/backfills/completeness', { days: 90 })).body.data[0].runs_unread;
  assert.ok((await unread()) > 35);
  await worker.processAll();
  fake.brokenRuns.clear();
  for (let night = 0; night < 2; night++) {
    clock.forward(day);
    await worker.processAll();
  }
  assert.equal(await unread(), 0);
});

test('fails if GitHub returns no run for long, and says so', async () => {
  for (const { run } of serveRuns(fake, 'acme/app', 30)) fake.brokenRuns.add(run.id);
  const organization = await newOrganization();
  const { backfill: failed, seconds } = await readAll(organization);
  assert.equal(failed.status, 'failed');
  assert.match(failed.error, /^GitHub could not be reached 9 times in a row \(.+: GitHub answered 502\)\.$/);
  assert.ok(seconds > 1_200, 'a short failure is waited for');
});
