import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../../test/harness/submission.ts';
import {
  common,
  workflow,
  workflowCompleted,
  jobCompleted,
  gitLabParts,
} from '../../../../test/payloads/circleCi.ts';
import { circleCi } from './provider.ts';

const testApp = await startTestApp();
testApp.clock.set('2021-09-02T12:00:00Z');

const sign = (body: string, secret: string) =>
  `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

function send(id: string, payload: unknown, headers: Record<string, string>) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return request(testApp.server, {
    method: 'POST',
    url: `/api/v1/ingest/${id}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  });
}

async function newSource() {
  const organization = await testApp.newOrganization();
  const created = await organization.send('POST', '/api/v1/sources', { kind: 'circleci' });
  assert.equal(created.status, 201, created.text);
  const { id, secret } = created.body.data;
  const deliver = (payload: object) => {
    const body = JSON.stringify(payload);
    return send(id, body, { 'circleci-signature': sign(body, secret) });
  };
  return { organization, id, secret, deliver };
}

async function onlyRun(organization: TestOrganization) {
  const { data } = (await organization.get('/api/v1/runs', { days: 90 })).body;
  assert.equal(data.length, 1);
  return (await organization.get(`/api/v1/runs/${data[0].id}`)).body.data;
}

describe('the documented events', () => {
  test('become a run with its job, in any order', async () => {
    for (const order of [
      [workflowCompleted, jobCompleted],
      [jobCompleted, workflowCompleted],
    ]) {
      const { organization, deliver } = await newSource();
      for (const payload of order) {
        const answer = await deliver(payload);
        assert.equal(answer.status, 202, answer.text);
        assert.deepEqual(answer.body.data, { status: 'recorded', event: payload.type });
        if (payload === order[0] && 'job' in payload) {
          const run = await onlyRun(organization);
          assert.deepEqual(
            [run.status, run.conclusion, run.created_at, run.started_at, run.completed_at],
            ['in_progress', null, workflow.created_at, jobCompleted.job.started_at, null],
          );
        }
      }
      const run = await onlyRun(organization);
      assert.deepEqual(
        [run.id, run.repository, run.workflow.name, run.branch, run.event, run.attempt],
        [`run_circleci_${workflow.id}`, 'circleci/webhook-service', 'build-test-deploy', 'main', 'push', 1],
      );
      assert.deepEqual(
        [run.status, run.conclusion, run.created_at, run.completed_at, run.pull_request],
        ['completed', 'success', workflow.created_at, workflow.stopped_at, null],
      );
      assert.deepEqual([run.run_number, run.commit], [130, common.pipeline.vcs.revision]);
      assert.equal(run.url, `https://app.circleci.com/workflow/${workflow.id}`);
      const [job, ...others] = run.jobs;
      assert.deepEqual(others, []);
      assert.deepEqual([job.job_id, job.name, job.labels], [jobCompleted.job.id, 'test', ['job:test']]);
      assert.deepEqual(
        [job.runner_group, job.receipt.seconds, job.receipt.is_unpriced],
        [common.project.slug, 5.329, true],
      );
    }
  });

  test('of projects elsewhere have the repository, the trigger and the person who pushed', async () => {
    const { organization, deliver } = await newSource();
    assert.equal((await deliver({ ...workflowCompleted, ...gitLabParts })).status, 202);
    const run = await onlyRun(organization);
    assert.deepEqual(
      [run.repository, run.branch, run.event, run.actor],
      ['circleci/hello-world', 'main', 'push', 'username'],
    );
  });

  test("have the event push with a branch, or CircleCI's trigger", async () => {
    const { vcs, ...pipeline } = common.pipeline;
    for (const [fields, expected] of [
      [{ vcs: { ...vcs, branch: undefined } }, 'webhook'],
      [{ trigger: { type: 'schedule' }, vcs }, 'schedule'],
      [{ trigger: { type: 'webhook' }, trigger_parameters: { git: { branch: 'main' } } }, 'push'],
      [{ trigger: null, vcs }, null],
    ] as const) {
      const { organization, deliver } = await newSource();
      const payload = { ...workflowCompleted, pipeline: { ...pipeline, ...fields } };
      assert.equal((await deliver(payload)).status, 202);
      assert.equal((await onlyRun(organization)).event, expected);
    }
  });

  test('without a repository belong to the CircleCI project', async () => {
    const { pipeline: _, ...bare } = workflowCompleted;
    for (const [project, expected] of [
      [{ name: 'web', slug: 'gh/acme/web' }, 'acme/web'],
      [{ name: 'web', slug: 'circleci/Dda/6Ek' }, 'circleci/web'],
      [{ name: 'my web', slug: 'circleci/Dda/6Ek' }, 'circleci/Dda/6Ek'],
    ] as const) {
      const { organization, deliver } = await newSource();
      assert.equal((await deliver({ ...bare, project })).status, 202);
      assert.equal((await onlyRun(organization)).repository, expected);
    }
  });

  test('of a self-hosted server are separate runs, and its runners cost nothing', async () => {
    const { organization, deliver } = await newSource();
    const own = { ...workflow, url: workflow.url.replace('app.circleci.com', 'ci.acme.example') };
    await deliver({ ...jobCompleted, workflow: own });
    const run = await onlyRun(organization);
    assert.equal(run.id, `run_circleci.ci.acme.example_${workflow.id}`);
    assert.deepEqual([run.jobs[0].receipt.runner_kind, run.cost, run.url], ['self_hosted', 0, null]);
  });

  for (const [status, conclusion] of [
    ['success', 'success'],
    ['failed', 'failure'],
    ['error', 'failure'],
    ['canceled', 'cancelled'],
    ['unauthorized', 'cancelled'],
  ] as const) {
    test(`${status} is ${conclusion}`, async () => {
      const { organization, deliver } = await newSource();
      await deliver({ ...workflowCompleted, workflow: { ...workflow, status } });
      await deliver({ ...jobCompleted, job: { ...jobCompleted.job, status } });
      const run = await onlyRun(organization);
      assert.deepEqual([run.conclusion, run.jobs[0].raw_conclusion], [conclusion, conclusion]);
      assert.equal(run.jobs[0].receipt.billed_minutes, status === 'unauthorized' ? 0 : 1);
    });
  }

  test('answers a ping, and ignores other events', async () => {
    const { organization, deliver } = await newSource();
    assert.deepEqual((await deliver({ type: 'ping' })).body.data, { status: 'pong', event: 'ping' });
    for (const payload of [{ type: 'pipeline-started' }, {}]) {
      assert.equal((await deliver(payload)).body.data.status, 'ignored');
    }
    assert.deepEqual((await organization.get('/api/v1/runs')).body.data, []);
  });

  test('are refused if they cannot be recorded, with the field', async () => {
    const { deliver } = await newSource();
    for (const [payload, field] of [
      [{ ...jobCompleted, job: { ...jobCompleted.job, id: 'a b' } }, 'job.id'],
      [{ ...jobCompleted, job: { ...jobCompleted.job, name: 7 } }, 'job.name'],
      [{ ...jobCompleted, job: { ...jobCompleted.job, started_at: 'soon' } }, 'job.started_at'],
      [{ ...jobCompleted, workflow: { ...workflow, id: '' } }, 'workflow.id'],
      [
        { ...workflowCompleted, workflow: { ...workflow, created_at: '2031-01-01T00:00:00Z' } },
        'workflow.created_at',
      ],
      [{ ...workflowCompleted, project: null }, 'project'],
    ] as const) {
      assertProblem(await deliver(payload), 400, 'invalid_payload', [field]);
    }
  });
});

describe('the signature', () => {
  // https://circleci.com/docs/guides/integration/outbound-webhooks/#validate-webhooks, looked up on 2026-11-22
  test('is the documented HMAC of the body', () => {
    const examples: [body: string, secret: string, hex: string][] = [
      ['hello world', 'secret', '734cc62f32841568f45715aeb9f4d7891324e6d948e4c6c60c0621cdac48623a'],
      ['lalala', 'another-secret', 'daa220016c8f29a8b214fbfc3671aeec2145cfb1e6790184ffb38b6d0425fa00'],
      [
        'an-important-request-payload',
        'hunter123',
        '9be2242094a9a8c00c64306f382a7f9d691de910b4a266f67bd314ef18ac49fa',
      ],
    ];
    for (const [body, secret, hex] of examples) {
      const authenticate = (header: string) =>
        circleCi.webhook!.authenticate(
          { rawBody: Buffer.from(body), contentType: '', header: () => header },
          secret,
          new Date(),
        );
      authenticate(`v1=${hex}`);
      authenticate(`v1=${hex},v2=abc`);
      assert.throws(() => authenticate(`v1=${hex.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`));
      assert.throws(() => authenticate(`v0=${hex}`));
    }
  });

  test("is required, and must be this source's", async () => {
    const { organization, id, secret } = await newSource();
    const stranger = await newSource();
    const body = JSON.stringify(jobCompleted);
    assertProblem(await send(id, body, {}), 401, 'signature_missing');
    for (const signature of [
      sign(body, stranger.secret),
      sign(`${body} `, secret),
      sign(body, secret).replace('v1=', ''),
      `v2=${sign(body, secret).slice(3)}`,
      'v1=',
      'v1=not-a-valid-signature',
    ]) {
      const answer = await send(id, body, { 'circleci-signature': signature });
      assertProblem(answer, 401, 'signature_invalid');
      assert.ok(!answer.text.includes(secret));
    }
    assert.deepEqual((await organization.get('/api/v1/runs')).body.data, []);
    const both = `${sign(body, secret)},v2=0`;
    assert.equal((await send(id, body, { 'circleci-signature': both })).status, 202);
    assert.deepEqual((await stranger.organization.get('/api/v1/runs')).body.data, []);
  });
});

describe('prices', () => {
  /** Repeated on purpose: a price must be changed knowingly. */
  const listed: Record<string, string> = {
    circleci_docker_medium: '0.006',
    circleci_docker_medium_plus: '0.009',
    circleci_docker_large: '0.012',
    circleci_docker_xlarge: '0.024',
    circleci_docker_2xlarge: '0.048',
    circleci_docker_medium_gen2: '0.0072',
    circleci_docker_large_gen2: '0.0144',
    circleci_docker_xlarge_gen2: '0.0288',
    circleci_docker_2xlarge_gen2: '0.0576',
    circleci_docker_arm_medium: '0.0078',
    circleci_macos_m4pro_medium: '0.12',
    circleci_macos_m4pro_large: '0.24',
  };

  test('are credits per minute at $0.0006, the same in every price list', async () => {
    const organization = await testApp.newOrganization();
    for (const id of ['github_2025', 'github_2026', 'github_by_date']) {
      const { prices } = (await organization.get(`/api/v1/pricing/books/${id}`)).body.data;
      const ours = prices.filter((price: { runner_kind: string }) =>
        price.runner_kind.startsWith('circleci_'),
      );
      assert.deepEqual(
        Object.fromEntries(
          ours.map((price: { runner_kind: string; usd_per_minute: number }) => [
            price.runner_kind,
            String(price.usd_per_minute),
          ]),
        ),
        listed,
      );
    }
  });

  test('are unknown until a rule names the class of a job or project', async () => {
    const { organization, deliver } = await newSource();
    await deliver(jobCompleted);
    const [unpriced] = (await organization.get('/api/v1/pricing/unpriced', { days: 365 })).body.data;
    assert.deepEqual([unpriced.labels, unpriced.runner_group], [['job:test'], common.project.slug]);
    const rules = [
      { match: 'label', pattern: 'job:test', runner_kind: 'circleci_docker_large' },
      { match: 'runner_group', pattern: common.project.slug, runner_kind: 'circleci_macos_m4pro_medium' },
    ];
    for (const rule of rules) {
      assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
    }
    const lint = { ...jobCompleted.job, id: 'lint-1', name: 'lint' };
    await deliver({ ...jobCompleted, job: { ...jobCompleted.job, id: 'test-2' } });
    await deliver({ ...jobCompleted, job: lint });
    const { jobs } = await onlyRun(organization);
    const costs = Object.fromEntries(
      jobs.map((job: { job_id: string; receipt: { cost: number } }) => [job.job_id, job.receipt.cost]),
    );
    // 5.329 s are 6: 6 × 20 / 60 and 6 × 200 / 60 credits.
    assert.deepEqual(costs, { [jobCompleted.job.id]: 0, 'test-2': 0.0012, 'lint-1': 0.012 });
    const { rounding, price_book } = jobs.find((job: { job_id: string }) => job.job_id === 'test-2').receipt;
    assert.deepEqual([rounding, price_book.name], ['second', "CircleCI's price list"]);
    const days = { from: '2021-09-01', to: '2021-09-01' };
    const { id } = (await organization.send('POST', '/api/v1/reprices', days)).body.data;
    await testApp.worker.processAll();
    assert.equal((await organization.get(`/api/v1/reprices/${id}`)).body.data.changed_jobs, 1);
    assert.equal((await onlyRun(organization)).cost, 0.0144);
    const preview = (await organization.send('POST', '/api/v1/pricing/what-if', {})).body.data.total;
    assert.deepEqual([preview.cost_now, preview.cost_current], [0.0144, 0.0144]);
  });

  test('apply to runs that are reported with their resource class', async () => {
    const organization = await testApp.newOrganization();
    const times = { started_at: '2021-09-01T10:00:00Z', completed_at: '2021-09-01T10:01:01Z' };
    const run = newRun({
      provider: 'circleci',
      created_at: times.started_at,
      started_at: times.started_at,
      jobs: [newJob({ labels: ['m4pro.large'], ...times })],
    });
    await submit(organization, run);
    // 61 s × 400 / 60 are 407 credits.
    assert.equal((await onlyRun(organization)).cost, 0.2442);
  });
});

test('totals equal the jobs, with events in any order and repeated', async () => {
  const id = (run: number, job?: number) => (job === undefined ? `workflow-${run}` : `job-${run}-${job}`);
  const stopped = (seconds: number) => new Date(Date.UTC(2021, 8, 1, 10, 0, seconds)).toISOString();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.infiniteStream(fc.nat()),
      async (runs, order) => {
        const { organization, deliver } = await newSource();
        const rule = { match: 'regex', pattern: '^job:', runner_kind: 'circleci_docker_large' };
        await organization.send('POST', '/api/v1/pricing/rules', rule);
        const events = runs.flatMap((jobs, run) => [
          { ...workflowCompleted, workflow: { ...workflow, id: id(run), status: 'success' } },
          ...jobs.map((seconds, job) => ({
            ...jobCompleted,
            workflow: { ...workflow, id: id(run) },
            job: {
              ...jobCompleted.job,
              id: id(run, job),
              name: `job ${job}`,
              started_at: stopped(0),
              stopped_at: stopped(seconds),
            },
          })),
        ]);
        const shuffled = [...events, ...events.filter((_, index) => index % 2 === 0)]
          .map((payload) => ({ payload, place: order.next().value as number }))
          .toSorted((a, b) => a.place - b.place);
        for (const { payload } of shuffled) assert.equal((await deliver(payload)).status, 202);
        const nanos = runs.flat().reduce((sum, seconds) => sum + Math.ceil((seconds * 20) / 60) * 600_000, 0);
        assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, nanos / 1e9);
        const { data } = (await organization.get('/api/v1/runs', { days: 90 })).body;
        assert.deepEqual(
          data.map(({ status }: { status: string }) => status),
          runs.map(() => 'completed'),
        );
      },
    ),
    { numRuns: 8 },
  );
});
