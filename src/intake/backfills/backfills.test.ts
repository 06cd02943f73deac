import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import {
  backfillWorker,
  deleteEarlierSources,
  getBackfill,
  newReadingSource,
  startBackfill,
  totalsOf,
} from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { deliveriesOf, widenRecordedRuns } from '../../../test/harness/recordedRuns.ts';
import { newWebhook } from '../../../test/harness/webhooks.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock } = testApp;
const worker = backfillWorker(testApp);
const now = new Date('2026-03-18T12:00:00Z');
const end = new Date('2026-03-18T09:00:00Z');

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set(now);
  fake.repositories.clear();
  fake.requests.length = 0;
  fake.interruptions.length = 0;
  Object.assign(fake, { remaining: 100_000, resetSeconds: 0, isTotalCapped: false });
});

function serve(name: string, count: number, gapSeconds = 3_600) {
  const runs = widenRecordedRuns(name, { count, end, gapSeconds });
  fake.repositories.set(name, { runs });
  return runs;
}

async function newOrganization() {
  const organization = await testApp.newOrganization({ plan: 'team' });
  return { organization, source: await newReadingSource(testApp, organization, fake) };
}

/** Newest first. */
async function runIdsOf({ orgId }: { orgId: string }): Promise<string[]> {
  const rows = await testApp.app.db.selectFrom('runs').select('id').where('orgId', '=', orgId).execute();
  return rows.map(({ id }) => id).toSorted();
}

async function pullRequestsOf({ orgId }: { orgId: string }): Promise<Map<string, number | null>> {
  const { db } = testApp.app;
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'pullRequest'])
    .where('orgId', '=', orgId)
    .orderBy('id')
    .execute();
  return new Map(runs.map(({ id, pullRequest }) => [id, pullRequest]));
}

describe('a backfill', () => {
  test('reads all runs with the jobs of all attempts, and reports its progress', async () => {
    const runs = serve('acme/app', 30);
    const { organization } = await newOrganization();
    const started = await startBackfill(organization, ['acme/app']);
    assert.deepEqual(
      [started.status, started.progress, started.started_at],
      ['queued', { done: 0, total: null }, null],
    );
    await worker.processAll();
    const done = await getBackfill(organization, started.id);
    assert.deepEqual(
      [done.status, done.progress, done.problems, done.error],
      ['done', { done: 30, total: 30 }, [], null],
    );
    assert.deepEqual(await runIdsOf(organization), runs.map(({ run }) => `run_github_${run.id}`).toSorted());
    const { count } = await testApp.app.db
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('orgId', '=', organization.orgId)
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), runs.flatMap(({ jobs }) => jobs).length);
  });

  test('names who triggered each attempt, also those between the first and the latest', async () => {
    const [served] = serve('acme/app', 1);
    const by = (login: string) => ({ ...(served!.run['actor'] as object), login });
    const [job] = served!.jobs;
    const hoursLater = (hours: number) =>
      new Date(Date.parse(job!['started_at'] as string) + hours * 3_600_000).toISOString();
    const attempts = [1, 2, 3].map((attempt) => ({
      ...served!.run,
      run_attempt: attempt,
      actor: by('Copilot'),
      triggering_actor: by(['Copilot', 'ada', 'mona'][attempt - 1]!),
    }));
    const jobs = attempts.map(({ run_attempt: attempt }) => ({
      ...job!,
      id: attempt,
      run_attempt: attempt,
      started_at: hoursLater(attempt),
      completed_at: hoursLater(attempt + 0.5),
    }));
    fake.repositories.set('acme/app', { runs: [{ run: attempts[2]!, jobs, attempts }] });
    const { organization } = await newOrganization();
    await startBackfill(organization, ['acme/app']);
    await worker.processAll();
    const { body } = await organization.get('/api/v1/costs', { group_by: 'actor', metric: 'jobs' });
    const found = body.data.groups.map((group: { by: { value: string }[] }) => group.by[0]!.value);
    assert.deepEqual(found.toSorted(), ['Copilot', 'ada', 'mona']);
    const attemptsRead = () => {
      const paths = fake.requests.map(({ path }) => path).filter((path) => path.includes('/attempts/'));
      fake.requests.length = 0;
      return paths;
    };
    const second = `/repos/acme/app/actions/runs/${served!.run.id}/attempts/2`;
    assert.deepEqual(attemptsRead(), [second]);
    const again = async () => {
      await startBackfill(organization, ['acme/app']);
      await worker.processAll();
      return attemptsRead();
    };
    assert.deepEqual(await again(), [], 'its jobs are unchanged');
    // A run of an earlier version of Runcost.
    await testApp.app.db
      .updateTable('runs')
      .set({ startedBy: null })
      .where('orgId', '=', organization.orgId)
      .execute();
    assert.deepEqual(await again(), [second]);
  });

  test('reads with a token of its own, which no answer shows', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    serve('acme/app', 3);
    const body = { repositories: ['acme/app'], since: '90d' };
    const without = await organization.send('POST', '/api/v1/backfills', body);
    assertProblem(without, 400, 'invalid_request', ['body.source_id']);
    assert.match(without.text, /Or give this backfill a token of its own/);
    const { token } = fake;
    const both = await organization.send('POST', '/api/v1/backfills', { ...body, token, source_id: 'src_x' });
    assertProblem(both, 400, 'invalid_request', ['body.token']);
    const { id } = await startBackfill(organization, ['acme/app'], { token });
    await worker.processAll();
    const done = await getBackfill(organization, id);
    assert.deepEqual([done.status, done.progress.done, done.source_id], ['done', 3, null]);
    assert.ok(!JSON.stringify(done).includes(token) && !testApp.logged().includes(token));
  });

  test('reads only runs created in its period', async () => {
    const runs = serve('acme/app', 40, 86_400);
    const { organization } = await newOrganization();
    await startBackfill(organization, ['acme/app'], { since: '2026-03-01', until: '2026-03-10' });
    await worker.processAll();
    const wanted = runs.filter(({ run }) => run.created_at >= '2026-03-01' && run.created_at < '2026-03-11');
    assert.equal(wanted.length, 10);
    assert.deepEqual(
      await runIdsOf(organization),
      wanted.map(({ run }) => `run_github_${run.id}`).toSorted(),
    );
  });

  test("halves slices with more runs than GitHub lists, also at GitHub's maximum count", async () => {
    fake.isTotalCapped = true;
    for (const each of serve('acme/app', 1_010, 600)) each.jobs = [];
    const { organization } = await newOrganization();
    const { id } = await startBackfill(organization, ['acme/app']);
    await worker.processAll();
    const done = await getBackfill(organization, id);
    assert.deepEqual(
      [done.status, done.progress, done.problems],
      ['done', { done: 1_010, total: 1_010 }, []],
    );
    assert.equal((await runIdsOf(organization)).length, 1_010);
  });

  test('reports runs that GitHub does not list even in slices of one second', async () => {
    serve('acme/app', 1_010, 0);
    const { organization } = await newOrganization();
    // Enough to count them and read a few.
    Object.assign(fake, { remaining: 60, resetSeconds: now.getTime() / 1_000 + 60 });
    const { id } = await startBackfill(organization, ['acme/app'], { since: '2026-03-17' });
    await worker.processAll();
    const done = await getBackfill(organization, id);
    assert.equal(done.progress.total, 1_000);
    assert.deepEqual(done.problems, [
      {
        repository: 'acme/app',
        is_refused: false,
        message: '1010 runs were created in the second 2026-03-18T09:00:00.000Z; GitHub lists 1000 of them.',
      },
    ]);
  });

  test('sends no event for a run, unlike a live report', async () => {
    const [{ run, jobs } = assert.fail('no runs')] = serve('acme/app', 3).toReversed();
    const { organization, source } = await newOrganization();
    await newWebhook(organization, { events: ['workflow.completed'], status: 'paused' });
    const announced = async () => {
      await testApp.worker.processAll();
      return (await eventsOf(testApp, organization, 'workflow.completed')).map(({ data }) => data.run.id);
    };
    await startBackfill(organization, ['acme/app']);
    assert.deepEqual(await announced(), []);
    assert.equal((await runIdsOf(organization)).length, 3);
    for (const { event, payload } of deliveriesOf({ run, jobs })) await source.deliver(event, payload);
    clock.forward(60);
    assert.deepEqual([...new Set(await announced())], [`run_github_${run.id}`]);
  });

  test('uses no rate limit for unchanged jobs', async () => {
    serve('acme/app', 10);
    const { organization } = await newOrganization();
    await startBackfill(organization, ['acme/app']);
    await worker.processAll();
    const before = await totalsOf(testApp, organization);
    fake.requests.length = 0;
    const { remaining } = fake;
    await startBackfill(organization, ['acme/app']);
    await worker.processAll();
    const unchanged = fake.requests.filter(({ status }) => status === 304);
    assert.ok(unchanged.length >= 8, `${unchanged.length} of ${fake.requests.length}`);
    assert.equal(remaining - fake.remaining, fake.requests.length - unchanged.length);
    assert.deepEqual(await totalsOf(testApp, organization), before);
  });
});

test('totals and pull requests are the same by webhook, by backfill, or both in any order', async () => {
  // The first recorded runs have no pull request.
  const runs = serve('acme/app', 60, 5_400).slice(-20);
  fake.repositories.set('acme/app', { runs });
  const byBackfill = await newOrganization();
  await startBackfill(byBackfill.organization, ['acme/app']);
  await worker.processAll();
  const expected = await totalsOf(testApp, byBackfill.organization);
  assert.ok(expected['organization_days']!.length > 100);
  const pullRequests = await pullRequestsOf(byBackfill.organization);
  assert.ok([...pullRequests.values()].some((number) => number !== null));
  const all = runs.flatMap(deliveriesOf);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(all, { minLength: 0, maxLength: all.length }),
      fc.nat({ max: all.length }),
      fc.constantFrom('both', 'webhooks'),
      async (drawn, place, way) => {
        const deliveries = way === 'webhooks' ? [...drawn, ...all] : drawn;
        const { organization, source } = await newOrganization();
        const deliver = async (some: typeof all) => {
          const answers = await Promise.all(some.map(({ event, payload }) => source.deliver(event, payload)));
          for (const answer of answers) assert.equal(answer.status, 202, answer.text);
        };
        await deliver(deliveries.slice(0, place));
        if (way === 'both') {
          await startBackfill(organization, ['acme/app']);
          await worker.processAll();
        }
        await deliver(deliveries.slice(place));
        assert.deepEqual(await totalsOf(testApp, organization), expected);
        assert.deepEqual(await pullRequestsOf(organization), pullRequests);
      },
    ),
    { numRuns: 8 },
  );
});

test('repeating a backfill changes nothing', async () => {
  serve('acme/app', 10);
  const { organization } = await newOrganization();
  await startBackfill(organization, ['acme/app']);
  await worker.processAll();
  const before = await totalsOf(testApp, organization);
  await testApp.app.db.deleteFrom('listedRuns').execute();
  await startBackfill(organization, ['acme/app'], { since: '60d' });
  await startBackfill(organization, ['ACME/app', 'acme/app']);
  await worker.processAll();
  assert.deepEqual(await totalsOf(testApp, organization), before);
});
