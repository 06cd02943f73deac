import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { deleteEarlierSources, newReadingSource } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { artifactOf, cacheOf, gigabyte } from '../../../test/harness/gitHubStorage.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { storagePollers } from './reading.ts';
import { readStorage } from './readStorage.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, clock } = testApp;
const worker = createWorker(storagePollers({ ...app, db: app.background, gitHubApiUrl: fake.url }), app);
const path = '/api/v1/storage/readings';

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  fake.repositories.clear();
  fake.interruptions = [];
  fake.remaining = 5_000;
  fake.requests.length = 0;
  clock.set('2026-03-18T12:00:00Z');
});

async function organizationWith(...repositories: string[]): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  if (repositories.length > 0)
    await submit(
      organization,
      ...repositories.map((repo_name, index) =>
        newRun({ provider: 'github', repo_name, run_id: String(100 + index), workflow_name: 'CI' }),
      ),
    );
  return organization;
}

async function readNow(organization: TestOrganization, body?: object) {
  const started = await organization.send('POST', path, body);
  assert.equal(started.status, 202, started.text);
  await worker.processAll();
  return (await organization.get(`${path}/${started.body.data.id}`)).body.data;
}

const storageOf = async (organization: TestOrganization, query = {}) =>
  (await organization.get('/api/v1/storage', query)).body.data;

test('artifacts belong to the workflow of their run; expired ones cost only until they expired', async () => {
  const organization = await organizationWith('acme/app');
  fake.repositories.set('acme/app', {
    runs: [],
    artifacts: [
      artifactOf({
        run: 100,
        bytes: gigabyte,
        created: '2026-03-08T12:00:00Z',
        expires: '2026-06-06T12:00:00Z',
      }),
      artifactOf({
        run: 100,
        bytes: gigabyte,
        created: '2026-03-17T12:00:00Z',
        expires: '2026-06-15T12:00:00Z',
      }),
      artifactOf({
        run: 7,
        name: 'logs',
        bytes: gigabyte,
        created: '2026-03-17T12:00:00Z',
        expires: '2026-03-20T12:00:00Z',
      }),
      artifactOf({
        run: 100,
        name: 'gone',
        bytes: gigabyte,
        created: '2026-02-20T00:00:00Z',
        expires: '2026-03-02T00:00:00Z',
        expired: true,
      }),
      artifactOf({
        run: 100,
        name: 'older',
        bytes: gigabyte,
        created: '2026-01-20T00:00:00Z',
        expires: '2026-02-02T00:00:00Z',
        expired: true,
      }),
    ],
  });
  const reading = await readNow(organization, { repositories: ['acme/app'] });
  assert.deepEqual([reading.status, reading.progress, reading.problems], ['done', { done: 1, total: 1 }, []]);
  const storage = await storageOf(organization);
  assert.deepEqual(
    storage.items.map((item: Record<string, unknown>) =>
      [
        'name',
        'workflow',
        'count',
        'gb',
        'gb_hours',
        'cost_per_month',
        'saving_per_month',
        'retention_days',
        'expiring_gb',
      ].map((name) => item[name]),
    ),
    [
      ['dist', 'CI', 2, 2, 264, 0.5, 0.25, 90, 0],
      ['logs', null, 1, 1, 24, 0.25, 0, 3, 1],
      ['gone', 'CI', 0, 0, 24, 0, 0, null, 0],
    ],
  );
  const [{ fix }] = storage.items;
  assert.equal(fix.action, 'shorten_retention');
  assert.equal(fix.yaml, '# actions/upload-artifact\nwith:\n  name: dist\n  retention-days: 7\n');
  assert.match(fix.text, /^Kept 90 days and made 1 time in the last week\. 1 artifact is older/);
  assert.match(
    fix.command,
    /select\(\.name == "dist" and \(\.expired \| not\) and \.created_at < "2026-03-11"\)/,
  );
  assert.deepEqual(
    [storage.artifacts, storage.artifact_gb, storage.cost_per_month, storage.saving_per_month],
    [3, 3, 0.75, 0.25],
  );
  assert.equal(storage.repositories[0].unknown_artifacts, 1);
  const sum = storage.items.reduce(
    (total: number, item: { cost_this_month: number }) => total + Math.round(item.cost_this_month * 1e9),
    0,
  );
  assert.equal(Math.round(storage.cost_this_month * 1e9), sum);
  assert.deepEqual(storage.days, [{ day: '2026-03-18', artifact_gb: 3, cache_gb: 0 }]);
});

test('caches cost above 10 GB of a repository, and no dollar of theirs is saved twice', async () => {
  const organization = await organizationWith('acme/app');
  const created = '2026-03-18T00:00:00Z';
  const pull = (number: number) => `refs/pull/${number}/merge`;
  fake.repositories.set('acme/app', {
    runs: [],
    caches: [
      cacheOf({ key: 'Linux-npm-0123abcd', bytes: 8 * gigabyte, created, used: '2026-03-18T11:00:00Z' }),
      cacheOf({ key: 'Linux-npm-0123abce', ref: pull(1), bytes: 3 * gigabyte, created }),
      cacheOf({ key: 'Linux-npm-0123abcf', ref: pull(2), bytes: 2 * gigabyte, created }),
      cacheOf({ key: 'build-99182', bytes: gigabyte, created }),
    ],
  });
  await readNow(organization, { repositories: ['acme/app'] });
  const storage = await storageOf(organization);
  assert.deepEqual(
    storage.items.map((item: Record<string, unknown>) =>
      ['name', 'ref', 'count', 'gb', 'saving_per_month'].map((name) => item[name]),
    ),
    [
      ['Linux-npm-*', 'refs/pull/*', 2, 5, 0.28],
      ['Linux-npm-*', 'refs/heads/main', 1, 8, 0],
      ['build-*', 'refs/heads/main', 1, 1, 0],
    ],
  );
  assert.deepEqual([storage.cache_gb, storage.cost_per_month, storage.saving_per_month], [14, 0.28, 0.28]);
  assert.equal(storage.items[0].fix.action, 'cache_default_branch_only');
  assert.match(storage.items[0].fix.command, /^gh cache list -R acme\/app --key 'Linux-npm-'/);
});

test('all pages are read, and another reading replaces the first', async () => {
  const organization = await organizationWith('acme/app');
  const artifacts = Array.from({ length: 250 }, (_, index) =>
    artifactOf({
      run: 100,
      name: `report-${1_000 + index}`,
      bytes: 1_024,
      created: '2026-03-17T12:00:00Z',
      expires: '2026-03-24T12:00:00Z',
    }),
  );
  fake.repositories.set('acme/app', { runs: [], artifacts });
  await readNow(organization, { repositories: ['acme/app'] });
  assert.equal(fake.requests.filter(({ path: asked }) => asked.includes('/artifacts?')).length, 3);
  const { items } = await storageOf(organization);
  assert.deepEqual(
    items.map((item: Record<string, unknown>) => [item['name'], item['count']]),
    [['report-*', 250]],
  );
  fake.repositories.set('acme/app', { runs: [], artifacts: artifacts.slice(0, 1) });
  await readNow(organization, { repositories: ['acme/app'] });
  assert.equal((await storageOf(organization)).artifacts, 1);
});

test('says what it may not read, waits for the rate limit, and goes on', async () => {
  const organization = await organizationWith('acme/app', 'acme/secret');
  fake.repositories.set('acme/app', { runs: [], caches: null, artifacts: [] });
  fake.interruptions = [{ status: 403, message: 'Resource not accessible by integration' }];
  const reading = await readNow(organization, { repositories: ['acme/secret', 'acme/app'] });
  assert.deepEqual([reading.status, reading.progress], ['done', { done: 2, total: 2 }]);
  assert.match(reading.problems[0].message, /"Actions: read"/);
  assert.match(reading.problems[1].message, /^The caches of acme\/app could not be read\./);
  assert.equal((await storageOf(organization)).repositories.length, 1);

  const refused = await readNow(organization, { repositories: ['acme/secret'] });
  assert.equal(refused.status, 'failed');
  assert.match(refused.error, /acme\/secret does not exist, or the credentials have no access to it/);

  fake.remaining = 0;
  fake.resetSeconds = clock.now().getTime() / 1_000 + 60;
  const waiting = await readNow(organization, { repositories: ['acme/app'] });
  assert.deepEqual([waiting.status, waiting.waiting.reason], ['running', 'rate_limit']);
  fake.remaining = 5_000;
  clock.forward(120);
  await worker.processAll();
  assert.equal((await organization.get(`${path}/${waiting.id}`)).body.data.status, 'done');
});

test('once a day it reads the repositories with runs', async () => {
  const organization = await organizationWith('acme/app');
  fake.repositories.set('acme/app', { runs: [], artifacts: [] });
  await worker.processAll();
  await worker.processAll();
  const list = async () => (await organization.get(path)).body.data as Record<string, unknown>[];
  assert.deepEqual(
    (await list()).map(({ is_nightly: isNightly, status }) => [isNightly, status]),
    [[true, 'done']],
  );
  clock.forward(86_400);
  await worker.processAll();
  assert.equal((await list()).length, 2);
});

test('a token of CircleCI starts no reading of GitHub', async () => {
  const organization = await organizationWith('acme/app');
  await app.db
    .updateTable('sourceCredentials')
    .set({ kind: 'circleci' })
    .where('orgId', '=', organization.orgId)
    .execute();
  await worker.processAll();
  assert.deepEqual((await organization.get(path)).body.data, []);
});

test('a reading of last month costs nothing in this month, until there is another', async () => {
  clock.set('2026-03-31T23:00:00Z');
  const organization = await organizationWith('acme/app');
  fake.repositories.set('acme/app', {
    runs: [],
    artifacts: [artifactOf({ bytes: gigabyte, created: '2026-03-31T12:00:00Z', expires: null })],
    caches: [cacheOf({ key: 'build', bytes: 20 * gigabyte, created: '2026-03-31T12:00:00Z' })],
  });
  const amounts = async () => {
    const {
      month_start: month,
      cost_this_month: cost,
      cost_per_month: pace,
      items,
    } = await storageOf(organization);
    return [month, cost > 0, pace, items.map((item: { gb_hours: number }) => item.gb_hours)];
  };
  await readNow(organization, { repositories: ['acme/app'] });
  assert.deepEqual(await amounts(), ['2026-03-01', true, 0.95, [220, 11]]);
  clock.set('2026-04-01T01:00:00Z');
  assert.deepEqual(await amounts(), ['2026-04-01', false, 0.95, [0, 0]]);
  await readNow(organization, { repositories: ['acme/app'] });
  assert.deepEqual(await amounts(), ['2026-04-01', true, 0.95, [20, 1]]);
});

test('a reading needs an admin and credentials, ends once, and is its organization’s alone', async () => {
  const without = await testApp.newOrganization();
  assertProblem(await without.send('POST', path), 400, 'invalid_request', ['body.source_id']);
  const organization = await organizationWith('acme/app');
  fake.repositories.set('acme/app', {
    runs: [],
    artifacts: [artifactOf({ bytes: 1, created: '2026-03-17T12:00:00Z', expires: null })],
  });
  const wrong = { repositories: ['acme/../app'] };
  assertProblem(await organization.send('POST', path, wrong), 400, 'invalid_request', [
    'body.repositories[0]',
  ]);
  assert.equal(
    (await organization.send('POST', path, {}, await organization.newToken('member'))).status,
    403,
  );
  const { id } = await readNow(organization, { repositories: ['acme/app'] });
  assertProblem(await organization.send('POST', `${path}/${id}/cancel`), 409, 'storage_reading_ended', []);
  const started = (await organization.send('POST', path)).body.data;
  assert.equal((await organization.send('POST', path)).body.data.id, started.id, 'the one under way');
  const part = { repositories: ['acme/app'] };
  assert.notEqual((await organization.send('POST', path, part)).body.data.id, started.id);
  const cancelled = await organization.send('POST', `${path}/${started.id}/cancel`);
  assert.equal(cancelled.body.data.status, 'cancelled');
  for (const rest of [`/${id}`, '/sto_none']) assert.equal((await without.get(`${path}${rest}`)).status, 404);
  assert.equal((await without.send('POST', `${path}/${id}/cancel`)).status, 404);
  assert.deepEqual((await storageOf(without)).items, []);
  assert.equal((await storageOf(organization)).items.length, 1);
  assert.equal((await storageOf(organization, { repo: 'other' })).items.length, 0);
});

test('readings are kept for 90 days', async () => {
  const organization = await organizationWith();
  const storedOf = async () => {
    const { orgId } = organization;
    const of = (table: 'storageDays' | 'storageRepositories' | 'storageItems') =>
      app.db.selectFrom(table).select('repository').where('orgId', '=', orgId).execute();
    const rows = await Promise.all([of('storageDays'), of('storageRepositories'), of('storageItems')]);
    return rows.map((each) => each.map(({ repository }) => repository).toSorted());
  };
  const artifacts = [artifactOf({ bytes: 1, created: '2026-03-17T12:00:00Z', expires: null })];
  const readOf = async (repository: string) => {
    fake.repositories.set(repository, { runs: [], artifacts });
    await readNow(organization, { repositories: [repository] });
  };
  await readOf('acme/gone');
  clock.set('2026-06-16T12:00:00Z');
  await readOf('acme/app');
  const both = ['acme/app', 'acme/gone'];
  assert.deepEqual(await storedOf(), [both, both, both]);
  clock.set('2026-06-17T12:00:00Z');
  await readOf('acme/app');
  assert.deepEqual(await storedOf(), [['acme/app', 'acme/app'], ['acme/app'], ['acme/app']]);
});

test('what is beyond the pages that are read is named in the problems', async () => {
  const now = new Date('2026-03-18T12:00:00Z');
  const cache = { key: 'npm', ref: 'refs/heads/main', size_in_bytes: 5, created_at: '2026-03-01T00:00:00Z' };
  const artifact = { name: 'dist', size_in_bytes: 5, created_at: '2026-03-01T00:00:00Z', expires_at: null };
  const client = {
    get: (_repository: string, asked: string) =>
      Promise.resolve({
        kind: 'data' as const,
        data:
          asked === '/actions/caches'
            ? { total_count: 1_200, actions_caches: [cache] }
            : { total_count: 300, artifacts: [artifact] },
      }),
  };
  const signal = new AbortController().signal;
  const reading = await readStorage({
    client: client as never,
    repository: 'acme/app',
    now,
    signal,
    maxPages: 1,
  });
  assert.ok('read' in reading);
  assert.deepEqual(reading.read.problems, [
    'Only the newest 1 artifacts of acme/app were read: 299 older ones are missing here.',
    'Only the largest 1 caches of acme/app were read: 1199 smaller ones have no row here.',
  ]);
});
