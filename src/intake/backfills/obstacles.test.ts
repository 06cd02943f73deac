import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import {
  backfillWorker,
  countStoredRuns,
  deleteEarlierSources,
  getBackfill,
  newReadingSource,
  runBackfill,
  serveRuns,
  startBackfill,
  totalsOf,
} from '../../../test/harness/backfills.ts';
import { startFakeGitHub, type Interruption } from '../../../test/harness/gitHubApi.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock } = testApp;
const worker = backfillWorker(testApp);
const now = new Date('2026-03-18T12:00:00Z');
const epochSeconds = (instant: Date) => Math.floor(instant.getTime() / 1_000);

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set(now);
  fake.repositories.clear();
  fake.mayDeviate = false;
  serveRuns(fake, 'acme/app', 8);
  fake.requests.length = 0;
  fake.interruptions.length = 0;
  Object.assign(fake, { token: 'github_pat_11TESTTOKENabcd', remaining: 100_000, resetSeconds: 0 });
});

async function newOrganization(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  fake.requests.length = 0;
  return organization;
}

test('waits for the next hour when requests are used up, frees the worker, and continues', async () => {
  const organization = await newOrganization();
  fake.remaining = 6;
  fake.resetSeconds = epochSeconds(now) + 1_800;
  const waiting = await runBackfill(testApp, organization);
  assert.equal(waiting.status, 'running');
  assert.deepEqual(waiting.waiting, {
    until: '2026-03-18T12:30:01.000Z',
    reason: 'rate_limit',
    message: null,
    attempt: null,
    max_attempts: null,
  });
  assert.deepEqual(waiting.progress, { done: 4, total: 8 });
  assert.ok(waiting.estimated_end_at >= '2026-03-18T12:30:01');
  assert.equal(fake.requests.length, 6, 'nothing is asked that would be refused');
  clock.forward(1_700);
  await worker.processAll();
  assert.equal(fake.requests.length, 6);
  fake.remaining = 5_000;
  clock.forward(102);
  await worker.processAll();
  const done = await getBackfill(organization, waiting.id);
  assert.deepEqual([done.status, done.progress, done.waiting], ['done', { done: 8, total: 8 }, null]);
  const jobLists = fake.requests.filter(({ path }) => path.includes('/jobs')).map(({ path }) => path);
  assert.equal(new Set(jobLists).size, jobLists.length, 'no run is read twice');
});

const limits: [name: string, interruption: Interruption, seconds: number, reason: string, done?: number][] = [
  ['retry-after', { status: 403, headers: { 'retry-after': '90' } }, 90, 'secondary_rate_limit'],
  ['retry-after of nothing', { status: 403, headers: { 'retry-after': '0' } }, 60, 'secondary_rate_limit'],
  [
    'a limit that should have ended by now',
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(epochSeconds(now) - 3_600) },
      message: 'API rate limit exceeded',
    },
    60,
    'rate_limit',
  ],
  ['429 alone', { status: 429 }, 60, 'secondary_rate_limit'],
  [
    "GitHub's words alone",
    { status: 403, message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
    60,
    'secondary_rate_limit',
  ],
  [
    'a spent primary limit',
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(epochSeconds(now) + 600) },
      message: 'API rate limit exceeded',
    },
    601,
    'rate_limit',
  ],
  // The others of the page are still read.
  ['a 502', { status: 502 }, 10, 'unreachable', 7],
  ['a connection cut off', { cut: true }, 10, 'unreachable', 7],
];
const { host: gitHubHost } = new URL(fake.url);
const cutOff = `${gitHubHost}: the connection closed early`;
for (const [name, interruption, seconds, reason, done = 1] of limits) {
  test(`waits ${seconds} s after ${name}, then completes`, async () => {
    const organization = await newOrganization();
    fake.interruptions.push(null, null, null, interruption);
    const waiting = await runBackfill(testApp, organization);
    const until = new Date(now.getTime() + seconds * 1_000).toISOString();
    const { message, attempt, max_attempts, ...wait } = waiting.waiting;
    assert.deepEqual(wait, { until, reason });
    const isUnreachable = reason === 'unreachable';
    assert.deepEqual([attempt, max_attempts], isUnreachable ? [1, 9] : [null, null]);
    const expected = { 'a 502': `${gitHubHost}: GitHub answered 502`, 'a connection cut off': cutOff };
    assert.equal(message, expected[name as keyof typeof expected] ?? null);
    assert.equal(waiting.progress.done, done);
    clock.forward(seconds);
    await worker.processAll();
    const { status, progress } = await getBackfill(organization, waiting.id);
    assert.deepEqual([status, progress], ['done', { done: 8, total: 8 }]);
  });
}

test('fails if GitHub stays unreachable, and says so', async () => {
  const organization = await newOrganization();
  const { id } = await startBackfill(organization, ['acme/app']);
  for (let time = 0; time < 9; time++) {
    fake.interruptions.push({ status: 503 });
    await worker.processAll();
    clock.forward(900);
  }
  const failed = await getBackfill(organization, id);
  assert.equal(failed.status, 'failed');
  const why = `${gitHubHost}: GitHub answered 503`;
  assert.equal(failed.error, `GitHub could not be reached 9 times in a row (${why}).`);
});

test('counts only failures in a row, which an answer between them ends', async () => {
  const organization = await newOrganization();
  fake.interruptions.push({ status: 503 });
  const { id, waiting } = await runBackfill(testApp, organization);
  // GitHub counts the runs, and then does not list them.
  fake.interruptions.push(null, { status: 503 });
  clock.set(waiting.until);
  await worker.processAll();
  const again = (await getBackfill(organization, id)).waiting;
  assert.deepEqual([waiting.attempt, again.attempt], [1, 1]);
});

test('does not complete on an answer that is not a list', async () => {
  const organization = await newOrganization();
  fake.interruptions.push({ status: 200 });
  const waiting = await runBackfill(testApp, organization);
  assert.equal(waiting.waiting.reason, 'unreachable');
});

test('rejected credentials end it with advice', async () => {
  const organization = await newOrganization();
  fake.token = 'github_pat_another';
  const failed = await runBackfill(testApp, organization);
  assert.equal(failed.status, 'failed');
  assert.match(failed.error, /GitHub rejects the credentials: they are wrong, expired or revoked/);
});

test('reports a repository that does not exist or is hidden, and reads the others', async () => {
  const organization = await newOrganization();
  const done = await runBackfill(testApp, organization, ['acme/none', 'acme/app']);
  assert.deepEqual([done.status, done.progress], ['done', { done: 8, total: 8 }]);
  assert.equal(done.problems.length, 1);
  assert.deepEqual([done.problems[0].repository, done.problems[0].is_refused], ['acme/none', true]);
  assert.match(done.problems[0].message, /does not exist, or the credentials have no access.*Actions: read/);
});

test('fails if no repository can be read', async () => {
  const organization = await newOrganization();
  const failed = await runBackfill(testApp, organization, ['acme/none']);
  assert.equal(failed.status, 'failed');
  assert.match(failed.error, /^acme\/none does not exist/);
});

const refusals: [name: string, interruption: Interruption, expected: RegExp][] = [
  [
    'lack a permission',
    { status: 403, message: 'Resource not accessible by personal access token' },
    /may not read the runs of acme\/app.*"Resource not accessible by personal access token".*Actions: read/,
  ],
  [
    'meet disabled Actions',
    { status: 409, message: 'Actions is disabled for this repository.' },
    /^Actions is disabled for acme\/app/,
  ],
  ['are blocked', { status: 451, message: 'Repository access\nblocked' }, /451.*"Repository access blocked"/],
];
for (const [name, interruption, expected] of refusals) {
  test(`reports credentials that ${name}`, async () => {
    const organization = await newOrganization();
    fake.interruptions.push(interruption);
    const failed = await runBackfill(testApp, organization);
    assert.equal(failed.status, 'failed');
    assert.match(failed.error, expected);
  });
}

test('reports an archived repository without runs', async () => {
  const organization = await newOrganization();
  fake.repositories.set('acme/old', { runs: [], about: { archived: true } });
  const done = await runBackfill(testApp, organization, ['acme/old']);
  assert.equal(done.status, 'done');
  assert.deepEqual(done.problems, [
    {
      repository: 'acme/old',
      is_refused: false,
      message: 'acme/old is archived and has no runs in this period.',
    },
  ]);
});

test('reads a renamed repository under its new name, and no other host gets the token', async () => {
  const organization = await newOrganization();
  const { host } = new URL(fake.url);
  const location = `${fake.url}/repos/acme/app/actions/runs?per_page=1`;
  fake.interruptions.push({ status: 301, headers: { location } });
  await runBackfill(testApp, organization, ['acme/renamed']);
  assert.ok(fake.requests.some(({ path }) => path === '/repos/acme/app/actions/runs?per_page=1'));
  fake.requests.length = 0;
  const elsewhere = `http://localhost:${host.split(':')[1]}/repos/acme/app/actions/runs?per_page=1`;
  fake.interruptions.push({ status: 301, headers: { location: elsewhere } });
  const failed = await runBackfill(testApp, organization);
  assert.match(failed.error, /GitHub redirected acme\/app \(301\)/);
  assert.equal(fake.requests.length, 1);
});

test('a run that cannot be read does not stop the others', async () => {
  const organization = await newOrganization();
  fake.repositories.get('acme/app')!.runs[3]!.jobs[0]!['labels'] = 'ubuntu';
  fake.mayDeviate = true;
  const done = await runBackfill(testApp, organization);
  assert.deepEqual([done.status, done.progress], ['done', { done: 7, total: 8 }]);
  assert.equal(done.unread_count, 1);
  assert.match(done.unread_runs[0].reason, /workflow_job\.labels /);
});

test('reports a run that is deleted during the read', async () => {
  const organization = await newOrganization();
  fake.interruptions.push(null, null, { status: 404, message: 'Not Found' });
  const done = await runBackfill(testApp, organization);
  assert.deepEqual([done.status, done.progress.done], ['done', 8]);
  assert.match(done.problems[0].message, /^Run \d+ was listed, but no longer exists\.$/);
});

test('stops at once when cancelled during a slow answer', async () => {
  const organization = await newOrganization();
  const { id } = await startBackfill(organization, ['acme/app']);
  fake.interruptions.push(null, null, null, { hold: true });
  const working = worker.processAll();
  await fake.asked(4);
  const cancelled = await organization.send('POST', `/api/v1/backfills/${id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'cancelled']);
  fake.release();
  await working;
  await worker.processAll();
  assert.equal(fake.requests.length, 4, 'nothing more is asked');
  const { status, progress } = await getBackfill(organization, id);
  assert.deepEqual([status, progress], ['cancelled', { done: 0, total: 8 }]);
  assert.equal(await countStoredRuns(testApp, organization), 0, 'and nothing more recorded than it says');
  const again = await organization.send('POST', `/api/v1/backfills/${id}/cancel`);
  assert.deepEqual([again.status, again.body.code], [409, 'backfill_ended']);
});

test('cancelled on its second page, it keeps the first, and its progress says so', async () => {
  serveRuns(fake, 'acme/app', 30);
  const organization = await newOrganization();
  const { id } = await startBackfill(organization, ['acme/app']);
  // The count, the first page with its 25 runs, the second, and its last run.
  fake.interruptions.push(...Array.from({ length: 32 }, () => null), { hold: true });
  const working = worker.processAll();
  await fake.asked(33);
  assert.equal((await organization.send('POST', `/api/v1/backfills/${id}/cancel`)).status, 200);
  fake.release();
  await working;
  assert.equal(fake.requests.length, 33);
  assert.deepEqual((await getBackfill(organization, id)).progress, { done: 25, total: 30 });
  assert.equal(await countStoredRuns(testApp, organization), 25);
});

for (const [asked, position, done] of [
  ['the list of runs', 2, 0],
  ['the jobs of a run', 5, 2],
] as const) {
  test(`a worker that stops aborts its request for ${asked}, and another one continues at once, unchanged`, async () => {
    const undisturbed = await newOrganization();
    await runBackfill(testApp, undisturbed);
    const expected = await totalsOf(testApp, undisturbed);
    const organization = await newOrganization();
    const { id } = await startBackfill(organization, ['acme/app']);
    const second = await testApp.secondWorker();
    const from = fake.requests.length;
    fake.interruptions.push(...Array.from({ length: position - 1 }, () => null), { hold: true });
    second.start();
    await fake.asked(from + position);
    await second.stop();
    fake.release();
    const { progress, waiting } = await getBackfill(organization, id);
    assert.deepEqual([progress, waiting], [{ done, total: 8 }, null]);
    await worker.processAll();
    assert.equal((await getBackfill(organization, id)).status, 'done');
    assert.deepEqual(await totalsOf(testApp, organization), expected);
  });
}
