import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { defaultPriceList, providers } from '../../../../test/harness/priceLists.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import {
  build,
  pipeline,
  job,
  sender,
  buildFinished,
  jobFinished,
  clustered,
} from '../../../../test/payloads/buildkite.ts';
import { priceRunner } from '../../../ledger/pricing/cost.ts';
import { explainRunner } from '../../../ledger/pricing/runnerWords.ts';

const testApp = await startTestApp();
testApp.clock.set('2015-05-10T12:00:00Z');

function send(id: string, payload: unknown, headers: Record<string, string>) {
  return request(testApp.server, {
    method: 'POST',
    url: `/api/v1/ingest/${id}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
}

async function newSource() {
  const organization = await testApp.newOrganization();
  const created = await organization.send('POST', '/api/v1/sources', { kind: 'buildkite' });
  assert.equal(created.status, 201, created.text);
  const { id, secret } = created.body.data;
  const deliver = (payload: object) => send(id, payload, { 'x-buildkite-token': secret });
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
      [buildFinished(), jobFinished()],
      [jobFinished(), buildFinished()],
    ]) {
      const { organization, deliver } = await newSource();
      for (const payload of order) {
        const answer = await deliver(payload);
        assert.equal(answer.status, 202, answer.text);
        assert.deepEqual(answer.body.data, { status: 'recorded', event: payload.event });
        if (payload === order[0] && 'job' in payload) {
          const run = await onlyRun(organization);
          assert.deepEqual(
            [run.status, run.conclusion, run.created_at, run.started_at, run.completed_at],
            ['in_progress', null, build.created_at, build.started_at, null],
          );
        }
      }
      const run = await onlyRun(organization);
      assert.deepEqual(
        [run.id, run.repository, run.workflow.name, run.branch, run.event, run.actor],
        [
          `run_buildkite_${build.id}`,
          'my-great-org/my-pipeline',
          'great-pipeline',
          'main',
          'push',
          'Keith Pitt',
        ],
      );
      assert.deepEqual(
        [run.status, run.conclusion, run.created_at, run.completed_at, run.duration_seconds, run.commit],
        ['completed', 'success', build.created_at, build.finished_at, 240, build.commit],
      );
      const [{ job_id, name, labels, runner_name, created_at, receipt }, ...others] = run.jobs;
      assert.deepEqual(others, []);
      assert.deepEqual(
        [job_id, name, labels, runner_name, created_at],
        [job.id, 'RSpec', ['*', 'unclustered'], 'my-agent-123', job.runnable_at],
      );
      assert.deepEqual([receipt.seconds, receipt.runner_kind, receipt.cost], [60, 'self_hosted', 0]);
    }
  });

  test('may have the times of the webhook docs, without the T of ISO 8601', async () => {
    const { organization, deliver } = await newSource();
    const at = (time: string) => `2015-05-09 ${time} UTC`;
    const times = { created_at: at('10:00:00'), started_at: at('10:00:05'), finished_at: at('10:01:05') };
    const sent = { ...jobFinished(), build: { ...build, ...times }, job: { ...job, ...times } };
    const answer = await deliver(sent);
    assert.equal(answer.status, 202, answer.text);
    const { created_at, jobs } = await onlyRun(organization);
    assert.deepEqual([created_at, jobs[0].receipt.seconds], ['2015-05-09T10:00:00.000Z', 60]);
  });

  const states: [state: string, job: string, run: string | null][] = [
    ['passed', 'success', 'success'],
    ['failed', 'failure', 'failure'],
    ['timed_out', 'timed_out', 'failure'],
    ['canceled', 'cancelled', 'cancelled'],
    ['expired', 'cancelled', 'cancelled'],
    ['skipped', 'skipped', 'skipped'],
    ['broken', 'skipped', 'skipped'],
    ['not_run', 'skipped', 'skipped'],
    ['mystery', 'success', null],
  ];
  for (const [state, ofJob, ofRun] of states) {
    test(`the state ${state} is ${ofJob}`, async () => {
      const { organization, deliver } = await newSource();
      await deliver(buildFinished({ state }));
      await deliver(jobFinished({ state }));
      const run = await onlyRun(organization);
      assert.deepEqual([run.jobs[0].raw_conclusion, run.conclusion], [ofJob, ofRun]);
    });
  }

  test('of a blocked build leave it in progress until it finishes', async () => {
    const { organization, deliver } = await newSource();
    await deliver(buildFinished({ blocked: true, state: 'passed' }));
    assert.deepEqual([(await onlyRun(organization)).status], ['in_progress']);
    await deliver(buildFinished({ finished_at: '2015-05-09T22:00:00Z', state: 'failed' }));
    await deliver(buildFinished({ blocked: true, state: 'passed' }));
    const run = await onlyRun(organization);
    assert.deepEqual([run.status, run.conclusion], ['completed', 'failure']);
  });

  test('of steps without an agent cost nothing', async () => {
    const { organization, deliver } = await newSource();
    for (const type of ['waiter', 'manual', 'trigger']) {
      await deliver(jobFinished({ id: type, type, agent: null, ...clustered }));
    }
    await deliver(
      jobFinished({ id: 'none', agent: null, started_at: null, state: 'canceled', ...clustered }),
    );
    const { jobs } = await onlyRun(organization);
    assert.deepEqual(
      jobs.map(({ receipt }: { receipt: { billed_minutes: number } }) => receipt.billed_minutes),
      [0, 0, 0, 0],
    );
    assert.equal(
      (await organization.get('/api/v1/pricing/unpriced', { days: 365 })).body.pagination.total,
      0,
    );
  });

  test('have the labels that the job asks for, with any number of agent tags', async () => {
    const { organization, deliver } = await newSource();
    const many = Array.from({ length: 150 }, (_, index) => `tag-${index}=${index}`);
    const wanted = Array.from({ length: 150 }, (_, index) => `os=${index}`);
    const long = `os=${'x'.repeat(400)}`;
    const cases: [rules: string[] | null, meta_data: unknown, labels: string[], group: string | null][] = [
      [null, [...many, 'hostname=ci-7', 'queue=linux'], ['queue=linux'], 'linux'],
      [['queue=linux'], ['queue=linux', 'hostname=ci-7'], ['queue=linux'], 'linux'],
      [['os=*'], [long, 'os=macos', 'hostname=ci-7', 'oscar=1'], ['os=*', 'os=macos'], null],
      [['os=*'], wanted, ['os=*', ...wanted.slice(0, 100)], null],
      [['*'], ['hostname=ci-7', '*', '', 7, null], ['*'], null],
      [[], 'queue=linux', [], null],
    ];
    for (const [index, [agent_query_rules, meta_data]] of cases.entries()) {
      const agent = { ...job.agent, meta_data };
      const answer = await deliver(jobFinished({ ...clustered, id: `${index}`, agent_query_rules, agent }));
      assert.equal(answer.status, 202, answer.text);
    }
    const { jobs } = await onlyRun(organization);
    for (const [index, [, , labels, group]] of cases.entries()) {
      const found = jobs.find(({ job_id }: { job_id: string }) => job_id === `${index}`);
      assert.deepEqual([found.labels, found.runner_group], [labels, group]);
    }
  });

  test('of parallel jobs and retries are separate jobs', async () => {
    const { organization, deliver } = await newSource();
    for (const [id, place] of [
      ['a', 0],
      ['b', 1],
      ['c', null],
    ] as const) {
      await deliver(jobFinished({ id, parallel_group_index: place }));
    }
    await deliver(jobFinished({ id: 'd', name: null }));
    const names = (await onlyRun(organization)).jobs.map(({ name }: { name: string }) => name);
    assert.deepEqual(names.toSorted(), ['RSpec', 'RSpec 1', 'RSpec 2', 'rspec']);
  });

  test("have the event of the repository’s host, or Buildkite's source, and the pull request", async () => {
    for (const [fields, ...expected] of [
      [{ pull_request: { id: '42', base: 'main' } }, 'pull_request', 42],
      [{ pull_request: {} }, 'push', null],
      [{ pull_request: null }, 'push', null],
      [{ source: 'schedule' }, 'schedule', null],
      [{ source: 'ui', pull_request: { id: 42 } }, 'ui', 42],
      [{ source: null }, null, null],
    ] as const) {
      const { organization, deliver } = await newSource();
      assert.equal((await deliver(buildFinished(fields))).status, 202);
      const { event, pull_request, run_number } = await onlyRun(organization);
      assert.deepEqual([event, pull_request, run_number], [...expected, build.number]);
    }
  });

  test('of a build are superseded when a newer one on its branch starts', async () => {
    const { organization, deliver } = await newSource();
    const rule = { match: 'runner_group', pattern: 'linux', name: 'Small', usd_per_minute: 0.06 };
    assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
    await deliver(jobFinished(clustered));
    await deliver(buildFinished());
    await deliver(buildFinished({ id: 'newer', created_at: '2015-05-09T21:08:29.874Z' }));
    const { categories } = (await organization.get('/api/v1/waste')).body.data;
    const superseded = categories.find(({ category }: { category: string }) => category === 'superseded');
    // Half of a minute.
    assert.deepEqual([superseded.jobs, superseded.cost], [1, 0.03]);
  });

  test('have the repository of the pipeline, or the pipeline itself', async () => {
    for (const [fields, expected] of [
      [{ repository: 'https://gitlab.com/acme/group/web.git' }, 'acme/group/web'],
      [{ repository: 'ssh://git@git.acme.example/acme/api' }, 'acme/api'],
      [{ repository: '/srv/git' }, 'my-great-org/my-pipeline'],
    ] as const) {
      const { organization, deliver } = await newSource();
      const payload = { ...buildFinished(), pipeline: { ...pipeline, ...fields } };
      assert.equal((await deliver(payload)).status, 202);
      assert.equal((await onlyRun(organization)).repository, expected);
    }
  });

  test('answers a ping, and ignores other events', async () => {
    const { organization, deliver } = await newSource();
    assert.deepEqual((await deliver({ event: 'ping', sender })).body.data, { status: 'pong', event: 'ping' });
    for (const event of ['job.started', 'build.running', 'agent.lost', undefined]) {
      assert.equal((await deliver({ ...jobFinished(), event })).body.data.status, 'ignored');
    }
    assert.deepEqual((await organization.get('/api/v1/runs')).body.data, []);
  });

  test('are refused if they cannot be recorded, with the field', async () => {
    const { deliver } = await newSource();
    for (const [payload, field] of [
      [jobFinished({ id: '' }), 'job.id'],
      [jobFinished({ finished_at: 'soon' }), 'job.finished_at'],
      [jobFinished({ agent_query_rules: 'queue=a' }), 'job.agent_query_rules'],
      [buildFinished({ id: 'a/b' }), 'build.id'],
      [{ ...buildFinished(), pipeline: {} }, 'pipeline.repository'],
    ] as const) {
      assertProblem(await deliver(payload), 400, 'invalid_payload', [field]);
    }
  });
});

describe('a delivery', () => {
  const body = JSON.stringify(jobFinished());
  const now = Date.parse('2015-05-10T12:00:00Z') / 1_000;
  const sign = (secret: string, timestamp = now, signed = body) => {
    const hex = createHmac('sha256', secret).update(`${timestamp}.${signed}`).digest('hex');
    return { 'x-buildkite-signature': `timestamp=${timestamp},signature=${hex}` };
  };

  test('proves with its token that it is Buildkite’s', async () => {
    const { organization, id, secret } = await newSource();
    const stranger = await newSource();
    assertProblem(await send(id, body, {}), 401, 'token_missing');
    for (const token of [stranger.secret, secret.slice(1), `${secret}x`]) {
      const answer = await send(id, body, { 'x-buildkite-token': token });
      assertProblem(answer, 401, 'token_invalid');
      assert.ok(!answer.text.includes(secret));
    }
    assert.deepEqual((await organization.get('/api/v1/runs')).body.data, []);
    assert.equal((await send(id, body, { 'x-buildkite-token': secret })).status, 202);
    assert.deepEqual((await stranger.organization.get('/api/v1/runs')).body.data, []);
  });

  test('or with its signature, within five minutes', async () => {
    const { id, secret } = await newSource();
    const stranger = await newSource();
    for (const headers of [
      sign(stranger.secret),
      sign(secret, now, `${body} `),
      { 'x-buildkite-signature': sign(secret)['x-buildkite-signature'].replace(`${now}`, `${now + 1}`) },
      { 'x-buildkite-signature': 'timestamp=1,signature=x' },
      // A valid token does not make up for a wrong signature.
      { ...sign(stranger.secret), 'x-buildkite-token': secret },
    ]) {
      assertProblem(await send(id, body, headers), 401, 'signature_invalid');
    }
    for (const timestamp of [now - 301, now + 301]) {
      assertProblem(await send(id, body, sign(secret, timestamp)), 401, 'signature_expired');
    }
    for (const timestamp of [now - 300, now + 300]) {
      assert.equal((await send(id, body, sign(secret, timestamp))).status, 202);
    }
  });
});

describe('prices', () => {
  const runners: [labels: string[], kind: string | null, rule: string, confidence: string][] = [
    [['queue=linux', 'unclustered'], 'self_hosted', 'buildkite_unclustered', 'certain'],
    [['queue=macos-medium'], 'buildkite_macos_arm64_m4_6x28', 'buildkite_queue', 'guessed'],
    [['queue=macos-26-medium', 'os=macos'], 'buildkite_macos_arm64_m4_6x28', 'buildkite_queue', 'guessed'],
    [['Queue=macOS-Large'], 'buildkite_macos_arm64_m4_12x56', 'buildkite_queue', 'guessed'],
    [['queue=linux'], null, 'unmatched', 'certain'],
    [['queue=macos-medium-2'], null, 'unmatched', 'certain'],
    [['ubuntu-latest'], null, 'unmatched', 'certain'],
    [['self-hosted'], null, 'unmatched', 'certain'],
    [[], null, 'unmatched', 'certain'],
  ];
  for (const [labels, kind, rule, confidence] of runners) {
    test(`the labels ${labels.join(' ')} are ${kind}`, () => {
      const facts = { provider: 'buildkite', labels, runnerGroup: null, runnerName: 'my-agent-123' };
      const runner = priceRunner(facts, defaultPriceList, '2026-11-22');
      assert.deepEqual([runner.kind, runner.rule, runner.confidence], [kind, rule, confidence]);
      const text = explainRunner({ ...facts, ...runner }, providers);
      assert.match(text, kind === null ? /^No rule matches/ : /^(The label|Its agent) .+\.$/);
    });
  }

  test('of hosted agents are unknown until a rule or price list names them', async () => {
    const { organization, deliver } = await newSource();
    await deliver(jobFinished({ ...clustered, finished_at: '2015-05-09T21:09:00.874Z' }));
    await deliver(jobFinished({ ...clustered, id: 'mac', agent_query_rules: ['queue=macos-large'] }));
    const before = await onlyRun(organization);
    assert.deepEqual(
      before.jobs.map((each: { receipt: { is_unpriced: boolean; cost: number } }) => [
        each.receipt.is_unpriced,
        each.receipt.cost,
      ]),
      [
        [true, 0],
        [true, 0],
      ],
    );
    const list = (await organization.get('/api/v1/pricing/unpriced', { days: 365 })).body.data;
    assert.deepEqual(list.map((each: { runner_group: string }) => each.runner_group).toSorted(), [
      'linux',
      'macos-large',
    ]);
    const rule = { match: 'runner_group', pattern: 'linux', name: 'Hosted small', usd_per_minute: 0.01 };
    assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
    const mac = { runner_kind: 'buildkite_macos_arm64_m4_12x56', usd_per_minute: 0.3 };
    const book = { name: 'Ours', based_on: 'github_2026', prices: [mac] };
    const { id } = (await organization.send('POST', '/api/v1/pricing/books', book)).body.data;
    assert.equal((await organization.send('PUT', '/api/v1/pricing', { book_id: id })).status, 200);
    const days = { from: '2015-05-09', to: '2015-05-09' };
    const reprice = (await organization.send('POST', '/api/v1/reprices', days)).body.data.id;
    await testApp.worker.processAll();
    assert.equal((await organization.get(`/api/v1/reprices/${reprice}`)).body.data.changed_jobs, 2);
    // 61 s × 0.01 / 60, by the second, and a minute of 0.3.
    assert.equal((await onlyRun(organization)).cost, 0.310166667);
    const preview = (await organization.send('POST', '/api/v1/pricing/what-if', {})).body.data.total;
    assert.deepEqual([preview.cost_now, preview.cost_current], [0.310166667, 0.310166667]);
  });
});

test('totals equal the jobs, with events in any order and repeated', async () => {
  const finished = (seconds: number) => new Date(Date.parse(job.started_at) + seconds * 1_000).toISOString();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.infiniteStream(fc.nat()),
      async (runs, order) => {
        const { organization, deliver } = await newSource();
        const rule = { match: 'runner_group', pattern: 'linux', name: 'Small', usd_per_minute: 0.012 };
        await organization.send('POST', '/api/v1/pricing/rules', rule);
        const events = runs.flatMap((jobs, run) => {
          const ofRun = { ...build, id: `build-${run}` };
          return [
            { ...buildFinished(), build: ofRun },
            ...jobs.map((seconds, index) => ({
              ...jobFinished({ ...clustered, id: `${run}-${index}`, finished_at: finished(seconds) }),
              build: ofRun,
            })),
          ];
        });
        const shuffled = [...events, ...events.filter((_, index) => index % 2 === 0)]
          .map((payload) => ({ payload, place: order.next().value as number }))
          .toSorted((a, b) => a.place - b.place);
        for (const { payload } of shuffled) assert.equal((await deliver(payload)).status, 202);
        const nanos = runs
          .flat()
          .reduce((sum, seconds) => sum + Math.floor((seconds * 12_000_000 + 30) / 60), 0);
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
