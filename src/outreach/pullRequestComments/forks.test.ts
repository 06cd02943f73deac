import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakePulls, type FakePull } from '../../../test/harness/gitHubPulls.ts';
import { gitHubCommit, pullRequestsOf } from '../../../test/harness/pullRequests.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { deliverRun, endRun, later, newConnected, newInstalled, nextId } = pullRequestsOf(testApp, fake);
const fork = 'eve/api';

beforeEach(() => {
  testApp.clock.forward(3_600);
  fake.pulls = newFakePulls();
  fake.pulls.writer = { id: 7, login: 'runcost-acme[bot]', type: 'Bot' };
  Object.assign(fake, { remaining: 5_000, interruptions: [], requests: [] });
});

function openPull(number: number, changes: Partial<FakePull> = {}): void {
  const pull = { base: 'b'.repeat(40), head: gitHubCommit, common: 'c'.repeat(40), files: [], fork };
  fake.pulls.opened.set(`acme/api#${number}`, { ...pull, ...changes });
}

const commentsOf = (number: number) => fake.pulls.comments.get(`acme/api#${number}`) ?? [];
const searches = () => fake.requests.filter(({ path }) => path.includes('/pulls?')).map(({ path }) => path);

async function runsOf({ get }: TestOrganization) {
  const { body } = await get('/api/v1/runs');
  return body.data.map((run: { pull_request: number | null }) => run.pull_request);
}

test('comments on the pull request of a fork, with its costs and a check', async () => {
  const organization = await newInstalled();
  openPull(7, { fork: 'eve/copy-of-api' });
  openPull(8);
  openPull(9, { branch: 'other' });
  await endRun(organization, { fork });
  const [comment] = commentsOf(8);
  assert.match(comment!.body, /^<!-- runcost -->\n\n### CI cost of this pull request so far: \$0\.01\n/);
  assert.deepEqual([commentsOf(7), commentsOf(9), await runsOf(organization)], [[], [], [8]]);
  assert.deepEqual(
    fake.pulls.checks.map(({ head_sha }) => head_sha),
    [gitHubCommit],
  );
  assert.deepEqual(searches(), ['/repos/acme/api/pulls?head=eve%3Afix&state=all&per_page=100']);
  // A newer push: its own run has the commit of before.
  openPull(8, { head: 'd'.repeat(40) });
  await later(61);
  await endRun(organization, { fork });
  assert.match(comment!.body, /so far: \$0\.02\n/);
});

test('of several pull requests of a branch, the one of the commit counts, else none', async () => {
  const organization = await newInstalled();
  openPull(5, { head: 'd'.repeat(40) });
  openPull(6);
  await endRun(organization, { fork });
  openPull(6, { head: 'e'.repeat(40) });
  await endRun(organization, { fork, id: 90_001 });
  assert.deepEqual((await runsOf(organization)).toSorted(), [6, null]);
});

test('asks only with the installation that got the event, and only where comments are on', async () => {
  openPull(8);
  await endRun(await newInstalled(), { fork, installation: 99 });
  await endRun(await newInstalled({ enabled: false }), { fork });
  await endRun(await newConnected(), { fork });
  await endRun(await newInstalled(), { fork: null, number: null });
  for (const [from, branch] of [
    [fork, 'a\u0000b'],
    ['eve/../acme', 'fix'],
    [`eve/${'a'.repeat(500)}`, 'fix'],
  ])
    await endRun(await newInstalled(), { fork: from!, branch: branch! });
  assert.deepEqual([searches(), commentsOf(8)], [[], []]);
});

test('waits while GitHub asks to or is away, and a run deleted meanwhile stays deleted', async () => {
  const organization = await newInstalled();
  openPull(8);
  fake.interruptions = [null, { status: 502 }];
  await endRun(organization, { fork });
  assert.deepEqual([searches().length, commentsOf(8)], [1, []]);
  fake.remaining = 0;
  fake.resetSeconds = testApp.clock.now().getTime() / 1_000 + 600;
  await later(61);
  await later(300);
  assert.equal(searches().length, 2);
  fake.remaining = 5_000;
  const id = nextId();
  await deliverRun(organization, { fork, id });
  const { data } = (await organization.get('/api/v1/runs')).body;
  const deleted = data.find((each: { id: string }) => each.id.endsWith(`_${id}`)).id;
  assert.equal((await organization.send('DELETE', `/api/v1/runs/${deleted}`)).status, 200);
  await later(600);
  assert.equal(commentsOf(8).length, 1);
  assert.deepEqual(await runsOf(organization), [8]);
});
