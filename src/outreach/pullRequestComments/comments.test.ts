import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakePulls } from '../../../test/harness/gitHubPulls.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { pullRequestsOf, type Connected } from '../../../test/harness/pullRequests.ts';
import { gitHubJob, type Payload } from '../../../test/payloads/gitHub.ts';
import { commentPollers } from './comments.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock, worker } = testApp;
const path = '/api/v1/pull-request-settings';
const { deliverRun, endRun, later, newConnected, newInstalled, nextId, stateOf } = pullRequestsOf(
  testApp,
  fake,
);
const [first, second] = ['a', 'b'].map((digit) => digit.repeat(40)) as [string, string];

beforeEach(() => {
  clock.forward(3_600);
  fake.pulls = newFakePulls();
  fake.pulls.writer = { id: 7, login: 'runcost-acme[bot]', type: 'Bot' };
  Object.assign(fake, { remaining: 5_000, interruptions: [], requests: [] });
});

/** Requests about comments and checks. */
const asked = () => fake.requests.splice(0).filter((each) => /issues|check-runs/.test(each.path)).length;
const commentsOf = (number = 42) => fake.pulls.comments.get(`acme/api#${number}`) ?? [];

test('keeps one comment and one check up to date, at most once a minute', async () => {
  const organization = await newInstalled({ fail_above: 0.02 });
  await endRun(organization);
  const [comment] = commentsOf();
  assert.match(comment!.body, /^<!-- runcost -->\n\n### CI cost of this pull request so far: \$0\.01\n/);
  await endRun(organization);
  await endRun(organization);
  assert.match(comment!.body, /so far: \$0\.01\n/, 'it waits for the minute');
  await later(61);
  assert.match(comment!.body, /so far: \$0\.02\n/);
  assert.deepEqual([fake.pulls.writes, commentsOf().length], [['add', 'edit'], 1]);

  await later(61);
  await endRun(organization, { commit: second });
  const checks = fake.pulls.checks.map(({ name, head_sha, conclusion }) => [name, head_sha, conclusion]);
  assert.deepEqual(checks, [
    ['Runcost', first, 'failure'],
    ['Runcost', second, 'failure'],
  ]);
  assert.equal((await stateOf(organization)).status, 'written');
});

test('writes nothing where it is off, without a pull request, of old runs, or without news', async () => {
  await endRun(await newInstalled({ enabled: false }));
  const organization = await newInstalled();
  await endRun(organization, { number: null });
  await endRun(organization, { created_at: '2026-03-10T10:00:00Z' });
  assert.equal(asked(), 0);
  const repeated = { id: 999, created_at: new Date(clock.now().getTime() - 600_000).toISOString() };
  await endRun(organization, repeated);
  assert.equal(asked(), 3, 'it looks for its comment, adds it, and the check');
  await later(61);
  await endRun(organization, repeated);
  assert.equal(asked(), 0);
});

test('adds no second comment after a crash, nor with two workers', async () => {
  const organization = await newInstalled();
  const user = fake.pulls.writer;
  fake.pulls.comments.set('acme/api#42', [{ id: 5, body: '<!-- runcost -->\n\nbefore', user }]);
  await deliverRun(organization);
  await deliverRun(organization, { number: 43 });
  const other = await testApp.secondWorker();
  await Promise.all([worker.processAll(), other.processAll()]);
  assert.deepEqual([commentsOf().length, commentsOf(43).length], [1, 1]);
  assert.match(commentsOf()[0]!.body, /so far/);
});

test('a comment that somebody deleted stays deleted, and the check goes on', async () => {
  const organization = await newInstalled();
  await endRun(organization);
  fake.pulls.comments.clear();
  await later(61);
  await endRun(organization);
  assert.deepEqual([commentsOf().length, (await stateOf(organization)).is_comment_deleted], [0, true]);
  const { output } = fake.pulls.checks[0] as { output: { title: string } };
  assert.equal(output.title, '$0.02 so far');
});

test('waits as long as GitHub asks, with all comments of the organization', async () => {
  const organization = await newInstalled();
  fake.remaining = 0;
  fake.resetSeconds = clock.now().getTime() / 1_000 + 600;
  await endRun(organization);
  await endRun(organization, { number: 43 });
  assert.ok(asked() <= 2);
  await later(500);
  assert.equal(asked(), 0);
  assert.match((await stateOf(organization)).error, /^GitHub asks to wait until 2026-03-/);
  fake.remaining = 5_000;
  await later(200);
  assert.deepEqual([commentsOf().length, commentsOf(43).length], [1, 1]);
  assert.deepEqual(await stateOf(organization), {
    status: 'written',
    error: null,
    due_at: null,
    is_comment_deleted: false,
  });
});

test('tries again while GitHub is away, and gives up after hours until the next run', async () => {
  const organization = await newInstalled();
  fake.interruptions = Array.from({ length: 12 }, () => ({ status: 502 }));
  await endRun(organization);
  const { status, error } = await stateOf(organization);
  assert.deepEqual([status, error], ['due', 'GitHub cannot be reached: GitHub answered 502.']);
  for (const minutes of [1, 5, 15, 60, 180]) await later(minutes * 60 + 1);
  assert.equal((await stateOf(organization)).status, 'failed');
  fake.interruptions = [];
  await endRun(organization);
  assert.equal(commentsOf().length, 1);
});

test('says why GitHub refuses, and writes with the next run once it does not', async () => {
  const organization = await newInstalled();
  const suspended = { status: 403, message: 'This installation has been suspended' };
  const missing = { status: 404, message: 'Not Found' };
  const cases: [refusals: typeof fake.interruptions, rights: object, expected: RegExp][] = [
    [
      [suspended, suspended],
      {},
      /^GitHub gives the App no access: its installation was suspended or removed/,
    ],
    [[null, missing, null, missing], {}, /^The App is not installed in this repository\.$/],
    [[], { mayComment: false }, /"Pull requests: write".*Resource not accessible by integration/],
    [[], { mayComment: true, mayCheck: false }, /"Checks: write"/],
  ];
  for (const [refusals, rights, expected] of cases) {
    fake.interruptions = [...refusals];
    Object.assign(fake.pulls, rights);
    await endRun(organization);
    const { status, error } = await stateOf(organization);
    assert.equal(status, 'failed');
    assert.match(error, expected);
    await later(61);
  }
  fake.pulls.mayCheck = true;
  await endRun(organization);
  assert.deepEqual([commentsOf().length, fake.pulls.checks.length], [1, 1]);
  assert.equal((await stateOf(organization)).status, 'written');
});

test('names what is missing: an App, or its server', async () => {
  const organization = await newConnected();
  await endRun(organization);
  assert.equal((await stateOf(organization)).error, 'No source has the credentials of a GitHub App.');
  clock.forward(1);
  await deliverRun(organization, { number: 44 }, 'https://github.com');
  await worker.processAll();
  const { error } = await stateOf(organization);
  assert.equal(error, 'The runs are from github, but GITHUB_API_URL names another server.');
  assert.equal(asked(), 0);
});

test('settings are of an organization, and admins change them', async () => {
  const organization = await testApp.newOrganization();
  const read = async (of: TestOrganization) => (await of.get(path)).body.data;
  const off = { open_fixes: false };
  assert.deepEqual(await read(organization), { ...off, enabled: false, fail_above: null });
  const changed = await organization.send('PUT', path, { enabled: true, fail_above: 2.5 });
  assert.deepEqual(changed.body.data, { ...off, enabled: true, fail_above: 2.5 });
  await organization.send('PUT', path, { fail_above: null });
  assert.deepEqual(await read(organization), { ...off, enabled: true, fail_above: null });
  const { body: log } = await organization.get('/api/v1/audit-log');
  const entries = log.data.map(({ action, details }: { action: string; details: object }) => [
    action,
    details,
  ]);
  assert.deepEqual(entries.slice(0, 2), [
    ['pull_requests.update', { fail_above: null, before: { fail_above: '2.5' } }],
    [
      'pull_requests.update',
      { enabled: true, fail_above: '2.5', before: { enabled: false, fail_above: null } },
    ],
  ]);
  assert.deepEqual(await read(await testApp.newOrganization()), { ...off, enabled: false, fail_above: null });
  assertProblem(await organization.send('PUT', path, { fail_above: 1e-10 }), 400, 'invalid_request', [
    'body.fail_above',
  ]);
  await Promise.all([
    ...Array.from({ length: 4 }, () => organization.send('PUT', path, { fail_above: 7 })),
    organization.send('PUT', path, { enabled: false }),
    ...Array.from({ length: 4 }, () => organization.send('PUT', path, { fail_above: 8 })),
  ]);
  assert.equal((await read(organization)).enabled, false, 'no change loses another');
  const member = await organization.newToken('member');
  assertProblem(await organization.send('PUT', path, { enabled: false }, member), 403, 'role_too_low');
});

async function deliverLateJob({ source }: Connected, fields: object, host = fake.url): Promise<void> {
  const late = gitHubJob({ repository: 'acme/api', ...fields });
  Object.assign(late['repository'] as Payload, { html_url: `${host}/acme/api` });
  const { status, text } = await source.deliver('workflow_job', late);
  assert.equal(status, 202, text);
  await worker.processAll();
}

test('only what GitHub itself reports leads to a comment, on the pull request that its event names', async () => {
  const organization = await newInstalled();
  const time = new Date(clock.now().getTime() - 60_000).toISOString();
  const ofOthers = { provider: 'github', workflow_name: 'CI', repo_name: 'acme/secret', pull_request: 7 };
  const ended = { status: 'completed', conclusion: 'success', created_at: time, completed_at: time };
  const ids = ['70001', '70002', '70003'];
  const sent = ids.map((run_id) => ({ ...ofOthers, ...ended, run_id, commit: second }));
  const { status, text } = await organization.send('POST', '/api/v1/runs', { runs: sent });
  assert.equal(status, 200, text);
  await deliverRun(organization, { id: 70_002 }, 'https://github.com');
  // A job's event names no pull request, so only what another report said about its run is known.
  await deliverLateJob(organization, { id: 70_003, run_id: 70_003, created_at: time }, 'https://github.com');
  const { data } = (await organization.get('/api/v1/pull-request-comments')).body;
  const named = data.map((each: Payload) => [each['repository'], each['pull_request']]);
  assert.deepEqual(named, [['acme/api', 42]]);
});

test('a job that comes late renews the comment', async () => {
  const organization = await newInstalled();
  const id = nextId();
  const created_at = new Date(clock.now().getTime() - 600_000).toISOString();
  await endRun(organization, { id, created_at });
  await later(61);
  await deliverLateJob(organization, { id: id + 500_000, run_id: id, created_at });
  await later(61);
  assert.match(commentsOf()[0]!.body, /so far: \$0\.02\n/);
});

test('an older run that ends later leaves the check at the newest commit', async () => {
  const organization = await newInstalled();
  const ago = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000).toISOString();
  await endRun(organization, { commit: second, created_at: ago(5) });
  await later(61);
  await endRun(organization, { commit: first, created_at: ago(9) });
  await later(61);
  assert.deepEqual(
    fake.pulls.checks.map(({ head_sha }) => head_sha),
    [second],
  );
  assert.match(commentsOf()[0]!.body, /so far: \$0\.02\n/);
});

type Asked = Parameters<Parameters<typeof commentPollers>[0]['report']>[1];

const { signal } = new AbortController();

/** A poller of its own, whose reports and writes are the test's. */
function newWriter(writes: (pull: Asked) => Promise<void> = async () => {}) {
  const check = { conclusion: 'neutral', title: 'so far', summary: '' };
  const [poller] = commentPollers({
    ...testApp.app,
    report: async (_orgId, pull) => {
      await writes(pull);
      return { markdown: `${clock.now().getTime()}`, check };
    },
    readChanges: async () => ({ kind: 'data', workflows: null, note: null }),
    write: async (_orgId, { sourceId, commentId, isCommentDeleted, checkId }) => ({
      kind: 'written',
      ids: { sourceId, commentId, isCommentDeleted, checkId },
    }),
  });
  return poller!;
}

test('one comment that fails keeps no other waiting, and ends as failed', async () => {
  const [broken, sound] = [await newInstalled(), await newInstalled()];
  await deliverRun(broken, { number: 901 });
  clock.forward(1);
  await deliverRun(sound, { number: 902 });
  const writer = newWriter(async ({ number }) => {
    if (number === 901) throw new Error('the vault has another key');
  });
  while (await writer.run(signal)) continue;
  assert.equal((await stateOf(sound)).status, 'written');
  const { status, error } = await stateOf(broken);
  assert.deepEqual([status, error], ['due', 'Runcost itself failed. The log of the server has the reason.']);
  assert.match(testApp.logged(), /the vault has another key/);
  for (const minutes of [1, 5, 15, 60, 180]) {
    clock.forward(minutes * 60 + 1);
    await writer.run(signal);
  }
  assert.equal((await stateOf(broken)).status, 'failed');
});

test('a slow comment keeps no other waiting for a second worker', async () => {
  const organization = await newInstalled();
  for (const number of [911, 912]) await deliverRun(organization, { number });
  const written: number[] = [];
  const other = newWriter(async ({ number }) => void written.push(number));
  const slow = newWriter(async () => void (await other.run(signal)));
  await slow.run(signal);
  assert.equal(written.length, 1);
  await other.run(signal);
});

test('a run that ends during a write waits for a minute', async () => {
  const organization = await newInstalled();
  await deliverRun(organization);
  let written = 0;
  const writer = newWriter(async () => {
    if (++written === 1) await deliverRun(organization);
  });
  await writer.run(signal);
  await writer.run(signal);
  assert.deepEqual([written, (await stateOf(organization)).status], [1, 'due']);
  clock.forward(61);
  await writer.run(signal);
  assert.deepEqual([written, (await stateOf(organization)).status], [2, 'written']);
});

test("leaves another App's comment alone", async () => {
  const organization = await newInstalled();
  const user = { id: 8, login: 'other[bot]', type: 'Bot' as const };
  const theirs = { id: 5, body: '<!-- runcost -->\n\ntheirs', user, performed_via_github_app: { id: 99 } };
  fake.pulls.comments.set('acme/api#42', [theirs]);
  await endRun(organization);
  assert.deepEqual([commentsOf().length, theirs.body], [2, '<!-- runcost -->\n\ntheirs']);
});
