import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource, serveRuns, startBackfill } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import {
  figuresOf as figuresIn,
  keep,
  retentionOf,
  runAt,
  workerOf,
} from '../../../test/harness/retention.ts';
import { submit } from '../../../test/harness/submission.ts';
import { auditOf } from '../../../test/harness/webhooks.ts';
import { gitHubJob } from '../../../test/payloads/gitHub.ts';
import { verifyRollups } from '../runs/verifyRollups.ts';
import { retentionPollers, removalPoller } from './removeRuns.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url, RETENTION_DAYS: 'free=90,pro=400' });
const { app, worker, clock } = testApp;
/** The first day to keep with a retention of 90 days. */
const firstDay = '2025-12-18';

async function storedRuns({ orgId }: TestOrganization): Promise<string[]> {
  const rows = await app.db
    .selectFrom('runs')
    .select('id')
    .where('orgId', '=', orgId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Neither exports nor sums up anything. */
const plain = {
  retentionDays: {},
  exportRemoved: null,
  sumBefore: () => Promise.resolve(true),
  isSummed: () => Promise.resolve(true),
};

const figuresOf = (organization: TestOrganization) => figuresIn(testApp, organization);

describe('a removal', () => {
  test('leaves newer runs, says how far it is, and is in the audit log', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    const [old, edge] = [runAt('2025-12-17T23:59:59Z'), runAt('2025-12-18T00:00:00Z')];
    await submit(organization, old, edge);
    assert.deepEqual((await retentionOf(organization)).removal, null);
    const preview = await organization.get('/api/v1/retention', { days: 90 });
    assert.equal(preview.body.data.runs_to_remove, 1);
    await keep(organization, 90);
    await worker.processAll();
    assert.deepEqual(await storedRuns(organization), [`run_api_${String(edge['run_id'])}`]);
    const { removal, ...status } = await retentionOf(organization);
    assert.deepEqual(status, {
      run_retention_days: 90,
      max_retention_days: null,
      retention_days: 90,
      details_from: firstDay,
      first_kept_day: firstDay,
      runs_to_remove: 0,
      export_before_removal: false,
    });
    assert.deepEqual(
      [removal.before, removal.status, removal.progress, removal.jobs_removed],
      [firstDay, 'done', { done: 1, total: 1 }, 1],
    );
    const [entry] = await auditOf(organization, removal.id);
    assert.deepEqual(
      [entry.actor, entry.action, entry.details],
      ['retention', 'run.remove_old', { before: firstDay, runs: 1 }],
    );
    assertProblem(
      await organization.get(`/api/v1/runs/run_api_${String(old['run_id'])}`),
      404,
      'run_not_found',
    );
    for (const list of ['costs/runs', 'costs/jobs']) {
      const answer = await organization.get(`/api/v1/${list}`, { days: 365 });
      assert.equal(answer.body.data.length, 1, answer.text);
    }
  });

  test('removes everything that only these runs need', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    await submit(organization, runAt('2025-10-01T10:00:00Z'), runAt('2025-10-02T10:00:00Z'));
    await organization.send('POST', '/api/v1/pricing/rules', {
      match: 'label',
      pattern: 'linux_2_core',
      name: 'Own',
      usd_per_minute: 1,
    });
    const { id } = (
      await organization.send('POST', '/api/v1/reprices', { from: '2025-10-01', to: '2025-10-02' })
    ).body.data;
    await worker.processAll();
    const changes = async () => (await organization.get(`/api/v1/reprices/${id}/changes`)).body.data.length;
    const before = await figuresOf(organization);
    assert.equal(await changes(), 2);
    await keep(organization, 90);
    await worker.processAll();
    assert.equal(await changes(), 0);
    assert.deepEqual(await figuresOf(organization), before);
    for (const table of ['runs', 'jobs', 'run_completions', 'day_columns', 'listed_runs']) {
      const { rows } =
        await sql`select 1 from ${sql.table(table)} where org_id = ${organization.orgId}`.execute(app.db);
      assert.deepEqual([table, rows.length], [table, 0]);
    }
  });

  test('goes on after a failure in the middle of a piece, and loses and repeats nothing', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    const runs = Array.from({ length: 6 }, (_, index) => runAt(`2025-11-0${index + 1}T10:00:00Z`));
    await submit(organization, ...runs);
    const before = await figuresOf(organization);
    await keep(organization, 90);
    let pieces = 0;
    const failing = workerOf(testApp, 2, {
      deleteRunDependents: async (...given) => {
        await app.deleteRunDependents(...given);
        if (++pieces === 2) throw new Error('the database went away');
      },
    });
    await assert.rejects(failing.processAll());
    assert.equal((await storedRuns(organization)).length, 4);
    assert.equal((await retentionOf(organization)).runs_to_remove, 4);
    assert.deepEqual(await figuresOf(organization), before);
    clock.forward(60);
    await (await testApp.secondWorker()).processAll();
    assert.deepEqual(await storedRuns(organization), []);
    assert.deepEqual(await figuresOf(organization), before);
    assert.deepEqual((await retentionOf(organization)).removal.progress, { done: 6, total: 6 });
  });

  test('ends when somebody sets a longer time, and says which days it has removed', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runAt('2025-11-01T10:00:00Z'), runAt('2025-11-05T10:00:00Z'));
    await keep(organization, 90);
    const program = { ...app, ...plain };
    const [start] = retentionPollers(program);
    const piece = removalPoller(program, 1);
    const { signal } = new AbortController();
    await start!.run(signal);
    await piece.run(signal);
    await keep(organization, null);
    await piece.run(signal);
    const { details_from: from, removal } = await retentionOf(organization);
    assert.deepEqual([from, removal.status], ['2025-11-02', 'done']);
    assert.equal((await storedRuns(organization)).length, 1);
  });

  test('of the server applies to everybody; the shorter time wins', async () => {
    const [own, none] = [await testApp.newOrganization(), await testApp.newOrganization()];
    await keep(own, 400);
    for (const each of [own, none]) await submit(each, runAt('2025-10-01T10:00:00Z'));
    const retentionDays = { free: 120, pro: 120, team: 120 };
    await workerOf(testApp, 100, { retentionDays }).processAll();
    for (const each of [own, none]) assert.deepEqual(await storedRuns(each), []);
  });

  test('of the server can differ by plan', async () => {
    const [free, team] = [
      await testApp.newOrganization({ plan: 'free' }),
      await testApp.newOrganization({ plan: 'team' }),
    ];
    for (const each of [free, team]) await submit(each, runAt('2025-10-01T10:00:00Z'));
    await workerOf(testApp, 100, { retentionDays: { free: 120, pro: 120 } }).processAll();
    assert.deepEqual([(await storedRuns(free)).length, (await storedRuns(team)).length], [0, 1]);
  });

  test('says what a change of plan would remove, before it is made', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    await submit(organization, runAt('2025-12-17T23:59:59Z'), runAt('2025-12-18T00:00:00Z'));
    const asked = async (query?: { plan?: string; days?: number }) => {
      const { body } = await organization.get('/api/v1/retention', query);
      const { max_retention_days: max, retention_days: days, first_kept_day: first } = body.data;
      return [max, days, first, body.data.runs_to_remove];
    };
    assert.deepEqual(await asked(), [null, null, null, 0]);
    assert.deepEqual(await asked({ plan: 'free' }), [90, 90, firstDay, 1]);
    assert.deepEqual(await asked({ plan: 'pro' }), [400, 400, '2025-02-11', 0]);
    await keep(organization, 100);
    assert.deepEqual(await asked({ plan: 'pro' }), [400, 100, '2025-12-08', 0]);
    assert.deepEqual(await asked({ plan: 'free', days: 120 }), [90, 90, firstDay, 1]);
    assertProblem(await organization.get('/api/v1/retention', { plan: 'gold' }), 400, 'invalid_request');
  });

  test('leaves nothing behind when the organization is deleted', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runAt('2025-10-01T10:00:00Z'));
    await keep(organization, 90);
    await worker.processAll();
    await organization.send('DELETE', '/api/v1/organization?confirm=Acme');
    await worker.processAll();
    for (const table of ['removed_runs', 'kept_columns', 'organization_days', 'organizations']) {
      const { rows } =
        await sql`select 1 from ${sql.table(table)} where org_id = ${organization.orgId}`.execute(app.db);
      assert.deepEqual([table, rows.length], [table, 0]);
    }
  });
});

describe('a removed run', () => {
  test('is not recorded again by a submission, a re-run, a webhook, a trace or a backfill', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    const old = runAt('2025-12-17T23:58:00Z', { provider: 'otlp', run_id: '17' });
    await submit(organization, old);
    const source = await newReadingSource(testApp, organization, fake);
    const times = { created_at: '2025-12-17T23:50:00Z', started_at: '2025-12-18T00:01:00Z' };
    const job = gitHubJob({
      ...times,
      run_id: 7,
      id: 70,
      status: 'completed',
      completed_at: '2025-12-18T00:09:00Z',
    });
    assert.equal((await source.deliver('workflow_job', job)).body.data.status, 'recorded');
    await keep(organization, 90);
    await worker.processAll();
    assert.deepEqual(await storedRuns(organization), []);
    const before = await figuresOf(organization);

    const why = `was created before ${firstDay}; earlier runs were removed and are not recorded again`;
    const again = await organization.send('POST', '/api/v1/runs', { runs: [{ ...old, run_attempt: 2 }] });
    assertProblem(again, 400, 'invalid_request', ['body.runs[0].created_at']);
    assert.match(again.text, new RegExp(why));
    const mixed = await organization.send('POST', '/api/v1/runs', {
      runs: [old, { ...old, run_attempt: 2 }, 7],
    });
    assert.equal(mixed.status, 400);

    // A later attempt: only its id shows that the run is old.
    const rerun = gitHubJob({
      run_id: 7,
      id: 71,
      run_attempt: 2,
      status: 'completed',
      created_at: '2026-03-18T09:00:00Z',
      started_at: '2026-03-18T09:01:00Z',
      completed_at: '2026-03-18T09:05:00Z',
    });
    for (const payload of [job, rerun]) {
      const { status, body } = await source.deliver('workflow_job', payload);
      assert.deepEqual([status, body.data.status, body.data.reason], [202, 'ignored', `the run ${why}`]);
    }
    const metrics = await app.scrape();
    assert.match(metrics, /runcost_rejected_events_total\{[^}]*reason="run_removed"[^}]*\} 2/);

    serveRuns(fake, 'acme/app', 3);
    const refused = await organization.send('POST', '/api/v1/backfills', {
      repositories: ['acme/app'],
      since: '2025-11-01',
      until: '2025-12-01',
    });
    assertProblem(refused, 400, 'invalid_request', ['body.until']);
    const started = await startBackfill(organization, ['acme/app'], {
      since: '2025-11-01',
      until: '2025-12-31',
    });
    assert.equal(started.since, `${firstDay}T00:00:00.000Z`);
    assert.deepEqual(await figuresOf(organization), before);
  });

  test('keeps its cost: a reprice starts at the first kept day', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runAt('2025-10-01T10:00:00Z'));
    await keep(organization, 90);
    await worker.processAll();
    const reprice = (from: string, to: string) => organization.send('POST', '/api/v1/reprices', { from, to });
    assertProblem(await reprice('2025-10-01', '2025-12-17'), 400, 'invalid_request', ['body.to']);
    const { body } = await reprice('2025-10-01', '2026-03-18');
    assert.deepEqual([body.data.from, body.data.to], [firstDay, '2026-03-18']);
  });

  test('keeps its cost and the name of its workflow when the last other run is deleted', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    const late = runAt('2026-03-01T10:00:00Z');
    await submit(organization, runAt('2025-10-01T10:00:00Z'));
    const before = await figuresOf(organization);
    await submit(organization, late);
    await keep(organization, 90);
    await worker.processAll();
    await organization.send('DELETE', `/api/v1/runs/run_api_${String(late['run_id'])}`);
    assert.deepEqual(await figuresOf(organization), before);
  });
});

test('a verification compares every day that has lost no run', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runAt('2025-10-01T10:00:00Z'), runAt('2026-03-01T10:00:00Z'));
  await keep(organization, 90);
  await worker.processAll();
  const verified = () =>
    app.db
      .transaction()
      .execute((tx) => verifyRollups(tx, organization.orgId, { providers: app.providers, report: () => {} }));
  const { days, removedDays, differences } = await verified();
  assert.deepEqual([days, removedDays, differences], [2, 1, []]);
  await sql`update workflow_days set jobs = jobs + 1 where org_id = ${organization.orgId}`.execute(app.db);
  assert.deepEqual(
    (await verified()).differences.map(({ table, day }) => [table, day]),
    [['workflow_days', '2026-03-01']],
  );
});

describe('the retention', () => {
  test('is at least 90 days, for readers of the organization only', async () => {
    const organization = await testApp.newOrganization();
    const put = (days: unknown) =>
      organization.send('PUT', '/api/v1/organization', { run_retention_days: days });
    for (const days of [89, 0, '90', 100.5]) {
      assertProblem(await put(days), 400, 'invalid_request', ['body.run_retention_days']);
    }
    assert.equal((await put(90)).body.data.run_retention_days, 90);
    const entries = await auditOf(organization, organization.orgId);
    const { details } = entries.find(({ action }: { action: string }) => action === 'organization.update');
    assert.deepEqual(details, { run_retention_days: 90, before: { run_retention_days: null } });
    assertProblem(await organization.get('/api/v1/retention', { days: 30 }), 400, 'invalid_request', [
      'query.days',
    ]);
    const url = '/api/v1/retention';
    const of = (token?: string, path = url) =>
      request(testApp.server, {
        method: 'GET',
        url: path,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    assertProblem(await of(), 401, 'token_missing');
    assertProblem(await of(await organization.newToken('viewer', ['costs:read'])), 403, 'scope_missing');
    const stranger = await testApp.newOrganization();
    assert.equal((await of(stranger.token, `${url}?org_id=${organization.orgId}`)).status, 403);
  });
});

describe('waste of removed runs', () => {
  const run = runAt('2025-11-01T10:00:00Z');
  const wasteOf = async (organization: TestOrganization): Promise<unknown> => {
    const { body } = await organization.get('/api/v1/waste', { from: '2025-10-15', to: '2025-12-15' });
    return body.data.total_cost;
  };

  test('is whole before the first of them is removed', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    await submit(organization, run);
    await keep(organization, 90);
    const [start] = retentionPollers({ ...app, ...plain });
    await start!.run(new AbortController().signal);
    assert.equal((await retentionOf(organization)).details_from, firstDay);
    assert.equal(await wasteOf(organization), 0.04);
    await worker.processAll();
    assert.deepEqual(await storedRuns(organization), []);
    assert.equal(await wasteOf(organization), 0.04);
  });

  test('stays if the removal before failed', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    await submit(organization, run);
    await keep(organization, 90);
    const failing = workerOf(testApp, 2, { sumBefore: () => Promise.reject(new Error('no sums')) });
    // Five attempts at it, and at tasks that other tests left.
    for (let tries = 0; tries < 12; tries++) {
      await failing.processAll().catch(() => {});
      clock.forward(100);
    }
    assert.equal((await retentionOf(organization)).removal.status, 'failed');
    clock.forward(86_400);
    await workerOf(testApp, 2).processAll();
    assert.deepEqual(await storedRuns(organization), []);
    assert.equal(await wasteOf(organization), 0.04);
  });

  test('stays if somebody holds their day while it is summed up', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    await submit(organization, run);
    await keep(organization, 90);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = app.db.transaction().execute(async (tx) => {
      await sql`update workflow_days set jobs = jobs where org_id = ${organization.orgId}`.execute(tx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    await workerOf(testApp, 2).processAll();
    release.resolve();
    await holding;
    assert.equal((await storedRuns(organization)).length, 1);
    clock.forward(60);
    await workerOf(testApp, 2).processAll();
    assert.deepEqual(await storedRuns(organization), []);
    assert.equal(await wasteOf(organization), 0.04);
  });
});
