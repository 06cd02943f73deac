import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { storedCosts } from '../../../test/harness/storedCosts.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { doReprice, repricingPoller, repricingPollers } from './doReprice.ts';
import { getReprice } from './reprices.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const worker = createWorker(repricingPollers({ ...app, db: app.background }), app);
const reprices = '/api/v1/reprices';
const month = { from: '2026-03-01', to: '2026-03-31' };
const choose = (organization: TestOrganization, book_id: string) =>
  organization.send('PUT', '/api/v1/pricing', { book_id });

async function begin(organization: TestOrganization, body: object = month): Promise<string> {
  const answer = await organization.send('POST', reprices, body);
  assert.equal(answer.status, 202, answer.text);
  return answer.body.data.id;
}

async function finished(organization: TestOrganization, id: string): Promise<Answer['body']> {
  await worker.processAll();
  const { body } = await organization.get(`${reprices}/${id}`);
  assert.equal(body.data.status, 'done', JSON.stringify(body.data));
  return body.data;
}

async function revert(organization: TestOrganization, id: string): Promise<string> {
  const answer = await organization.send('POST', `${reprices}/${id}/revert`);
  assert.equal(answer.status, 202, answer.text);
  return answer.body.data.id;
}

async function totalCost(organization: TestOrganization): Promise<number> {
  return (await organization.get('/api/v1/dashboard/summary')).body.total_cost;
}

const storedOf = (orgId: string) => storedCosts(app.db, orgId);

async function assertSumsHold(orgId: string): Promise<void> {
  const { rows } = await sql<Record<string, bigint>>`
    select
      (select coalesce(sum(cost_nanos), 0)::int8 from jobs where org_id = ${orgId}) as jobs,
      (select coalesce(sum(cost_nanos), 0)::int8 from runs where org_id = ${orgId}) as runs,
      (select coalesce(sum(cost_nanos), 0)::int8 from workflow_days where org_id = ${orgId}) as workflow_days,
      (select coalesce(sum(cost_nanos), 0)::int8 from organization_days where org_id = ${orgId}) as organization_days,
      (select coalesce(sum(cost_nanos), 0)::int8 from runner_days where org_id = ${orgId}) as runner_days,
      (select coalesce(sum(unpriced_minutes), 0)::int8 from organization_days where org_id = ${orgId})
        - (select coalesce(sum(minutes), 0)::int8 from unpriced_days where org_id = ${orgId}) as unpriced
  `.execute(app.db);
  const { unpriced, ...costs } = rows[0]!;
  assert.equal(
    new Set(Object.values(costs)).size,
    1,
    JSON.stringify(rows[0], (_, value) => String(value)),
  );
  assert.equal(unpriced, 0n);
}

test('puts runs in the order of their new costs, also if they were created on the day before', async () => {
  const [organization, started_at] = [await testApp.newOrganization(), '2026-03-17T23:59:00Z'];
  const run = (run_id: string, runner: string, completed_at: string) =>
    newRun({ run_id, created_at: started_at, jobs: [newJob({ runner, started_at, completed_at })] });
  await submit(organization, run('a', 'linux_2_core', '2026-03-18T00:10:00Z'));
  await submit(organization, run('b', 'windows_2_core', '2026-03-18T00:05:00Z'));
  const first = async () => (await organization.get('/api/v1/costs/runs?sort=-cost')).body.data[0].id;
  assert.equal(await first(), 'run_api_b');
  await choose(organization, 'github_2026');
  await finished(organization, await begin(organization));
  assert.equal(await first(), 'run_api_a');
});

test('a reprice gives recorded jobs the current prices, everywhere', async () => {
  const organization = await testApp.newOrganization();
  const { body: recorded } = await submit(
    organization,
    newRun(),
    newRun({ jobs: [newJob({ labels: ['mystery'] })] }),
  );
  await choose(organization, 'github_2026');
  const rule = { match: 'label', pattern: 'mystery', runner_kind: 'linux_4_core' };
  await organization.send('POST', '/api/v1/pricing/rules', rule);
  assert.equal(await totalCost(organization), 0.04);
  const id = await begin(organization);
  const queued = (await organization.get(`${reprices}/${id}`)).body.data;
  assert.deepEqual([queued.status, queued.progress], ['queued', { done: 0, total: 2 }]);
  const done = await finished(organization, id);
  assert.deepEqual(done.progress, { done: 2, total: 2 });
  assert.deepEqual(
    [done.changed_jobs, done.cost_before, done.cost_after, done.difference, done.book_id],
    [2, 0.04, 0.09, 0.05, 'github_2026'],
  );
  assert.equal(await totalCost(organization), 0.09);
  assert.equal((await organization.get('/api/v1/pricing/unpriced')).body.data.length, 0);
  const run = await organization.get(`/api/v1/runs/${recorded.data.results[1].id}`);
  assert.equal(run.body.data.cost, 0.06);
  assert.equal(run.body.data.jobs[0].receipt.runner_rule, 'label:mystery');
  await assertSumsHold(organization.orgId);
  const { data } = (await organization.get(`${reprices}/${id}/changes`)).body;
  assert.deepEqual(
    data.map(({ before, after }: Json) => [before.cost, after.cost, after.price_book_id]).toSorted(),
    [
      [0, 0.06, 'github_2026'],
      [0.04, 0.03, 'github_2026'],
    ],
  );
  const again = await finished(organization, await begin(organization));
  assert.deepEqual([again.changed_jobs, again.difference], [0, 0]);
});

test('a reprice changes only the requested days', async () => {
  const organization = await testApp.newOrganization();
  const onDay = (day: string) =>
    newRun({ jobs: [newJob({ started_at: `${day}T23:50:00Z`, completed_at: `${day}T23:55:00Z` })] });
  await submit(organization, onDay('2026-03-15'), onDay('2026-03-16'), onDay('2026-03-17'));
  await choose(organization, 'github_2026');
  await finished(organization, await begin(organization, { from: '2026-03-16', to: '2026-03-16' }));
  assert.equal(await totalCost(organization), 0.11);
  await assertSumsHold(organization.orgId);
});

test('a dry run computes what would change and changes nothing', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  await choose(organization, 'github_2026');
  const before = await storedOf(organization.orgId);
  const id = await begin(organization, { ...month, dry_run: true });
  const done = await finished(organization, id);
  assert.deepEqual([done.dry_run, done.changed_jobs, done.difference], [true, 1, -0.01]);
  assert.deepEqual(await storedOf(organization.orgId), before);
  const refused = await organization.send('POST', `${reprices}/${id}/revert`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'reprice_was_dry_run']);
  const { data, pagination } = (await organization.get(`${reprices}/${id}/changes`)).body;
  assert.deepEqual([data, pagination.total], [[], 0]);
});

test('an undo skips what has changed since', async () => {
  const organization = await testApp.newOrganization();
  const late = newRun({ jobs: [newJob()] });
  await submit(organization, newRun(), late);
  await choose(organization, 'github_2026');
  const id = await begin(organization);
  await finished(organization, id);
  // A later report says that the job took ten minutes, so it is priced with the current list.
  const [job] = late['jobs'] as Record<string, unknown>[];
  clock.forward(60);
  await submit(organization, { ...late, jobs: [{ ...job, completed_at: '2026-03-18T10:10:00Z' }] });
  assert.equal(await totalCost(organization), 0.09);
  const done = await finished(organization, await revert(organization, id));
  assert.deepEqual([done.reverts, done.changed_jobs, done.skipped_jobs], [id, 1, 1]);
  assert.equal(await totalCost(organization), 0.1);
  await assertSumsHold(organization.orgId);
  const { body } = await organization.get('/api/v1/audit-log');
  const actions = body.data.map(({ action }: { action: string }) => action);
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith('reprice')),
    ['reprice.revert', 'reprice.create'],
  );
});

test('an undo skips runs that were deleted since, and counts them in all its pieces', async () => {
  const organization = await testApp.newOrganization();
  const { body } = await submit(organization, newRun(), newRun(), newRun());
  await choose(organization, 'github_2026');
  const { id } = await finished(organization, await begin(organization));
  for (const run of body.data.results.slice(1)) await organization.send('DELETE', `/api/v1/runs/${run.id}`);
  const undo = await revert(organization, id);
  while (await repricingPoller(app, 1).run(new AbortController().signal));
  const done = await finished(organization, undo);
  assert.deepEqual([done.changed_jobs, done.skipped_jobs, done.difference], [1, 2, 0.01]);
  assert.equal(await totalCost(organization), 0.04);
  await assertSumsHold(organization.orgId);
  // The log still has their cost.
  assert.equal((await organization.get(`${reprices}/${id}/changes`)).body.data.length, 3);
});

const anyJob = fc.record({
  labels: fc.constantFrom(['ubuntu-latest'], ['mystery'], ['macos-15'], ['self-hosted'], ['linux-8-core']),
  seconds: fc.integer({ min: 0, max: 4_000 }),
  conclusion: fc.constantFrom('success', 'skipped', 'failure'),
  hour: fc.integer({ min: 0, max: 71 }),
});
const anyRuns = fc.array(
  fc.record({
    provider: fc.constantFrom('api', 'gitlab'),
    jobs: fc.array(anyJob, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
);

type AnyRuns = typeof anyRuns extends fc.Arbitrary<infer R> ? R : never;

function submitted(runs: AnyRuns): Record<string, unknown>[] {
  return runs.map(({ provider, jobs }) =>
    newRun({
      provider,
      jobs: jobs.map(({ seconds, hour, ...job }, index) => {
        const startedAt = Date.parse('2026-03-15T00:00:00Z') + hour * 3_600_000 + index;
        const completedAt = startedAt + seconds * 1_000;
        return newJob({
          ...job,
          started_at: new Date(startedAt).toISOString(),
          completed_at: new Date(completedAt).toISOString(),
        });
      }),
    }),
  );
}

test('a reprice and its undo leave every table as it was, and lose no reports between', async () => {
  // Small pieces, so that something can happen between them.
  const piece = repricingPoller(app, 3);
  const oneMore = () => piece.run(new AbortController().signal);
  await fc.assert(
    fc.asyncProperty(anyRuns, anyRuns, fc.nat({ max: 4 }), async (early, late, at) => {
      const organization = await testApp.newOrganization();
      const { orgId } = organization;
      await submit(organization, ...submitted(early));
      const rules = '/api/v1/pricing/rules';
      const own = { match: 'regex', pattern: 'myst|gpu', name: 'Own', usd_per_minute: 0.0000007 };
      await organization.send('POST', rules, { ...own, rounding: 'second' });
      await organization.send('POST', rules, {
        match: 'label',
        pattern: 'self-hosted',
        runner_kind: 'linux_slim',
      });
      await choose(organization, 'github_2026');
      const before = await storedOf(orgId);
      const id = await begin(organization);
      for (let pieces = 0; pieces < at; pieces++) await oneMore();
      const lateRuns = submitted(late);
      await submit(organization, ...lateRuns);
      await assertSumsHold(orgId);
      while (await oneMore());
      await assertSumsHold(orgId);
      await finished(organization, await revert(organization, id));
      await assertSumsHold(orgId);
      const lateIds = new Set(
        lateRuns.map((run) => `run_${String(run['provider'])}_${String(run['run_id'])}`),
      );
      const after = await storedOf(orgId);
      const ofEarly = (stored: Record<string, unknown[]>, table: 'runs' | 'jobs') =>
        stored[table]!.filter(
          (row) => !lateIds.has(String((row as Json)[table === 'runs' ? 'id' : 'run_id'])),
        );
      assert.deepEqual(ofEarly(after, 'runs'), before['runs']);
      assert.deepEqual(ofEarly(after, 'jobs'), before['jobs']);
      assert.equal(after['runs']!.length, before['runs']!.length + lateRuns.length);
    }),
    { numRuns: 8 },
  );
});

test('with no reports between, the rollups are the same too', async () => {
  await fc.assert(
    fc.asyncProperty(anyRuns, async (runs) => {
      const organization = await testApp.newOrganization();
      await submit(organization, ...submitted(runs));
      const rule = { match: 'label', pattern: 'mystery', name: 'Own', usd_per_minute: 0.01 };
      await organization.send('POST', '/api/v1/pricing/rules', rule);
      await choose(organization, 'github_2026');
      const before = await storedOf(organization.orgId);
      const id = await begin(organization);
      await finished(organization, id);
      const repriced = await storedOf(organization.orgId);
      const revertId = await revert(organization, id);
      await finished(organization, revertId);
      assert.deepEqual(await storedOf(organization.orgId), before);
      // An undo can be undone too.
      await finished(organization, await revert(organization, revertId));
      assert.deepEqual(await storedOf(organization.orgId), repriced);
    }),
    { numRuns: 5 },
  );
});

test('progress never exceeds the total, whatever is recorded meanwhile', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun(), newRun(), newRun());
  await choose(organization, 'github_2026');
  const id = await begin(organization);
  const piece = repricingPoller(app, 2);
  const progress = async () => (await organization.get(`${reprices}/${id}`)).body.data.progress;
  await piece.run(new AbortController().signal);
  assert.deepEqual(await progress(), { done: 2, total: 3 });
  const later = { started_at: '2026-03-18T11:00:00Z', completed_at: '2026-03-18T11:05:00Z' };
  await submit(organization, newRun({ jobs: [newJob(later), newJob(later)] }));
  await piece.run(new AbortController().signal);
  assert.deepEqual(await progress(), { done: 4, total: 4 });
  assert.deepEqual((await finished(organization, id)).progress, { done: 5, total: 5 });
});

test('reprices are undone one by one, the last first; an earlier one has no effect while a later one holds', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const rules = '/api/v1/pricing/rules';
  await choose(organization, 'github_2026');
  const first = await begin(organization);
  await finished(organization, first);
  const own = { match: 'label', pattern: 'linux_2_core', name: 'Own', usd_per_minute: 1 };
  await organization.send('POST', rules, own);
  const second = await begin(organization);
  await finished(organization, second);
  assert.equal(await totalCost(organization), 5);
  const tooEarly = await finished(organization, await revert(organization, first));
  assert.deepEqual([tooEarly.changed_jobs, tooEarly.skipped_jobs], [0, 1]);
  assert.equal(await totalCost(organization), 5);
  await finished(organization, await revert(organization, second));
  assert.equal(await totalCost(organization), 0.03);
  await finished(organization, await revert(organization, first));
  assert.equal(await totalCost(organization), 0.04);
  await assertSumsHold(organization.orgId);
});

test('an undo restores a price list that was deleted since', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const books = '/api/v1/pricing/books';
  const copied = await organization.send('POST', books, { name: 'Ours', based_on: 'github_2026' });
  assert.equal(copied.status, 201, copied.text);
  const bookId: string = copied.body.data.id;
  await choose(organization, bookId);
  const id = await begin(organization);
  assert.equal((await finished(organization, id)).cost_after, 0.03);
  await choose(organization, 'github_2025');
  await organization.send('DELETE', `${books}/${bookId}`);
  const revertId = await revert(organization, id);
  await finished(organization, revertId);
  assert.equal(await totalCost(organization), 0.04);
  await finished(organization, await revert(organization, revertId));
  const { data } = (await organization.get(`${reprices}/${id}/changes`)).body;
  assert.equal(data[0].after.price_book_id, bookId);
  assert.equal(await totalCost(organization), 0.03);
});

test('an interrupted piece leaves nothing behind, and the next one starts at the same place', async () => {
  const organization = await testApp.newOrganization();
  const { orgId } = organization;
  await submit(organization, newRun(), newRun());
  await choose(organization, 'github_2026');
  const id = await begin(organization);
  const before = await storedOf(orgId);
  const task = await getReprice({ db: app.db, actor: { ...cliActor(orgId) } }, id);
  const dies = doReprice(app)(task, () => Promise.reject(new Error('killed')), new AbortController().signal);
  await assert.rejects(dies, /killed/);
  assert.deepEqual(await storedOf(orgId), before);
  assert.deepEqual((await organization.get(`${reprices}/${id}/changes`)).body.data, []);
  assert.equal((await finished(organization, id)).changed_jobs, 2);
  await assertSumsHold(orgId);
});

describe('one at a time', () => {
  test('a second one waits until the first ends or is cancelled', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    const id = await begin(organization);
    const second = await organization.send('POST', reprices, month);
    assert.deepEqual([second.status, second.body.code], [409, 'reprice_under_way']);
    const reverted = await organization.send('POST', `${reprices}/${id}/revert`);
    assert.equal(reverted.body.code, 'reprice_under_way');
    const cancelled = await organization.send('POST', `${reprices}/${id}/cancel`);
    assert.equal(cancelled.body.data.status, 'cancelled');
    const ended = await organization.send('POST', `${reprices}/${id}/cancel`);
    assert.equal(ended.status, 409);
    clock.forward(1);
    await finished(organization, await begin(organization));
    const { body } = await organization.get(reprices);
    assert.deepEqual(
      [body.pagination.total, body.data.map(({ status }: { status: string }) => status)],
      [2, ['done', 'cancelled']],
    );
  });

  test('its days must be in order', async () => {
    const organization = await testApp.newOrganization();
    const answer = await organization.send('POST', reprices, { from: '2026-03-02', to: '2026-03-01' });
    assert.deepEqual([answer.status, answer.body.errors[0].path], [400, 'body.to']);
  });

  test('other organizations cannot see it, and only admins start it', async () => {
    const organization = await testApp.newOrganization();
    const stranger = await testApp.newOrganization();
    const id = await begin(organization);
    assert.equal((await stranger.get(`${reprices}/${id}`)).status, 404);
    assert.equal((await stranger.get(`${reprices}/${id}/changes`)).status, 404);
    assert.equal((await stranger.send('POST', `${reprices}/${id}/revert`)).status, 404);
    assert.equal((await stranger.send('POST', `${reprices}/${id}/cancel`)).status, 404);
    assert.equal((await stranger.get(reprices)).body.data.length, 0);
    const member = await organization.newToken('member');
    assert.equal((await organization.send('POST', reprices, month, member)).status, 403);
    await worker.processAll();
  });
});
