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
} from '../../../test/harness/backfills.ts';
import { startFakeGitHub, type Interruption } from '../../../test/harness/gitHubApi.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock } = testApp;
const worker = backfillWorker(testApp);
/** The size of a page of runs. */
const pageOfRuns = 25;

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set('2026-03-18T12:00:00Z');
  fake.repositories.clear();
  fake.requests.length = 0;
  fake.interruptions.length = 0;
  fake.remaining = 100_000;
});

async function newOrganization(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await newReadingSource(testApp, organization, fake);
  fake.requests.length = 0;
  return organization;
}

/** Answers the next requests normally, then as the interruptions say. */
function interruptAfter(requests: number, ...interruptions: Interruption[]): void {
  fake.interruptions.push(...Array.from({ length: requests }, () => null), ...interruptions);
}

const pathsOf = (part: string) => fake.requests.filter(({ path }) => path.includes(part));

test('a page one run short is not the last, and a second look finds the run', async () => {
  serveRuns(fake, 'acme/app', 60);
  const organization = await newOrganization();
  interruptAfter(1, { short: true });
  const done = await runBackfill(testApp, organization);
  assert.deepEqual([done.status, done.progress, done.problems], ['done', { done: 60, total: 60 }, []]);
  assert.equal(await countStoredRuns(testApp, organization), 60);
  assert.equal(pathsOf('/jobs').length, 60, 'no run is read twice');
});

test('reports a run that GitHub counts and never lists, also in the total', async () => {
  serveRuns(fake, 'acme/app', 60);
  const organization = await newOrganization();
  // The last page of both looks: the count, two pages with their runs, and two pages without runs to read.
  interruptAfter(1 + 2 + 2 * pageOfRuns, { short: true }, ...Array.from({ length: 11 }, () => null));
  fake.interruptions.push({ short: true });
  const done = await runBackfill(testApp, organization);
  assert.deepEqual([done.status, done.progress], ['done', { done: 59, total: 60 }]);
  assert.equal(await countStoredRuns(testApp, organization), 59);
  assert.deepEqual(done.problems, [
    {
      repository: 'acme/app',
      is_refused: false,
      message:
        '1 run of acme/app is missing: of the runs created from 2025-12-18T12:00:00Z to 2026-03-18T11:59:59Z, GitHub counted 60 and twice listed 59. The count includes runs that were deleted meanwhile.',
    },
  ]);
});

test('runs deleted between two pages lose no other run', async () => {
  const runs = serveRuns(fake, 'acme/app', 60);
  const organization = await newOrganization();
  const { id } = await startBackfill(organization, ['acme/app']);
  const asked = 1 + 1 + pageOfRuns + 1;
  interruptAfter(asked - 1, { hold: true });
  const working = worker.processAll();
  await fake.asked(asked);
  fake.repositories.set('acme/app', { runs: runs.slice(0, -pageOfRuns) });
  fake.release();
  await working;
  const done = await getBackfill(organization, id);
  assert.deepEqual([done.status, done.progress, done.problems], ['done', { done: 60, total: 60 }, []]);
  assert.equal(await countStoredRuns(testApp, organization), 60);
});

test('reads and counts runs that come after the count', async () => {
  const runs = serveRuns(fake, 'acme/app', 40);
  fake.repositories.set('acme/app', { runs: runs.slice(0, 30) });
  const organization = await newOrganization();
  const { id } = await startBackfill(organization, ['acme/app']);
  const asked = 1 + 1 + pageOfRuns + 1;
  interruptAfter(asked - 1, { hold: true });
  const working = worker.processAll();
  await fake.asked(asked);
  fake.repositories.set('acme/app', { runs });
  fake.release();
  await working;
  const done = await getBackfill(organization, id);
  assert.deepEqual([done.status, done.progress, done.problems], ['done', { done: 40, total: 40 }, []]);
  assert.equal(await countStoredRuns(testApp, organization), 40);
});

test('reports a list of jobs that lacks one, and reads it again next time', async () => {
  serveRuns(fake, 'acme/app', 5);
  const organization = await newOrganization();
  interruptAfter(2, { short: true });
  const done = await runBackfill(testApp, organization);
  assert.deepEqual(done.progress, { done: 5, total: 5 });
  assert.match(done.problems[0].message, /^Run \d+: GitHub counts 1 more jobs than it lists\.$/);
  fake.requests.length = 0;
  assert.deepEqual((await runBackfill(testApp, organization)).problems, []);
  assert.equal(pathsOf('/jobs').filter(({ status }) => status === 200).length >= 1, true);
});

test('reports a repository that is refused halfway, and reads the others', async () => {
  serveRuns(fake, 'acme/one', 60);
  serveRuns(fake, 'acme/two', 30, 1_000);
  const organization = await newOrganization();
  interruptAfter(2 + 1 + pageOfRuns, { status: 404, message: 'Not Found' });
  const done = await runBackfill(testApp, organization, ['acme/one', 'acme/two']);
  assert.deepEqual([done.status, done.error, done.progress], ['done', null, { done: 55, total: 90 }]);
  assert.equal(done.problems.length, 1);
  assert.match(
    done.problems[0].message,
    /^35 runs of acme\/one could not be read\. acme\/one does not exist, or the credentials have no access/,
  );
  assert.equal(await countStoredRuns(testApp, organization), 55);
});

test('fails if all its repositories were counted and none can be read', async () => {
  serveRuns(fake, 'acme/app', 30);
  const organization = await newOrganization();
  interruptAfter(1, { status: 404, message: 'Not Found' });
  const failed = await runBackfill(testApp, organization);
  assert.deepEqual([failed.status, failed.progress], ['failed', { done: 0, total: 30 }]);
  assert.match(failed.error, /^30 runs of acme\/app could not be read\. acme\/app does not exist/);
});

for (const status of [403, 410, 422]) {
  test(`reports a run whose jobs are refused with ${status}, and reads the next ones`, async () => {
    serveRuns(fake, 'acme/app', 8);
    const organization = await newOrganization();
    interruptAfter(4, { status, message: 'Not this one' });
    const done = await runBackfill(testApp, organization);
    assert.deepEqual([done.status, done.progress, done.problems], ['done', { done: 7, total: 8 }, []]);
    assert.equal(done.unread_count, 1);
    assert.match(done.unread_runs[0].reason, /"Not this one"/);
    assert.equal(await countStoredRuns(testApp, organization), 7);
  });
}

test('lists only some of many unread runs, and counts all', async () => {
  serveRuns(fake, 'acme/app', 105);
  const organization = await newOrganization();
  const refused = { status: 410, message: 'Gone' };
  fake.interruptions.push(null);
  for (let page = 0; page < 5; page++) {
    fake.interruptions.push(null, ...Array.from({ length: page < 4 ? pageOfRuns : 5 }, () => refused));
  }
  const done = await runBackfill(testApp, organization);
  assert.deepEqual([done.status, done.progress], ['done', { done: 0, total: 105 }]);
  assert.deepEqual([done.unread_count, done.unread_runs.length], [105, 100]);
});
