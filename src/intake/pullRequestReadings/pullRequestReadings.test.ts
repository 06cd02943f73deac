import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { pullRequestsOf } from '../../../test/harness/pullRequests.ts';
import type { Payload } from '../../../test/payloads/gitHub.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { pullRequestPollers } from './readPullRequests.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, clock } = testApp;
const { deliverRun } = pullRequestsOf(testApp, fake);
const program = { ...app, db: app.background, gitHubApiUrl: app.config.gitHubApiUrl };
const worker = createWorker(pullRequestPollers(program), app);

/** As lists have it: without `merged`. */
const listed = (number: number, fields: Payload = {}) => ({
  number,
  state: 'open',
  title: `Change ${number}`,
  user: { login: 'mona', id: 1 },
  created_at: '2026-03-17T10:00:00Z',
  updated_at: '2026-03-18T10:00:00Z',
  closed_at: null,
  merged_at: null,
  ...fields,
});

const ended = { state: 'closed', closed_at: '2026-03-18T11:00:00Z', updated_at: '2026-03-18T11:00:00Z' };

async function statesOf(organization: TestOrganization): Promise<Record<number, string>> {
  const { body } = await organization.get('/api/v1/pull-requests');
  return Object.fromEntries(
    body.data.pull_requests.map(({ number, state }: { number: number; state: string }) => [number, state]),
  );
}

const asked = () => fake.requests.filter((request) => /\/pulls(\?|$)/.test(request.path)).length;

test('reads once a night what no event said, and what may have ended since', async () => {
  clock.set('2026-03-18T12:00:00Z');
  const organization = await testApp.newOrganization();
  const source = await newReadingSource(testApp, organization, fake);
  for (const number of [1, 2, 3, 4]) await deliverRun({ ...organization, source }, { number });
  const others = Array.from({ length: 100 }, (_, index) => listed(1_000 + index));
  const merged = { ...ended, merged_at: ended.closed_at };
  fake.pulls.listed.set('acme/api', [...others, listed(1, merged), listed(2, ended), listed(3)]);
  await worker.processAll();
  assert.equal(asked(), 0, 'waits for the night');
  clock.forward(86_400);
  await worker.processAll();
  assert.deepEqual(await statesOf(organization), { 1: 'merged', 2: 'closed', 3: 'open', 4: 'unknown' });
  assert.equal(asked(), 2, 'two pages');
  await worker.processAll();
  assert.equal(asked(), 2);

  fake.pulls.listed.set('acme/api', [
    listed(3, { ...merged, updated_at: '2026-03-19T11:00:00Z' }),
    listed(4),
  ]);
  clock.forward(86_400);
  await worker.processAll();
  assert.deepEqual(await statesOf(organization), { 1: 'merged', 2: 'closed', 3: 'merged', 4: 'open' });
  assert.equal(asked(), 3);
});

test('reads once what pull requests changed, after they ended', async () => {
  clock.set('2026-05-18T12:00:00Z');
  const organization = await testApp.newOrganization();
  const source = await newReadingSource(testApp, organization, fake);
  const many = (name: string) => Array.from({ length: 300 }, (_, index) => `${name}${index}.md`);
  const changed: Record<number, (string | [string, string])[]> = {
    1: ['README.md', 'docs/flow.png', 'LICENSE'],
    2: ['README.md', 'mkdocs.yml'],
    3: [['docs/index.md', 'src/index.ts']],
    4: many('docs/'),
    5: [...many('docs/').slice(0, 150), 'src/index.ts'],
    6: ['README.md'],
  };
  for (const [key, paths] of Object.entries(changed)) {
    const number = Number(key);
    await deliverRun({ ...organization, source }, { number });
    const files = paths.map((path) =>
      typeof path === 'string'
        ? { filename: path, status: 'modified' }
        : { filename: path[0], previous_filename: path[1], status: 'renamed' },
    );
    fake.pulls.opened.set(`acme/api#${number}`, { base: 'b', head: 'h', common: 'c', files });
  }
  const closed = { ...ended, closed_at: '2026-05-18T11:00:00Z', updated_at: '2026-05-18T11:00:00Z' };
  const lists = [1, 2, 3, 4, 5].map((number) => listed(number, closed));
  fake.pulls.listed.set('acme/api', [...lists, listed(6)]);
  clock.forward(86_400);
  await worker.processAll();
  const changesOf = async () => {
    const rows = await app.db
      .selectFrom('pullRequests')
      .select(['number', 'changes'])
      .where('orgId', '=', organization.orgId)
      .execute();
    return Object.fromEntries(rows.map(({ number, changes }) => [number, changes]));
  };
  const read = { 1: 'documentation', 2: 'other', 3: 'other', 4: 'unknown', 5: 'other' };
  assert.deepEqual(await changesOf(), { ...read, 6: null });

  const requests = () => fake.requests.filter(({ path }) => path.includes('/files')).length;
  const before = requests();
  const later = { updated_at: '2026-05-19T11:00:00Z' };
  fake.pulls.listed.set('acme/api', [listed(6, { ...closed, ...later, closed_at: later.updated_at })]);
  clock.forward(86_400);
  await worker.processAll();
  assert.deepEqual(await changesOf(), { ...read, 6: 'documentation' });
  assert.equal(requests(), before + 1);
});

test('what GitHub does not show stays unknown', async () => {
  clock.set('2026-04-18T12:00:00Z');
  fake.pulls.listed.clear();
  const organization = await testApp.newOrganization();
  const source = await newReadingSource(testApp, organization, fake);
  await deliverRun({ ...organization, source }, { number: 1 });
  clock.forward(86_400);
  await worker.processAll();
  assert.deepEqual(await statesOf(organization), { 1: 'unknown' });
});
