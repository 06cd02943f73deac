import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import { newGitLabSource, newSource } from '../../../../test/harness/source.ts';
import type { Payload } from '../../../../test/payloads/gitHub.ts';
import {
  gitLabBuild,
  gitLabJob,
  gitLabPipeline,
  gitLabProject,
  hostedRunner,
  ownRunner,
} from '../../../../test/payloads/gitLab.ts';

const testApp = await startTestApp();
const { server } = testApp;
testApp.clock.set('2026-11-21T12:00:00Z');

async function organizationWithSource() {
  const organization = await testApp.newOrganization();
  return { organization, source: await newGitLabSource(testApp, organization) };
}

const runsOf = async (organization: TestOrganization): Promise<{ [field: string]: unknown }[]> =>
  (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body.runs;
const costOf = async (organization: TestOrganization): Promise<number> =>
  (await organization.get('/api/v1/dashboard/summary')).body.total_cost;

describe('a GitLab source', () => {
  test('has its title and kind, and shows its secret once', async () => {
    const organization = await testApp.newOrganization();
    const created = await organization.send('POST', '/api/v1/sources', { kind: 'gitlab' });
    assert.equal(created.status, 201, created.text);
    const { secret, ...source } = created.body.data;
    assert.deepEqual([source.kind, source.name], ['gitlab', 'GitLab']);
    assert.match(source.ingest_url, new RegExp(`/api/v1/ingest/${source.id}$`));
    const listed = await organization.get('/api/v1/sources');
    assert.deepEqual(listed.body.data, [source]);
    assert.ok(!listed.text.includes(secret));
    assert.ok(!testApp.logged().includes(secret));
  });

  test('accepts job and pipeline events and records the time', async () => {
    const { organization, source } = await organizationWithSource();
    const job = await source.deliver('Job Hook', gitLabJob());
    assert.equal(job.status, 202, job.text);
    assert.deepEqual(job.body.data, { status: 'recorded', event: 'Job Hook' });
    const pipeline = await source.deliver('Pipeline Hook', gitLabPipeline());
    assert.deepEqual(pipeline.body.data, { status: 'recorded', event: 'Pipeline Hook' });
    const [run] = await runsOf(organization);
    const { id, workflow_name, repo_name, conclusion } = run!;
    assert.deepEqual(
      [id, workflow_name, repo_name, conclusion],
      ['run_gitlab_5001', 'pipeline', 'acme/backend/api', 'success'],
    );
    const [listed] = (await organization.get('/api/v1/sources')).body.data;
    assert.equal(listed.last_event_at, '2026-11-21T12:00:00.000Z');
  });

  test('recognizes events by the header if the body does not name them', async () => {
    const { organization, source } = await organizationWithSource();
    const { object_kind: _, ...job } = gitLabJob();
    const { object_kind: __, ...pipeline } = gitLabPipeline();
    assert.equal((await source.deliver('Job Hook', job)).body.data.status, 'recorded');
    assert.equal((await source.deliver('Pipeline Hook', pipeline)).body.data.status, 'recorded');
    assert.equal((await source.deliver('Push Hook', job)).body.data.status, 'ignored');
    const other = await source.deliver('Job Hook', { ...job, object_kind: 'push', build_id: 9_002 });
    assert.equal(other.body.data.status, 'ignored', 'the body counts first');
    assert.deepEqual(
      (await runsOf(organization)).map(({ id, cost }) => [id, cost]),
      [['run_gitlab_5001', 0.015]],
    );
  });

  test('answers other events as ignored, with the reason', async () => {
    const { organization, source } = await organizationWithSource();
    for (const event of ['Push Hook', 'Issue Hook', 'Deployment Hook']) {
      const answer = await source.deliver(event, { object_kind: event.split(' ')[0]!.toLowerCase() });
      assert.equal(answer.status, 202);
      assert.equal(answer.body.data.status, 'ignored');
      assert.equal(answer.body.data.event, event);
      assert.notEqual(answer.body.data.reason, '');
    }
    assert.deepEqual(await runsOf(organization), []);
  });

  test('refuses events that cannot be recorded, with the field', async () => {
    const { source } = await organizationWithSource();
    assertProblem(await source.deliver('Job Hook', gitLabJob({ build_id: 'x' })), 400, 'invalid_payload', [
      'build_id',
    ]);
  });

  test('refuses a body that is not JSON, and other content types', async () => {
    const { source } = await organizationWithSource();
    const send = (type: string, payload: string) =>
      request(server, {
        method: 'POST',
        url: `/api/v1/ingest/${source.id}`,
        headers: { 'content-type': type, 'x-gitlab-token': source.secret },
        payload,
      });
    assertProblem(await send('application/json', '{'), 400, 'invalid_json');
    assertProblem(await send('application/json', ''), 400, 'invalid_json');
    assertProblem(await send('text/xml', '<a/>'), 415, 'unsupported_media_type');
    assertProblem(await send('application/json', 'a'.repeat(26 * 1024 * 1024)), 413, 'body_too_large');
  });
});

describe('the secret token', () => {
  const send = (id: string, headers: Record<string, string>) =>
    request(server, {
      method: 'POST',
      url: `/api/v1/ingest/${id}`,
      headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Job Hook', ...headers },
      payload: JSON.stringify(gitLabJob()),
    });

  test('is required and compared as a whole', async () => {
    const { organization, source } = await organizationWithSource();
    assertProblem(await send(source.id, {}), 401, 'token_missing');
    assertProblem(await send(source.id, { 'x-gitlab-token': '' }), 401, 'token_missing');
    const { secret } = source;
    for (const token of [
      secret.slice(0, -1),
      `${secret}x`,
      secret.toUpperCase(),
      'x',
      `${secret}, ${secret}`,
    ]) {
      const answer = await send(source.id, { 'x-gitlab-token': token });
      assertProblem(answer, 401, 'token_invalid');
      assert.ok(!answer.text.includes(secret));
    }
    assert.deepEqual(await runsOf(organization), []);
    assert.equal((await send(source.id, { 'x-gitlab-token': secret })).status, 202);
  });

  test("must be this source's, also within one organization", async () => {
    const { organization, source } = await organizationWithSource();
    const other = await newGitLabSource(testApp, organization);
    const stranger = await organizationWithSource();
    for (const { secret } of [other, stranger.source]) {
      assertProblem(await send(source.id, { 'x-gitlab-token': secret }), 401, 'token_invalid');
    }
  });

  test("does not replace GitHub's signature, nor the other way round", async () => {
    const { organization, source } = await organizationWithSource();
    const gitHub = await newSource(testApp, organization);
    assertProblem(await send(gitHub.id, { 'x-gitlab-token': gitHub.secret }), 401, 'signature_missing');
    assertProblem(await send(source.id, { 'x-hub-signature-256': source.secret }), 401, 'token_missing');
  });

  test('is useless once the source is deleted', async () => {
    const { organization, source } = await organizationWithSource();
    assert.equal((await organization.send('DELETE', `/api/v1/sources/${source.id}`)).status, 200);
    assertProblem(await send(source.id, { 'x-gitlab-token': source.secret }), 404, 'source_not_found');
  });
});

test('organizations with equal pipeline ids stay separate', async () => {
  const first = await organizationWithSource();
  const second = await organizationWithSource();
  await first.source.deliver('Pipeline Hook', gitLabPipeline());
  assert.deepEqual(await runsOf(second.organization), []);
  await second.source.deliver('Job Hook', gitLabJob({ build_duration: 0, runner: ownRunner }));
  assert.equal((await runsOf(first.organization))[0]!['cost'], 0.015);
  assert.equal((await runsOf(second.organization))[0]!['cost'], 0);
});

describe('costs', () => {
  test("are by the second on GitLab's runners, and zero on own ones", async () => {
    const { organization, source } = await organizationWithSource();
    await source.deliver('Job Hook', gitLabJob());
    assert.equal(await costOf(organization), 0.015);
    await source.deliver('Job Hook', gitLabJob({ build_id: 2, runner: ownRunner }));
    await source.deliver(
      'Job Hook',
      gitLabJob({ build_id: 3, runner: { ...ownRunner, runner_type: 'group_type' } }),
    );
    assert.equal(await costOf(organization), 0.015);
  });

  test('are zero for jobs that trigger a pipeline, were skipped, or wait for a person', async () => {
    const { organization, source } = await organizationWithSource();
    const none = { started_at: null, finished_at: null, duration: null, runner: null };
    const builds = [
      gitLabBuild({ id: 1, name: 'child pipeline', runner: null }),
      gitLabBuild({ id: 2, ...none, status: 'skipped' }),
      gitLabBuild({ id: 3, ...none, status: 'manual', manual: true }),
      gitLabBuild({ id: 4, ...none, status: 'canceled', finished_at: '2026-11-20T10:02:00Z' }),
    ];
    await source.deliver('Pipeline Hook', gitLabPipeline({}, { builds }));
    assert.equal(await costOf(organization), 0);
    const unpriced = (await organization.get('/api/v1/pricing/unpriced')).body;
    assert.equal(unpriced.pagination.total, 0);
  });

  test('cover a retried job and its retry, in one run', async () => {
    const { organization, source } = await organizationWithSource();
    const first = gitLabJob({ build_status: 'failed' });
    const again = gitLabJob({
      build_id: 9_002,
      retries_count: 1,
      build_started_at: '2026-11-20 11:00:00 UTC',
      build_finished_at: '2026-11-20 11:01:30 UTC',
    });
    const failed = gitLabPipeline({ status: 'failed' }, { builds: [gitLabBuild({ status: 'failed' })] });
    const passed = gitLabPipeline(
      { finished_at: '2026-11-20 11:01:31 UTC' },
      {
        builds: [
          gitLabBuild({
            id: 9_002,
            started_at: '2026-11-20T11:00:00.100Z',
            finished_at: '2026-11-20T11:01:30.100Z',
          }),
        ],
      },
    );
    for (const [event, payload] of [
      ['Job Hook', first],
      ['Pipeline Hook', failed],
      ['Pipeline Hook', gitLabPipeline({ status: 'running' }, { builds: [] })],
      ['Job Hook', again],
      ['Pipeline Hook', passed],
    ] as const) {
      assert.equal((await source.deliver(event, payload)).status, 202);
    }
    const runs = await runsOf(organization);
    assert.deepEqual(
      runs.map(({ conclusion, cost }) => [conclusion, cost]),
      [['success', 0.03]],
    );
  });

  test('do not depend on whether GitLab still knows the runner', async () => {
    const forgotten = gitLabPipeline({}, { builds: [gitLabBuild({ runner: null })] });
    for (const order of [
      [gitLabJob(), forgotten],
      [forgotten, gitLabJob()],
    ]) {
      const { organization, source } = await organizationWithSource();
      for (const payload of order) await source.deliver('', payload);
      assert.equal(await costOf(organization), 0.015);
    }
  });
});

test('equal pipeline ids on gitlab.com and on another server are two runs', async () => {
  const { organization, source } = await organizationWithSource();
  await source.deliver('Pipeline Hook', gitLabPipeline());
  const project = gitLabProject('acme/backend/api', 'git.acme.example');
  await source.deliver('Pipeline Hook', gitLabPipeline({}, { project }));
  const ids = (await runsOf(organization)).map(({ id }) => id);
  assert.deepEqual(new Set(ids), new Set(['run_gitlab_5001', 'run_gitlab.git.acme.example_5001']));
});

type Job = {
  id: number;
  pipeline: number;
  seconds: number;
  isOwn: boolean;
  status: string;
  isRetry: boolean;
};

const anyJob = fc.record({
  seconds: fc.constantFrom(0, 1, 30, 59, 60, 61, 3_600),
  isOwn: fc.boolean(),
  status: fc.constantFrom('success', 'failed', 'canceled'),
  isRetry: fc.boolean(),
});
const created = Date.UTC(2026, 10, 20, 8);
const iso = (seconds: number) => new Date(created + seconds * 1_000).toISOString();
const plain = (seconds: number) => `${iso(seconds).slice(0, 19).replace('T', ' ')} UTC`;

/** GitLab's events of a pipeline: each job in its states, and the pipeline with the jobs that are not retried. */
function payloadsOf(pipeline: number, jobs: Job[]): Payload[] {
  const runnerOf = (job: Job) => (job.isOwn ? ownRunner : hostedRunner);
  const finished = Math.max(...jobs.map(({ seconds }) => 10 + seconds));
  return [
    ...jobs.flatMap((job) =>
      ['created', 'pending', 'running', job.status].map((build_status) => {
        const hasStarted = build_status === 'running' || build_status === job.status;
        const hasEnded = build_status === job.status;
        return gitLabJob({
          pipeline_id: pipeline,
          build_id: job.id,
          build_name: `job ${job.id}`,
          build_status,
          build_created_at: plain(0),
          build_started_at: hasStarted ? plain(10) : null,
          build_started_at_iso: null,
          build_finished_at: hasEnded ? plain(10 + job.seconds) : null,
          build_finished_at_iso: null,
          build_duration: hasEnded ? job.seconds : null,
          runner: hasStarted ? runnerOf(job) : null,
          retries_count: job.isRetry ? 1 : 0,
        });
      }),
    ),
    ...['created', 'running', 'success'].map((status) =>
      gitLabPipeline(
        {
          id: pipeline,
          status,
          created_at: plain(0),
          finished_at: status === 'success' ? plain(finished) : null,
        },
        {
          builds: jobs
            .filter(({ isRetry }) => !isRetry)
            .map((job) => {
              const hasEnded = status === 'success';
              return gitLabBuild({
                id: job.id,
                name: `job ${job.id}`,
                status: hasEnded ? job.status : 'pending',
                created_at: iso(0),
                started_at: hasEnded ? iso(10.25) : null,
                finished_at: hasEnded ? iso(10.25 + job.seconds) : null,
                duration: hasEnded ? job.seconds : null,
                runner: hasEnded ? runnerOf(job) : null,
              });
            }),
        },
      ),
    ),
  ];
}

test('totals equal the jobs, with events in any order and repeated', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyJob, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      async (drawn, order) => {
        const pipelines = drawn.map((jobs, pipeline) =>
          jobs.map((job, place) => ({ ...job, id: 100 * pipeline + place + 1, pipeline: pipeline + 1 })),
        );
        const sent = pipelines.flatMap((jobs) => payloadsOf(jobs[0]!.pipeline, jobs));
        const shuffled = [...sent, ...sent.filter((_, index) => index % 3 === 0)]
          .map((payload) => ({ payload, place: order.next().value as number }))
          .toSorted((a, b) => a.place - b.place);
        const { organization, source } = await organizationWithSource();
        const half = Math.ceil(shuffled.length / 2);
        for (const part of [shuffled.slice(0, half), shuffled.slice(half)]) {
          const answers = await Promise.all(part.map(({ payload }) => source.deliver('', payload)));
          for (const answer of answers) assert.equal(answer.status, 202, answer.text);
        }
        const paid = pipelines.flat().filter(({ isOwn }) => !isOwn);
        const nanos = paid.reduce(
          (sum, { seconds }) => sum + Math.floor((seconds * 10_000_000 + 30) / 60),
          0,
        );
        assert.equal(await costOf(organization), nanos / 1e9);
        const runs = await runsOf(organization);
        assert.equal(runs.length, pipelines.length);
        for (const run of runs)
          assert.deepEqual([run['status'], run['conclusion']], ['completed', 'success']);
      },
    ),
    { numRuns: 15 },
  );
});
