import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { deleteEarlierSources, totalsOf } from '../../../test/harness/backfills.ts';
import { startFakeCircleCi, usageRow } from '../../../test/harness/circleCiApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newGitLabSource } from '../../../test/harness/source.ts';
import { jobCompleted, workflow, workflowCompleted } from '../../../test/payloads/circleCi.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { usageImportPollers } from './doUsageImport.ts';

const fake = await startFakeCircleCi();
const testApp = await startTestApp({ CIRCLECI_API_URL: fake.url });
const { app, clock, server } = testApp;
const worker = createWorker(
  usageImportPollers({ ...app, db: app.background, circleCiApiUrl: fake.url }),
  app,
);

beforeEach(async () => {
  Object.assign(fake, { rows: [], slowness: 0, failure: null, refusals: [], requests: [], downloads: [] });
  clock.set('2021-09-03T12:00:00Z');
  await deleteEarlierSources(testApp);
});

type Connected = { organization: TestOrganization; id: string; deliver: (payload: object) => Promise<void> };

async function connect(): Promise<Connected> {
  const organization = await testApp.newOrganization();
  const created = await organization.send('POST', '/api/v1/sources', { kind: 'circleci' });
  const { id, secret } = created.body.data;
  return {
    organization,
    id,
    deliver: async (payload) => {
      const body = JSON.stringify(payload);
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const answer = await request(server, {
        method: 'POST',
        url: `/api/v1/ingest/${id}`,
        headers: { 'content-type': 'application/json', 'circleci-signature': `v1=${signature}` },
        payload: body,
      });
      assert.equal(answer.status, 202, answer.text);
    },
  };
}

const credentials = () => ({ kind: 'circleci', token: fake.token, organization_id: fake.organizationId });

async function setToken({ organization, id }: Connected, body: object = credentials()) {
  return organization.send('PUT', `/api/v1/sources/${id}/credentials`, body);
}

async function start({ organization }: Connected, since = '30d') {
  const started = await organization.send('POST', '/api/v1/usage-imports', { since });
  assert.equal(started.status, 202, started.text);
  return started.body.data.id as string;
}

async function ended({ organization }: Connected, id: string) {
  for (let rounds = 0; rounds < 400; rounds++) {
    await worker.processAll();
    const { data } = (await organization.get(`/api/v1/usage-imports/${id}`)).body;
    if (!['queued', 'running'].includes(data.status)) return data;
    clock.forward(60);
  }
  return assert.fail('it does not end');
}

/** Sets the token and imports, without the nightly import that would start by itself. */
async function imported(connected: Connected) {
  assert.equal((await setToken(connected)).status, 200);
  await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
  return ended(connected, await start(connected));
}

async function jobsOf(organization: TestOrganization, workflowId: string = workflow.id) {
  return (await organization.get(`/api/v1/runs/run_circleci_${workflowId}`)).body.data.jobs;
}

/** A runner that had no price for a while leaves a row of zeros. */
async function sumsOf({ organization }: Connected) {
  const { unpriced_days: _, ...sums } = await totalsOf(testApp, organization);
  const { data } = (await organization.get('/api/v1/pricing/unpriced', { days: 7 })).body;
  return { sums, data };
}

/** Six seconds of Docker large are two credits, of $0.0006 each. */
const sixSecondsOfLarge = 0.0012;

describe('usage data', () => {
  test('gives a recorded job its class, so that it has a price', async () => {
    const connected = await connect();
    const { organization, deliver } = connected;
    await deliver(workflowCompleted);
    await deliver(jobCompleted);
    const [before] = await jobsOf(organization);
    assert.deepEqual([before.receipt.cost, before.receipt.is_unpriced], [0, true]);
    fake.rows = [usageRow({})];
    fake.slowness = 2;
    const data = await imported(connected);
    assert.deepEqual([data.status, data.error, data.jobs, data.jobs_added], ['done', null, 1, 0]);
    const [job, ...others] = await jobsOf(organization);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [job.receipt.cost, job.receipt.runner_kind, job.receipt.is_unpriced],
      [sixSecondsOfLarge, 'circleci_docker_large', false],
    );
    assert.deepEqual(job.labels, ['job:test', 'docker:large']);
    assert.match(job.receipt.runner_rule_text, /usage data names its resource class: CircleCI Docker large/);
  });

  test('compares the credits, and shows what a class without a price costs a minute', async () => {
    const connected = await connect();
    fake.rows = [
      usageRow({ JOB_ID: 'a' }),
      usageRow({ JOB_ID: 'b', JOB_NAME: 'b', COMPUTE_CREDITS: 3 }),
      usageRow({
        JOB_ID: 'c',
        JOB_NAME: 'c',
        EXECUTOR: 'machine',
        RESOURCE_CLASS: 'gpu.nvidia.small',
        JOB_RUN_STARTED_AT: '2021-09-01 20:00:00',
        JOB_RUN_STOPPED_AT: '2021-09-01 20:10:00',
        JOB_RUN_SECONDS: 600,
        COMPUTE_CREDITS: 800,
      }),
      usageRow({ JOB_ID: '\\N', JOB_NAME: '\\N', USER_CREDITS: 25_000 }),
    ];
    const data = await imported(connected);
    assert.deepEqual([data.jobs, data.jobs_added, data.other_rows], [3, 3, 1]);
    assert.deepEqual(data.runners, [
      {
        runner: 'machine:gpu.nvidia.small',
        jobs: 1,
        credits: 800,
        listed_credits: null,
        differing_jobs: 0,
        credits_per_minute: 80,
      },
      {
        runner: 'docker:large',
        jobs: 2,
        credits: 5,
        listed_credits: 4,
        differing_jobs: 1,
        credits_per_minute: 25,
      },
    ]);
  });

  test('adds jobs that no event reported, and bills each of parallel runners', async () => {
    const connected = await connect();
    fake.rows = [usageRow({ PARALLELISM: 4, COMPUTE_CREDITS: 8 })];
    const data = await imported(connected);
    assert.deepEqual([data.jobs_added, data.runners[0].differing_jobs], [1, 0]);
    const run = (await connected.organization.get(`/api/v1/runs/run_circleci_${workflow.id}`)).body.data;
    assert.deepEqual(
      [run.repository, run.workflow.name, run.branch, run.event, run.status, run.conclusion, run.created_at],
      [
        'circleci/webhook-service',
        'build-test-deploy',
        'main',
        'push',
        'completed',
        'success',
        '2021-09-01T22:49:20.000Z',
      ],
    );
    assert.equal(run.jobs[0].receipt.cost, 4 * sixSecondsOfLarge);
  });

  test('gives the same totals in any order with the events, and when repeated', async () => {
    const first = await connect();
    const second = await connect();
    fake.rows = [usageRow({}), usageRow({ JOB_ID: 'other', JOB_NAME: 'lint', RESOURCE_CLASS: 'medium' })];
    for (const payload of [workflowCompleted, jobCompleted]) await first.deliver(payload);
    await imported(first);
    await imported(second);
    for (const payload of [jobCompleted, workflowCompleted]) await second.deliver(payload);
    const totals = await sumsOf(first);
    assert.deepEqual(await sumsOf(second), totals);
    for (const payload of [jobCompleted, workflowCompleted]) await first.deliver(payload);
    const again = await ended(first, await start(first));
    assert.deepEqual([again.jobs, again.jobs_added], [2, 0]);
    assert.deepEqual(await sumsOf(first), totals);
  });

  test('does not count a recorded job twice under another id', async () => {
    const connected = await connect();
    await connected.deliver(jobCompleted);
    fake.rows = [usageRow({ JOB_ID: 'another-id' })];
    assert.equal((await imported(connected)).jobs_added, 0);
    assert.equal((await jobsOf(connected.organization)).length, 1);
  });

  test('is asked for in parts of at most 31 days, up to yesterday, without the token at the files', async () => {
    const connected = await connect();
    assert.equal((await setToken(connected)).status, 200);
    fake.exports = [];
    const id = await start(connected, '2021-07-01');
    await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
    const data = await ended(connected, id);
    assert.deepEqual(
      [data.since, data.until, data.progress],
      ['2021-07-01', '2021-09-02', { done: 64, total: 64 }],
    );
    assert.deepEqual(
      fake.exports.map(({ start: from, end }) => `${from} ${end}`),
      [
        '2021-08-03T00:00:00.000Z 2021-09-02T23:59:59.000Z',
        '2021-07-03T00:00:00.000Z 2021-08-02T23:59:59.000Z',
        '2021-07-01T00:00:00.000Z 2021-07-02T23:59:59.000Z',
      ],
    );
    assert.equal(fake.downloads.length, 6);
    assert.ok(fake.downloads.every((headers) => headers['circle-token'] === undefined));
  });

  test('is read every night: first 30 days, then the last ones', async () => {
    const connected = await connect();
    assert.equal((await setToken(connected)).status, 200);
    const nights = async () => {
      await worker.processAll();
      for (let rounds = 0; rounds < 3; rounds++) {
        clock.forward(60);
        await worker.processAll();
      }
      return (await connected.organization.get('/api/v1/usage-imports')).body.data;
    };
    const [first, ...none] = await nights();
    assert.deepEqual([first.is_nightly, first.since, first.until], [true, '2021-08-04', '2021-09-02']);
    assert.deepEqual([first.status, none], ['done', []]);
    clock.forward(86_400);
    const [second] = await nights();
    assert.deepEqual([second.since, second.until, second.status], ['2021-09-01', '2021-09-03', 'done']);
  });
});

describe('a fault says what to do', () => {
  type Case = [name: string, change: () => void, error: RegExp];
  const cases: Case[] = [
    ['401', () => (fake.refusals = [{ status: 401 }]), /rejects the token.*Set a new personal API token/],
    ['403', () => (fake.refusals = [{ status: 403 }]), /may not read the usage.*one of its members/],
    ['404', () => (fake.refusals = [{ status: 404 }]), /no organization f22b6566-.*Organization Settings/],
    [
      '400',
      () => (fake.refusals = [{ status: 400, body: { message: 'bad\nspan' } }]),
      /answered 400: "bad span"/,
    ],
    [
      'a file',
      () => (fake.refusals = [undefined!, undefined!, { status: 403 }]),
      /file of CircleCI's usage data could not be read \(403\)\. Start again/,
    ],
    [
      'a failed export',
      () => (fake.failure = 'query timeout'),
      /from 2021-08-04 to .*"query timeout"\. Start again/,
    ],
    ['an endless export', () => (fake.slowness = 1_000), /did not prepare the usage data within hours/],
    [
      'an unreachable API',
      () => (fake.refusals = Array.from({ length: 7 }, () => ({ status: 502 }))),
      /CircleCI answered 502\. Start again later\./,
    ],
  ];
  for (const [name, change, error] of cases) {
    test(name, async () => {
      const connected = await connect();
      assert.equal((await setToken(connected)).status, 200);
      await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
      change();
      const data = await ended(connected, await start(connected));
      assert.equal(data.status, 'failed');
      assert.match(data.error, error);
      assert.ok(!testApp.logged().includes(fake.token));
    });
  }

  test('of a file without its columns', async () => {
    const connected = await connect();
    fake.rows = [usageRow({})];
    assert.equal((await setToken(connected)).status, 200);
    fake.refusals = [
      { status: 201, body: { usage_export_job_id: 'x', state: 'created', download_urls: [] } },
      {
        status: 200,
        body: { usage_export_job_id: 'x', state: 'completed', download_urls: [`${fake.url}/me`] },
      },
      { status: 200, body: { surprise: 1 } },
    ];
    await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
    const data = await ended(connected, await start(connected));
    assert.match(data.error, /lacks the columns WORKFLOW_ID, .* Update Runcost\./);
  });

  test('while the request limit is used up, it waits as long as CircleCI says', async () => {
    const connected = await connect();
    assert.equal((await setToken(connected)).status, 200);
    await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
    const id = await start(connected);
    fake.refusals = [{ status: 429, headers: { 'retry-after': '1800' } }];
    await worker.processAll();
    const { data } = (await connected.organization.get(`/api/v1/usage-imports/${id}`)).body;
    assert.deepEqual(data.waiting, {
      until: '2021-09-03T12:30:00.000Z',
      reason: "CircleCI's request limit is used up.",
    });
    assert.equal((await ended(connected, id)).status, 'done');
  });
});

describe('the token of a source', () => {
  test('is checked, kept encrypted, and never shown', async () => {
    const connected = await connect();
    assertProblem(
      await setToken(connected, { ...credentials(), token: 'CCIPAT_wrong' }),
      400,
      'invalid_request',
    );
    const set = await setToken(connected);
    assert.deepEqual([set.body.data.kind, set.body.data.hint], ['circleci', '…hijk']);
    const shown = await connected.organization.get(`/api/v1/sources/${connected.id}/credentials`);
    for (const { text } of [set, shown]) assert.ok(!text.includes(fake.token));
    assert.ok(!testApp.logged().includes(fake.token));
    const { organization_id: _, ...without } = credentials();
    assertProblem(await setToken(connected, without), 400, 'invalid_request');
  });

  test('belongs to a source of CircleCI, and nothing that reads GitHub uses it', async () => {
    const connected = await connect();
    const { organization, id } = connected;
    const gitLab = await newGitLabSource(testApp, organization);
    assertProblem(await setToken({ ...connected, id: gitLab.id }), 409, 'not_circleci');
    assertProblem(await setToken(connected, { kind: 'token', token: 'github_pat_1' }), 409, 'not_github');
    assertProblem(
      await organization.send('POST', '/api/v1/usage-imports', { since: '30d' }),
      400,
      'invalid_request',
    );
    assert.equal((await setToken(connected)).status, 200);
    const backfill = { repositories: ['acme/app'], since: '30d', source_id: id };
    assertProblem(await organization.send('POST', '/api/v1/backfills', backfill), 400, 'invalid_request');
    clock.forward(86_400);
    await testApp.worker.processAll();
    assert.deepEqual((await organization.get('/api/v1/storage/readings')).body.data, []);
    assert.equal((await organization.get('/api/v1/hosted-runners')).body.data.tried_at, null);
  });

  test('is of one organization: another one finds nothing of its imports', async () => {
    const connected = await connect();
    fake.rows = [usageRow({})];
    const { id } = await imported(connected);
    const other = await connect();
    assert.equal((await other.organization.get(`/api/v1/usage-imports/${id}`)).status, 404);
    assert.equal((await other.organization.send('POST', `/api/v1/usage-imports/${id}/cancel`)).status, 404);
    assert.deepEqual((await other.organization.get('/api/v1/usage-imports')).body.data, []);
    assert.equal((await setToken({ ...other, id: connected.id })).status, 404);
    const foreign = await other.organization.send('POST', '/api/v1/usage-imports', {
      since: '30d',
      source_id: connected.id,
    });
    assertProblem(foreign, 400, 'invalid_request');
    assert.equal((await other.organization.get(`/api/v1/runs/run_circleci_${workflow.id}`)).status, 404);
  });

  test('can be removed meanwhile, and an import can be canceled', async () => {
    const connected = await connect();
    assert.equal((await setToken(connected)).status, 200);
    const id = await start(connected);
    const cancelled = await connected.organization.send('POST', `/api/v1/usage-imports/${id}/cancel`);
    assert.equal(cancelled.body.data.status, 'cancelled');
    assertProblem(
      await connected.organization.send('POST', `/api/v1/usage-imports/${id}/cancel`),
      409,
      'usage_import_ended',
    );
    const next = await start(connected);
    await connected.organization.send('DELETE', `/api/v1/sources/${connected.id}/credentials`);
    assert.match((await ended(connected, next)).error, /no token of CircleCI any more/);
  });
});
