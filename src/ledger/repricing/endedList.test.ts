import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { repricingPollers } from './doReprice.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
// All pollers would take several times as long.
const worker = createWorker(repricingPollers({ ...app, db: app.background }), app);
const noon = '2026-03-18T12:00:00Z';

const choose = (organization: TestOrganization, book_id: string) =>
  organization.send('PUT', '/api/v1/pricing', { book_id });

async function chosenBook(organization: TestOrganization): Promise<string> {
  return (await organization.get('/api/v1/pricing')).body.data.book.id;
}

async function endedList(organization: TestOrganization): Promise<Json> {
  const { status, body, text } = await organization.get('/api/v1/dashboard/outlook');
  assert.equal(status, 200, text);
  return body.data.ended_price_list;
}

async function finished(organization: TestOrganization, id: string): Promise<Json> {
  await worker.processAll();
  const { body } = await organization.get(`/api/v1/reprices/${id}`);
  assert.equal(body.data.status, 'done', JSON.stringify(body.data));
  return body.data;
}

function runAt(completed_at: string, job: Record<string, unknown> = {}) {
  const started_at = new Date(Date.parse(completed_at) - 300_000).toISOString();
  return newRun({ created_at: started_at, started_at, jobs: [newJob({ started_at, completed_at, ...job })] });
}

describe('the outlook', () => {
  test('says that the chosen list has ended, which one replaces it, and the cost of the jobs since', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runAt('2025-12-31T23:59:59.999Z'),
      runAt('2026-01-01T00:00:00Z'),
      runAt('2026-03-18T10:00:00Z', { runner: 'macos_3_core' }),
    );
    assert.deepEqual(await endedList(organization), {
      book: {
        id: 'github_2025',
        name: "GitHub's price list until 2025-12-31",
      },
      last_day: '2025-12-31',
      next_book: {
        id: 'github_by_date',
        name: 'GitHub, by the date of each job',
      },
      period: {
        start: '2026-01-01',
        end: '2026-03-18',
        days: 77,
      },
      cost_now: 0.44,
      cost_then: 0.34,
      difference: -0.1,
    });
    const stranger = await testApp.newOrganization();
    const theirs = await endedList(stranger);
    assert.deepEqual([theirs.cost_now, theirs.cost_then, theirs.difference], [0, 0, 0]);
  });

  test('says so from the day after its last one, and not about a valid list', async () => {
    const organization = await testApp.newOrganization();
    try {
      clock.set('2025-12-31T23:59:59.999Z');
      assert.equal(await endedList(organization), null);
      clock.set('2026-01-01T00:00:00Z');
      const { period } = await endedList(organization);
      assert.deepEqual(period, { start: '2026-01-01', end: '2026-01-01', days: 1 });
    } finally {
      clock.set(noon);
    }
    const own = { name: 'Negotiated', based_on: 'github_2025' };
    const { body } = await organization.send('POST', '/api/v1/pricing/books', own);
    for (const id of ['github_2026', 'github_by_date', body.data.id]) {
      await choose(organization, id);
      assert.equal(await endedList(organization), null);
    }
    // After choosing the old list again, its end is shown again.
    await choose(organization, 'github_2025');
    assert.equal((await endedList(organization)).last_day, '2025-12-31');
  });

  test('counts the days that the plan shows', async () => {
    const organization = await testApp.newOrganization({ plan: 'free' });
    await submit(organization, runAt('2026-02-16T23:59:59Z'), runAt('2026-02-17T00:00:00Z'));
    const { period, difference } = await endedList(organization);
    assert.deepEqual([period.start, period.days, difference], ['2026-02-17', 30, -0.01]);
  });
});

describe('the switch', () => {
  test('chooses the next list and reprices the jobs since, and can be undone', async () => {
    const organization = await testApp.newOrganization();
    const times = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-03-18T10:00:00Z'];
    await submit(organization, ...times.map((time) => runAt(time)));
    const { difference } = await endedList(organization);
    const started = await organization.send('POST', '/api/v1/pricing/switch');
    assert.equal(started.status, 202, started.text);
    const { id, status, from, to, book_id } = started.body.data;
    assert.deepEqual([status, from, to, book_id], ['queued', '2026-01-01', '2026-03-18', 'github_by_date']);
    assert.equal(await chosenBook(organization), 'github_by_date');
    assert.equal(await endedList(organization), null);
    const done = await finished(organization, id);
    assert.deepEqual([done.changed_jobs, done.difference], [2, difference]);
    const { body } = await organization.get('/api/v1/dashboard/trends', { days: 90 });
    assert.deepEqual(
      body.data.flatMap(({ date, cost }: Json) => (cost === 0 ? [] : [[date, cost]])),
      [
        ['2025-12-31', 0.04],
        ['2026-01-01', 0.03],
        ['2026-03-18', 0.03],
      ],
    );
    const audited = (await organization.get('/api/v1/audit-log')).body.data.slice(0, 2);
    assert.deepEqual(
      audited.map(({ action, details }: Json) => [action, details.book_id]),
      [
        ['reprice.create', 'github_by_date'],
        ['pricing.update', 'github_by_date'],
      ],
    );
    const reverted = await organization.send('POST', `/api/v1/reprices/${id}/revert`);
    assert.equal((await finished(organization, reverted.body.data.id)).changed_jobs, 2);
  });

  test('changes nothing if the list has not ended or another reprice is running', async () => {
    const organization = await testApp.newOrganization();
    const { body: begun } = await organization.send('POST', '/api/v1/reprices', {
      from: '2026-03-01',
      to: '2026-03-31',
    });
    const busy = await organization.send('POST', '/api/v1/pricing/switch');
    assert.deepEqual([busy.status, busy.body.code], [409, 'reprice_under_way']);
    assert.equal(await chosenBook(organization), 'github_2025');
    await finished(organization, begun.data.id);

    await choose(organization, 'github_2026');
    const held = await organization.send('POST', '/api/v1/pricing/switch');
    assert.deepEqual([held.status, held.body.code], [409, 'price_list_holds']);
    assert.match(held.body.detail, /GitHub's price list from 2026-01-01/);
    assert.equal(await chosenBook(organization), 'github_2026');
    assert.equal((await organization.get('/api/v1/reprices')).body.pagination.total, 1);
  });

  test('is for admins of the organization only', async () => {
    const organization = await testApp.newOrganization();
    const stranger = await testApp.newOrganization();
    const member = await organization.newToken('member');
    assert.equal((await organization.send('POST', '/api/v1/pricing/switch', undefined, member)).status, 403);
    assert.equal((await stranger.send('POST', '/api/v1/pricing/switch')).status, 202);
    assert.equal(await chosenBook(organization), 'github_2025');
    assert.equal((await organization.get('/api/v1/reprices')).body.pagination.total, 0);
    await worker.processAll();
  });
});

const anyJob = fc.record({
  labels: fc.constantFrom(
    ['ubuntu-latest'],
    ['windows-2025'],
    ['macos-15'],
    ['ubuntu-24.04-arm'],
    ['linux-8-core'],
    ['linux_16_core'],
    ['self-hosted'],
    ['depot-4'],
    ['mystery'],
    ['own'],
    ['by-second'],
    ['gitlab_linux_small'],
    ['saas-linux-medium-amd64'],
  ),
  seconds: fc.integer({ min: 0, max: 4_000 }),
  milliseconds: fc.constantFrom(0, 1, 999),
  conclusion: fc.constantFrom('success', 'failure', 'skipped'),
  minute: fc.integer({ min: -1_440, max: 2 * 1_440 }),
});
const anyRun = fc.record({
  provider: fc.constantFrom('api', 'gitlab'),
  jobs: fc.array(anyJob, { minLength: 1, maxLength: 6 }),
});
const newYear = Date.parse('2026-01-01T00:00:00Z');

function submitted({ provider, jobs }: typeof anyRun extends fc.Arbitrary<infer R> ? R : never) {
  return newRun({
    provider,
    jobs: jobs.map(({ seconds, milliseconds, minute, ...job }) => {
      const completedAt = newYear + minute * 60_000;
      const startedAt = completedAt - seconds * 1_000 - milliseconds;
      return newJob({
        ...job,
        started_at: new Date(startedAt).toISOString(),
        completed_at: new Date(completedAt).toISOString(),
      });
    }),
  });
}

test('the difference is to the nano-dollar what the reprice changes, for any runners, rules and former lists', async () => {
  const runs = fc.array(anyRun, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(runs, runs, async (early, late) => {
      const organization = await testApp.newOrganization();
      for (const rule of [
        { match: 'label', pattern: 'own', name: 'Own', usd_per_minute: 0.0000007, rounding: 'second' },
        { match: 'label', pattern: 'by-second', runner_kind: 'linux_64_core', rounding: 'second' },
      ]) {
        assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
      }
      await choose(organization, 'github_2026');
      await submit(organization, ...early.map(submitted));
      await choose(organization, 'github_2025');
      await submit(organization, ...late.map(submitted));
      const ended = await endedList(organization);
      const { body } = await organization.send('POST', '/api/v1/pricing/switch');
      const done = await finished(organization, body.data.id);
      assert.deepEqual(
        [ended.cost_now, ended.cost_then, ended.difference],
        [done.cost_before, done.cost_after, done.difference],
      );
    }),
    { numRuns: 25 },
  );
});
