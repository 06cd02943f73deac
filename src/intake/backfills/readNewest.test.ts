import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource, runBackfill, serveRuns, totalsOf } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { createGitHubClient } from './gitHubClient.ts';
import { findRepositories, readNewestRuns, type Asked } from './readNewest.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, clock } = testApp;
const now = new Date('2026-03-18T12:00:00Z');
const since = new Date('2025-12-19T00:00:00Z');
const program = { ...app, gitHubApiUrl: fake.url };

beforeEach(() => {
  clock.set(now);
  fake.repositories.clear();
  fake.requests.length = 0;
  fake.interruptions.length = 0;
  fake.brokenRuns.clear();
  Object.assign(fake, { remaining: 100_000, resetSeconds: now.getTime() / 1_000 + 3_600, isPublic: false });
});

const newClient = (token: string | null = fake.token) =>
  createGitHubClient(program, token === null ? null : { kind: 'token', token });

function read({ orgId }: TestOrganization, repositories: string[], changes: Partial<Asked> = {}) {
  const asked = {
    orgId,
    client: newClient(),
    repositories,
    since,
    until: now,
    deadline: new Date(now.getTime() + 60_000),
    signal: new AbortController().signal,
    report: () => {},
    ...changes,
  };
  return readNewestRuns(program, asked);
}

async function storedRuns({ orgId }: TestOrganization): Promise<string[]> {
  const rows = await app.db.selectFrom('runs').select(['id']).where('orgId', '=', orgId).execute();
  return rows.map(({ id }) => id.replace('run_github_', '')).toSorted();
}

test('records the same as a backfill', async () => {
  serveRuns(fake, 'acme/app', 30);
  const [whole, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const found = await read(whole, ['acme/app']);
  assert.deepEqual(found, { read: 30, total: 30, stoppedBy: null, problems: [], readSince: null });
  await newReadingSource(testApp, other, fake);
  await runBackfill(testApp, other);
  assert.deepEqual(await totalsOf(testApp, whole), await totalsOf(testApp, other));
});

test('stops at the rate limit with the newest runs of all repositories', async () => {
  serveRuns(fake, 'acme/app', 60);
  serveRuns(fake, 'acme/site', 60, 1_000);
  // Two lists, and the jobs of 40 runs.
  fake.remaining = 42;
  const organization = await testApp.newOrganization();
  const { readSince, ...found } = await read(organization, ['acme/app', 'acme/site']);
  const message = "GitHub's hourly request limit is used up. It resets at 13:00 UTC.";
  const stoppedBy = { reason: 'rate_limit', message } as const;
  assert.deepEqual(found, { read: 40, total: 120, stoppedBy, problems: [] });
  const all = [...fake.repositories.values()].flatMap(({ runs }) => runs.map(({ run }) => run));
  const newest = all.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)).slice(0, 40);
  const stored = await storedRuns(organization);
  assert.equal(stored.length, 40);
  for (const { id } of newest)
    assert.ok(
      stored.some((each) => each.endsWith(String(id))),
      String(id),
    );
  assert.equal(readSince?.getTime(), Date.parse(newest.at(-1)!.created_at));
});

test('stops when the time is over', async () => {
  serveRuns(fake, 'acme/app', 50);
  const { read: count, stoppedBy } = await read(await testApp.newOrganization(), ['acme/app'], {
    report: (done) => void (done === 10 && clock.forward(61)),
  });
  assert.ok(count >= 10 && count < 30, String(count));
  assert.equal(stoppedBy?.reason, 'time');
});

test('lists more than a thousand runs of a repository', async () => {
  const runs = serveRuns(fake, 'acme/app', 1_010);
  for (const each of runs) each.jobs = [];
  // Its own limit a minute would end the reading.
  const report = () => clock.forward(0.1);
  const deadline = new Date(now.getTime() + 3_600_000);
  const found = await read(await testApp.newOrganization(), ['acme/app'], { report, deadline });
  assert.deepEqual([found.read, found.stoppedBy], [1_010, null]);
});

test('names what could not be read, and reads the rest', async () => {
  const [first] = serveRuns(fake, 'acme/app', 20);
  fake.brokenRuns.add(first!.run.id);
  const organization = await testApp.newOrganization();
  const found = await read(organization, ['acme/app', 'acme/none']);
  assert.deepEqual([found.read, found.stoppedBy, (await storedRuns(organization)).length], [19, null, 19]);
  assert.match(found.problems.join('\n'), /^acme\/none does not exist.*\n1 run could not be read\.$/);
  await assert.rejects(read(organization, ['acme/none']), /acme\/none does not exist/);
});

test('finds the repositories of an organization, and those of a person without a token', async () => {
  serveRuns(fake, 'acme/app', 1);
  serveRuns(fake, 'acme/old', 1);
  fake.repositories.get('acme/old')!.about = { archived: true };
  const { signal } = new AbortController();
  const found = await findRepositories(newClient(), 'acme', signal);
  assert.deepEqual(found, { repositories: ['acme/app'], isCut: false });
  await assert.rejects(findRepositories(newClient(null), 'acme', signal), /GitHub rejects the credentials/);
  fake.isPublic = true;
  fake.persons.add('acme');
  assert.deepEqual((await findRepositories(newClient(null), 'acme', signal)).repositories, ['acme/app']);
});
