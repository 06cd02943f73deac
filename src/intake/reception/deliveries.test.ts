import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { createRecorder, type Recorder } from '../../ledger/runs/recorder.ts';
import type { Database } from '../../platform/db/database.ts';
import { buildServer } from '../../server.ts';
import { webhookProviders } from '../providers/providers.ts';
import { createSenderFinder, receiveEvent } from './receiveEvent.ts';

const testApp = await startTestApp();
const { app } = testApp;
testApp.clock.set('2026-11-21T12:00:00Z');

async function organizationWithSource() {
  const organization = await testApp.newOrganization();
  return { organization, source: await newSource(testApp, organization) };
}

async function recentRuns(organization: TestOrganization): Promise<{ [field: string]: unknown }[]> {
  return (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body.runs;
}

async function dashboardOf(organization: TestOrganization): Promise<string[]> {
  const parts = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
  return Promise.all(parts.map(async (part) => (await organization.get(`/api/v1/dashboard/${part}`)).text));
}

test("an event may cause a comment only if its provider's descriptor says so", async (context) => {
  const { source } = await organizationWithSource();
  const sender = { ...(await createSenderFinder(app)(source.id)), secret: '' };
  const origins: unknown[] = [];
  const recorder: Recorder = {
    record: async (_orgId, _reports, _at, origin) => (origins.push(origin), null),
  };
  const { webhook } = webhookProviders.find(({ id }) => id === 'github')!;
  const { authenticate } = webhook;
  context.after(() => Object.assign(webhook, { authenticate, mayComment: true }));
  webhook.authenticate = () => {};
  const rawBody = Buffer.from(JSON.stringify(gitHubRun()));
  const delivery = { rawBody, contentType: 'application/json', header: () => 'workflow_run' };
  for (const mayComment of [true, false]) {
    webhook.mayComment = mayComment;
    await receiveEvent({ ...app, recorder }, sender, delivery);
  }
  assert.deepEqual(origins, [{ mayComment: true }, { mayComment: false }]);
});

test('the source of an address is found alone on a distributed database, and with others at once elsewhere', async () => {
  const known = await Promise.all([organizationWithSource(), organizationWithSource()]);
  for (const isDistributed of [false, true]) {
    const find = createSenderFinder({ ...app, isDistributed });
    const found = await Promise.all(known.map(({ source }) => find(source.id)));
    assert.deepEqual(
      found.map(({ source, secret }) => [source.id, secret]),
      known.map(({ source }) => [source.id, source.secret]),
    );
    const unknown = `${known[0]!.source.id.slice(0, -1)}-`;
    for (const id of [unknown, 'src_1']) await assert.rejects(find(id), /no such source/);
  }
});

describe('the totals', () => {
  const first = [
    { event: 'workflow_run', payload: gitHubRun({ conclusion: 'failure' }) },
    {
      event: 'workflow_job',
      payload: gitHubJob({ completed_at: '2026-11-20T10:05:05Z', conclusion: 'failure' }),
    },
    { event: 'workflow_job', payload: gitHubJob({ id: 2, name: 'lint', labels: ['macos-latest'] }) },
  ];
  const second = [
    { event: 'workflow_run', payload: gitHubRun({ run_attempt: 2, run_started_at: '2026-11-20T11:00:00Z' }) },
    {
      event: 'workflow_job',
      payload: gitHubJob({
        id: 3,
        run_attempt: 2,
        started_at: '2026-11-20T11:00:00Z',
        completed_at: '2026-11-20T11:10:00Z',
      }),
    },
    // "Re-run failed jobs" reports the successful job again, with its old times.
    {
      event: 'workflow_job',
      payload: gitHubJob({ id: 4, run_attempt: 2, name: 'lint', labels: ['macos-latest'] }),
    },
  ];

  test('stay the same with repeated deliveries in any order', async () => {
    const { organization, source } = await organizationWithSource();
    const all = [...first, ...second];
    for (const { event, payload } of all) await source.deliver(event, payload);
    const before = await dashboardOf(organization);
    for (const order of [all, all.toReversed()]) {
      for (const { event, payload } of order)
        assert.equal((await source.deliver(event, payload)).status, 202);
    }
    await Promise.all([...all, ...all].map(({ event, payload }) => source.deliver(event, payload)));
    assert.deepEqual(await dashboardOf(organization), before);
    const reversed = await organizationWithSource();
    for (const { event, payload } of all.toReversed()) await reversed.source.deliver(event, payload);
    assert.deepEqual(await dashboardOf(reversed.organization), before);
  });

  test('count a re-run once and pay each attempt, but no job twice', async () => {
    const { organization, source } = await organizationWithSource();
    for (const { event, payload } of [...first, ...second]) await source.deliver(event, payload);
    const { total_cost, total_runs } = (await organization.get('/api/v1/dashboard/summary')).body;
    assert.equal(total_runs, 1);
    assert.equal(total_cost, 15 * 0.008 + 0.08);
    const [run] = await recentRuns(organization);
    assert.equal(run!['cost'], 0.2);
    assert.equal(run!['conclusion'], 'success');
    assert.equal(run!['duration_seconds'], 600);
  });
});

test('contradicting and incomplete reports of a job give one result in any order, also repeated', async () => {
  const times = { started_at: '2026-11-20T10:00:00Z', completed_at: '2026-11-20T10:10:00Z' };
  const named = gitHubJob({ ...times, labels: [], conclusion: 'failure' });
  const labelled = gitHubJob({
    ...times,
    started_at: '2026-11-20T10:06:00Z',
    labels: ['macos-latest'],
    runner_name: null,
    runner_group_name: null,
  });
  const queued = gitHubJob({ status: 'queued', name: 'queued', labels: ['windows-latest'] });
  const results = new Set<string>();
  for (const order of [
    [queued, named, labelled],
    [labelled, named, queued],
    [named, labelled, named, queued],
    [labelled, named, labelled, queued, named],
    [named, queued, labelled, queued],
  ]) {
    const { organization, source } = await organizationWithSource();
    for (const payload of order) assert.equal((await source.deliver('workflow_job', payload)).status, 202);
    results.add((await organization.get('/api/v1/runs/run_github_7000000001')).text);
  }
  const [result, ...others] = results;
  assert.deepEqual(others, []);
  const [job] = JSON.parse(result!).data.jobs;
  const { raw_conclusion, labels, runner_name, name, receipt } = job;
  assert.deepEqual(
    [raw_conclusion, labels, runner_name, name],
    ['success', ['macos-latest'], 'GitHub Actions 5', 'test'],
  );
  assert.equal(receipt.cost, 0.32);
});

describe('simultaneous deliveries', () => {
  test('are committed before their answers, and share transactions', async () => {
    const { organization } = await organizationWithSource();
    let transactions = 0;
    const counting = {
      getExecutor: () => {
        transactions += 1;
        return app.db.getExecutor();
      },
    } as Database;
    const counted = await buildServer({ ...app, recorder: createRecorder({ ...app, db: counting }) });
    const source = await newSource({ ...testApp, server: counted }, organization);
    const isStored = async (id: number) => {
      const { rows } =
        await sql`select 1 from runs where org_id = ${organization.orgId} and id = ${`run_github_${id}`}`.execute(
          app.db,
        );
      return rows.length === 1;
    };
    const stored = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const answer = await source.deliver('workflow_run', gitHubRun({ id: 1_000 + index }));
        assert.equal(answer.status, 202, answer.text);
        return isStored(1_000 + index);
      }),
    );
    assert.ok(stored.every(Boolean));
    assert.ok(transactions <= 50, `${transactions} transactions`);
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_runs, 200);
    await counted.close();
  });

  test('do not fail with one that cannot be stored', async () => {
    const { organization, source } = await organizationWithSource();
    await sql`alter table runs add constraint no_poison check (branch <> 'poison')`.execute(app.db);
    const branches = Array.from({ length: 30 }, (_, index) => (index === 7 ? 'poison' : `branch-${index}`));
    const answers = await Promise.all(
      branches.map((head_branch, index) =>
        source.deliver('workflow_run', gitHubRun({ id: 1 + index, head_branch })),
      ),
    );
    await sql`alter table runs drop constraint no_poison`.execute(app.db);
    assert.deepEqual(
      answers.map(({ status }) => status),
      branches.map((branch) => (branch === 'poison' ? 500 : 202)),
    );
    assertProblem(answers[7]!, 500, 'internal_error');
    assert.equal((await recentRuns(organization)).length, 29);
    assert.equal((await source.deliver('workflow_run', gitHubRun({ id: 8 }))).status, 202);
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_runs, 30);
  });
});
