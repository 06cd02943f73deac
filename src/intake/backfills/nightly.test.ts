import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import {
  backfillWorker,
  deleteEarlierSources,
  getBackfill,
  newReadingSource,
  startBackfill,
  totalsOf,
} from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { deliveriesOf, widenRecordedRuns, type RunWithJobs } from '../../../test/harness/recordedRuns.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { backfillPoller } from './doBackfill.ts';
import { checkSince, lastCheckTime } from './nightly.ts';
import {
  cancelBackfill,
  getBackfill as getOperation,
  startBackfill as startOperation,
} from './startBackfill.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock } = testApp;
const worker = backfillWorker(testApp);
const name = 'acme/app';
const day = 86_400;

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set('2026-03-18T12:00:00Z');
  fake.repositories.clear();
  fake.requests.length = 0;
});

function serve(count: number, end = '2026-03-18T09:00:00Z', gapSeconds = 3_600): RunWithJobs[] {
  const runs = widenRecordedRuns(name, { count, gapSeconds, end: new Date(end) });
  fake.repositories.set(name, { runs });
  return runs;
}

async function newOrganization() {
  const organization = await testApp.newOrganization({ plan: 'team' });
  return { organization, source: await newReadingSource(testApp, organization, fake) };
}

async function backfillsOf(organization: TestOrganization) {
  return (await organization.get('/api/v1/backfills')).body.data;
}

test('fills gaps of the last days at night, once a day', async () => {
  const runs = serve(20);
  const { organization, source } = await newOrganization();
  const kept = runs.flatMap(deliveriesOf).filter((_, index) => index % 3 !== 0);
  for (const { event, payload } of kept) await source.deliver(event, payload);
  await worker.processAll();
  const [check, ...others] = await backfillsOf(organization);
  assert.deepEqual([check.is_nightly, check.status, check.repositories], [true, 'done', [name]]);
  assert.equal(others.length, 0);
  const whole = await newOrganization();
  await startBackfill(whole.organization, [name]);
  await worker.processAll();
  assert.deepEqual(await totalsOf(testApp, organization), await totalsOf(testApp, whole.organization));

  await worker.processAll();
  assert.equal((await backfillsOf(organization)).length, 1);
  for (const hour of ['2026-03-19T06:00:00Z', '2026-03-19T18:00:00Z']) {
    clock.set(hour);
    await worker.processAll();
    assert.equal((await backfillsOf(organization)).length, 2, 'once that day');
  }
  const audit = await organization.get('/api/v1/audit-log');
  assert.ok(audit.body.data.some(({ actor }: { actor: string }) => actor === 'nightly check'));
});

test('runs once after days without a server, and reaches back to the time before', async () => {
  const runs = serve(20, undefined, 36_000);
  const { organization, source } = await newOrganization();
  for (const { event, payload } of deliveriesOf(runs.at(-1)!)) await source.deliver(event, payload);
  await worker.processAll();
  clock.forward(9 * day);
  const second = await testApp.secondWorker();
  await Promise.all([worker.processAll(), second.processAll()]);
  const checks = await backfillsOf(organization);
  assert.equal(checks.length, 2);
  assert.equal(checks[0].since, '2026-03-17T12:00:00.000Z');
});

test('covers nights with expired credentials once they are replaced', async () => {
  const runs = serve(20, '2026-03-28T09:00:00Z', 43_200);
  const { organization, source } = await newOrganization();
  for (const { event, payload } of deliveriesOf(runs[0]!)) await source.deliver(event, payload);
  await worker.processAll();
  const { token } = fake;
  fake.token = 'github_pat_another';
  for (let night = 0; night < 10; night++) {
    clock.forward(day);
    await worker.processAll();
  }
  assert.equal((await backfillsOf(organization))[0].status, 'failed');
  fake.token = token;
  clock.forward(60);
  const path = `/api/v1/sources/${source.id}/credentials`;
  assert.equal((await organization.send('PUT', path, { kind: 'token', token })).status, 200);
  await worker.processAll();
  const [check] = await backfillsOf(organization);
  assert.deepEqual([check.status, check.since], ['done', '2026-03-17T12:00:00.000Z']);
});

test('asks each source for what it may read', async () => {
  const [app, site] = ['acme/app', 'beta/site'].map((repository, index) => {
    const end = new Date('2026-03-18T09:00:00Z');
    const served = widenRecordedRuns(repository, {
      count: 5,
      gapSeconds: 3_600,
      end,
      firstId: 1 + index * 1_000,
    });
    return { repository, runs: served };
  });
  const { organization, source } = await newOrganization();
  await newReadingSource(testApp, organization, fake);
  for (const { runs } of [app!, site!]) {
    for (const { event, payload } of deliveriesOf(runs.at(-1)!)) await source.deliver(event, payload);
  }
  // Both credentials can read the first repository, and neither the second.
  fake.repositories.set(app!.repository, { runs: app!.runs });
  await worker.processAll();
  const first = await backfillsOf(organization);
  assert.deepEqual(
    first.map(({ problems }: { problems: unknown[] }) => problems.length),
    [1, 1],
  );
  const nights: string[][][] = [];
  for (let night = 0; night < 8; night++) {
    clock.forward(day);
    await worker.processAll();
    const [a, b] = await backfillsOf(organization);
    nights.push([a.repositories, b.repositories]);
  }
  assert.ok(nights.slice(0, 6).every((checks) => checks.every((names) => names.join() === 'acme/app')));
  assert.ok(
    nights.some((checks) => checks.every((names) => names.length === 2)),
    'asked again after a week',
  );
});

test('a repository that is refused during a check does not stop the others', async () => {
  const served = (repository: string, firstId: number) => {
    const recent = { count: 10, gapSeconds: 3_600, end: new Date('2026-03-18T09:00:00Z'), firstId };
    const old = {
      count: 5,
      gapSeconds: 600,
      end: new Date('2026-03-08T09:00:00Z'),
      firstId: firstId + 1_000,
    };
    const runs = [...widenRecordedRuns(repository, old), ...widenRecordedRuns(repository, recent)];
    fake.repositories.set(repository, { runs });
    return runs;
  };
  const all = [served('acme/app', 1), served('acme/site', 5_000)];
  fake.brokenRuns.add(all[0]![2]!.run.id);
  const { organization, source } = await newOrganization();
  const { id } = await startBackfill(organization, [name]);
  while ((await getBackfill(organization, id)).ended_at === null) {
    await worker.processAll();
    clock.forward(60);
  }
  fake.brokenRuns.clear();
  for (const runs of all) {
    for (const { event, payload } of deliveriesOf(runs.at(-1)!)) await source.deliver(event, payload);
  }
  clock.forward(2 * day);
  // The recent slices of both and the older one of the first are counted; then its first page is refused.
  fake.interruptions.push(null, null, null, { status: 403, message: 'Resource not accessible' });
  await worker.processAll();
  const [check] = await backfillsOf(organization);
  assert.deepEqual([check.status, check.problems.length], ['done', 1]);
  assert.equal(
    check.progress.total - check.progress.done,
    Number(/^\d+/.exec(check.problems[0].message)![0]),
  );
  const { data } = (await organization.get('/api/v1/backfills/completeness', { days: 3 })).body;
  assert.ok(data.some((row: { repository: string; runs_listed: number }) => row.repository === 'acme/site'));
});

test('spreads checks over the night, at the same time each day', () => {
  const now = new Date('2026-03-18T12:00:00Z');
  const times = Array.from({ length: 200 }, (_, index) => lastCheckTime(`src_${index}`, now));
  for (const time of times) assert.ok(time >= new Date('2026-03-18T00:00:00Z') && time.getUTCHours() < 6);
  assert.equal(new Set(times.map((time) => time.getUTCHours())).size, 6);
  const [time] = times;
  const before = new Date(time!.getTime() - 1);
  assert.deepEqual(lastCheckTime('src_0', before), new Date(time!.getTime() - day * 1_000));
  assert.deepEqual(lastCheckTime('src_0', time!), time);
});

test('a check reaches three days back, or to the last one before', () => {
  const now = new Date('2026-03-18T12:00:00Z');
  const since = (text: string | null) => checkSince(text === null ? null : new Date(text), now).toISOString();
  assert.equal(since(null), '2026-03-15T12:00:00.000Z');
  assert.equal(since('2026-03-17T03:00:00Z'), '2026-03-15T12:00:00.000Z');
  assert.equal(since('2026-03-10T12:00:00Z'), '2026-03-09T12:00:00.000Z');
  assert.equal(since('2025-03-10T12:00:00Z'), '2026-02-16T12:00:00.000Z');
});

test('completeness shows, by repository and day, what was recorded before', async () => {
  const runs = serve(26, '2026-03-18T01:00:00Z').filter(({ run }) => run['status'] === 'completed');
  const { organization, source } = await newOrganization();
  const received = runs.filter((_, index) => index % 4 !== 0);
  for (const [index, run] of received.entries()) {
    const deliveries = deliveriesOf(run);
    // Some runs lack the delivery of one job.
    for (const { event, payload } of index === 3 ? deliveries.slice(1) : deliveries) {
      await source.deliver(event, payload);
    }
  }
  await startBackfill(organization, [name]);
  await worker.processAll();
  const { body } = await organization.get('/api/v1/backfills/completeness', { days: 3 });
  assert.deepEqual(body.period, { start: '2026-03-16', end: '2026-03-18', days: 3 });
  const [row, ...others] = body.data;
  assert.deepEqual([row.repository, others.length, body.pagination.total], [name, 0, 1]);
  const expected = {
    listed: runs.length,
    had: received.length,
    completed: 1,
    added: runs.length - received.length,
  };
  const { runs_listed: listed, runs_had: had, runs_completed: completed, runs_added: added } = row;
  assert.deepEqual({ listed, had, completed, added }, expected);
  assert.equal(row.completeness, (received.length - 1) / runs.length);
  const byDay = Map.groupBy(runs, ({ run }) => run.created_at.slice(0, 10));
  assert.deepEqual(
    row.days.map((ofDay: { day: string; runs_listed: number }) => [ofDay.day, ofDay.runs_listed]),
    [...byDay].map(([date, some]) => [date, some.length]),
  );

  // Looking again changes nothing.
  await startBackfill(organization, [name]);
  await worker.processAll();
  assert.deepEqual((await organization.get('/api/v1/backfills/completeness', { days: 3 })).body, body);
  assert.deepEqual((await organization.get('/api/v1/backfills/completeness', { page: 2 })).body.data, []);
  const stranger = await testApp.newOrganization();
  assert.deepEqual((await stranger.get('/api/v1/backfills/completeness')).body.data, []);
});

test('records runs that ended within the hour or not yet, but does not count them for completeness', async () => {
  const runs = serve(5, '2026-03-18T11:50:00Z');
  Object.assign(runs[4]!.run, { status: 'in_progress', conclusion: null });
  Object.assign(runs[3]!.run, { updated_at: '2026-03-18T11:01:00Z' });
  const { organization } = await newOrganization();
  await startBackfill(organization, [name]);
  await worker.processAll();
  const { body } = await organization.get('/api/v1/runs');
  assert.equal(body.pagination.total, 5);
  const completeness = await organization.get('/api/v1/backfills/completeness');
  assert.equal(completeness.body.data[0].runs_listed, 3);
});

test('sends the token of a backfill only to the GitHub that it was given for', async () => {
  serve(3);
  const { app } = testApp;
  const { orgId } = await testApp.newOrganization();
  const ctx = { ...app, actor: cliActor(orgId), gitHubApiUrl: fake.url };
  const { id } = await startOperation(ctx, { repositories: [name], since: '7d', token: fake.token });
  const elsewhere = await startFakeGitHub();
  const job = backfillPoller({ ...app, gitHubApiUrl: elsewhere.url });
  while (await job.run(new AbortController().signal));
  assert.equal((await getOperation(ctx, id)).status, 'done');
  assert.deepEqual(elsewhere.requests, []);
});

test('deletes the token of a backfill when it ends, for any reason', async () => {
  serve(3);
  const { app } = testApp;
  const { orgId } = await testApp.newOrganization();
  const ctx = { ...app, actor: cliActor(orgId), gitHubApiUrl: fake.url };
  const request = { repositories: [name], since: '7d', token: fake.token };
  const done = await startOperation(ctx, request);
  const failed = await startOperation(ctx, { ...request, token: 'github_pat_wrong' });
  const cancelled = await startOperation(ctx, request);
  assert.equal((await cancelBackfill(ctx, cancelled.id)).state.sealedToken, null);
  assert.notEqual(done.state.sealedToken, null);
  // Like the command, without the server's pollers.
  const job = backfillPoller(ctx);
  while (await job.run(new AbortController().signal));
  const ends = await Promise.all([done, failed, cancelled].map(({ id }) => getOperation(ctx, id)));
  assert.deepEqual(
    ends.map(({ status, state }) => [status, state.sealedToken]),
    [
      ['done', null],
      ['failed', null],
      ['cancelled', null],
    ],
  );
  assert.ok(!JSON.stringify([done.input, done.state]).includes(fake.token));
});

test('deletes listed runs after a hundred days', async () => {
  serve(3);
  const { organization } = await newOrganization();
  await startBackfill(organization, [name]);
  await worker.processAll();
  const count = async () =>
    (
      await testApp.app.db
        .selectFrom('listedRuns')
        .select('runId')
        .where('orgId', '=', organization.orgId)
        .execute()
    ).length;
  assert.equal(await count(), 3);
  await testApp.app.db.deleteFrom('sourceCredentials').where('orgId', '=', organization.orgId).execute();
  clock.forward(101 * day);
  await worker.processAll();
  assert.equal(await count(), 0);
});
