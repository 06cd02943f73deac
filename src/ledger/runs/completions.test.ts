import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newSource, type TestSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { newWebhook } from '../../../test/harness/webhooks.ts';
import { gitHubJob, gitHubRun, type Payload } from '../../../test/payloads/gitHub.ts';
import { tracesOf } from '../../../test/payloads/otlp.ts';
import { conventionsTrace } from '../../../test/payloads/otlpExamples.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;
const completedAt = '2026-11-20T10:01:10Z';

/** An organization whose webhook existed before its runs. */
async function subscriber(): Promise<{ organization: TestOrganization; source: TestSource }> {
  clock.set('2026-11-20T09:00:00Z');
  const organization = await testApp.newOrganization();
  await newWebhook(organization, { events: ['workflow.completed'], status: 'paused' });
  return { organization, source: await newSource(testApp, organization) };
}

async function announcedTo(organization: TestOrganization) {
  await worker.processAll();
  return (await eventsOf(testApp, organization, 'workflow.completed')).map(({ data }) => data.run);
}

describe('a run at GitHub', () => {
  test('is announced when it and all its jobs have ended', async () => {
    const { organization, source } = await subscriber();
    clock.set(completedAt);
    await source.deliver('workflow_job', gitHubJob({ status: 'in_progress' }));
    assert.deepEqual(await announcedTo(organization), []);
    await source.deliver('workflow_run', gitHubRun());
    assert.deepEqual(await announcedTo(organization), [], 'a job is still running');
    await source.deliver('workflow_job', gitHubJob());
    const [run, ...others] = await announcedTo(organization);
    assert.deepEqual(others, []);
    const { workflow_id, repository, organization: owner, repository_full_name, ...rest } = run;
    assert.match(workflow_id, /./);
    assert.equal(`${owner}/${repository}`, repository_full_name);
    assert.deepEqual(rest, {
      id: 'run_github_7000000001',
      workflow_name: 'Build',
      status: 'success',
      duration_minutes: rest.duration_minutes,
      cost: 0.008,
      started_at: '2026-11-20T10:00:00.000Z',
      completed_at: run.completed_at,
      run_attempt: 1,
      attempt_cost: 0.008,
    });
    assert.ok(rest.duration_minutes >= 1 && rest.duration_minutes < 2);
    const { runs } = (await organization.get('/api/v1/dashboard/recent-runs')).body;
    assert.deepEqual([runs[0].id, runs[0].cost], [run.id, run.cost], 'as the dashboard shows it');
  });

  test('is announced a minute after its end if a job never ends', async () => {
    const { organization, source } = await subscriber();
    clock.set(completedAt);
    await source.deliver('workflow_job', gitHubJob({ status: 'in_progress' }));
    await source.deliver('workflow_run', gitHubRun());
    clock.forward(59);
    assert.deepEqual(await announcedTo(organization), []);
    clock.forward(1);
    assert.equal((await announcedTo(organization)).length, 1);
    await source.deliver('workflow_job', gitHubJob());
    assert.equal((await announcedTo(organization)).length, 1, 'once');
  });

  test('is announced once per attempt, with the cost of the attempt and of all so far', async () => {
    const { organization, source } = await subscriber();
    clock.set('2026-11-20T12:00:00Z');
    const times = { started_at: '2026-11-20T11:00:00Z', completed_at: '2026-11-20T11:10:00Z' };
    const second = { run_attempt: 2, run_started_at: '2026-11-20T11:00:00Z', conclusion: 'failure' };
    const deliveries: [string, Payload][] = [
      ['workflow_job', gitHubJob()],
      ['workflow_run', gitHubRun()],
      ['workflow_job', gitHubJob({ id: 3, run_attempt: 2, ...times })],
      ['workflow_run', gitHubRun(second)],
    ];
    for (const [event, payload] of deliveries) await source.deliver(event, payload);
    for (const [event, payload] of deliveries) await source.deliver(event, payload);
    const announced = (await announcedTo(organization)).map(({ run_attempt, status, cost, attempt_cost }) => [
      run_attempt,
      status,
      cost,
      attempt_cost,
    ]);
    assert.deepEqual(announced, [
      [1, 'success', 0.008, 0.008],
      [2, 'failure', 0.088, 0.08],
    ]);
  });

  test('is announced the same in any order of deliveries, one by one or together', async () => {
    const deliveries: [string, Payload][] = [
      ['workflow_job', gitHubJob({ status: 'in_progress' })],
      ['workflow_job', gitHubJob()],
      ['workflow_run', gitHubRun({ status: 'in_progress' })],
      ['workflow_run', gitHubRun()],
      ['workflow_run', gitHubRun({ run_attempt: 2, run_started_at: '2026-11-20T10:30:00Z' })],
      [
        'workflow_job',
        gitHubJob({
          id: 3,
          run_attempt: 2,
          started_at: '2026-11-20T10:30:00Z',
          completed_at: '2026-11-20T10:31:00Z',
        }),
      ],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(deliveries, { minLength: deliveries.length }),
        fc.boolean(),
        async (shuffled, isAtOnce) => {
          const { organization, source } = await subscriber();
          clock.set('2026-11-20T11:00:00Z');
          const delivered: Promise<unknown>[] = [];
          for (const [event, payload] of shuffled) {
            delivered.push(source.deliver(event, payload));
            if (!isAtOnce) await delivered.at(-1);
          }
          await Promise.all(delivered);
          clock.forward(120);
          const announced = await announcedTo(organization);
          const shown = announced.map(({ run_attempt, status, cost }) => `${run_attempt} ${status} ${cost}`);
          assert.deepEqual(shown.toSorted(), ['1 success 0.008', '2 success 0.016']);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('a submitted run', () => {
  const run = (day: string, fields: object = {}) => {
    const times = { started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` };
    return newRun({
      created_at: times.started_at,
      started_at: times.started_at,
      jobs: [newJob(times)],
      ...fields,
    });
  };

  test('is announced at once, once per attempt', async () => {
    const { organization } = await subscriber();
    clock.set('2026-11-20T12:00:00Z');
    const first = run('2026-11-20', { run_attempt: 1 });
    const jobs = [newJob({ started_at: '2026-11-20T10:30:00Z', completed_at: '2026-11-20T10:35:00Z' })];
    await submit(organization, first, { ...first, run_attempt: 2, jobs });
    const announced = await announcedTo(organization);
    assert.deepEqual(
      announced.map(({ run_attempt, attempt_cost }) => [run_attempt, attempt_cost]),
      [
        [1, 0.04],
        [2, 0.04],
      ],
    );
  });
});

describe('a run that ended less than 24 hours before it was reported', () => {
  /** An organization that subscribes only now, at noon on the 20th. */
  async function lateSubscriber() {
    clock.set('2026-11-20T12:00:00Z');
    const organization = await testApp.newOrganization();
    await newWebhook(organization, { events: ['workflow.completed'], status: 'paused' });
    return organization;
  }
  const deliveriesOf = async (organization: TestOrganization) => {
    await worker.processAll();
    const [{ id }] = (await organization.get('/api/v1/webhooks')).body.data.webhooks;
    return (await organization.get(`/api/v1/webhooks/${id}/deliveries`)).body.data.deliveries.length;
  };
  const endedAt = (completed_at: string) => {
    const started_at = '2026-11-19T11:00:00Z';
    return newRun({ created_at: started_at, started_at, jobs: [newJob({ started_at, completed_at })] });
  };

  test('is announced however it was reported, even if it ended before the webhook was created', async () => {
    const posted = endedAt('2026-11-20T11:59:00Z');
    const ways = {
      webhook: async (organization: TestOrganization) => {
        const source = await newSource(testApp, organization);
        await source.deliver('workflow_job', gitHubJob());
        await source.deliver('workflow_run', gitHubRun());
      },
      traces: async (organization: TestOrganization) => {
        const sent = await organization.send('POST', '/v1/traces', tracesOf([conventionsTrace()]));
        assert.deepEqual([sent.status, sent.body], [200, {}]);
      },
      submission: async (organization: TestOrganization) => {
        await submit(organization, posted);
      },
    };
    for (const [way, report] of Object.entries(ways)) {
      const organization = await lateSubscriber();
      await report(organization);
      assert.equal(await deliveriesOf(organization), 1, way);
      await report(organization);
      assert.equal(await deliveriesOf(organization), 1, `${way}, once`);
    }
  });

  test('is announced, and older ones are not', async () => {
    const organization = await lateSubscriber();
    await submit(organization, endedAt('2026-11-19T12:00:00Z'));
    assert.equal(await deliveriesOf(organization), 0, '24 hours before');
    await submit(organization, endedAt('2026-11-19T12:00:01Z'));
    assert.equal(await deliveriesOf(organization), 1, 'a second less');
  });

  test('is no event if nobody has subscribed', async () => {
    clock.set('2026-11-20T12:00:00Z');
    const organization = await testApp.newOrganization();
    await newWebhook(organization, { events: ['alert.triggered'], status: 'paused' });
    await submit(organization, endedAt('2026-11-20T11:59:00Z'));
    clock.forward(120);
    assert.deepEqual(await announcedTo(organization), []);
  });

  test('is announced on report, even if nothing was reported for days', async () => {
    const organization = await lateSubscriber();
    await submit(organization, endedAt('2026-11-20T11:59:00Z'));
    clock.forward(10 * 24 * 3_600);
    assert.equal(await deliveriesOf(organization), 1);
  });

  test('is not announced again while it is news, and forgotten after 30 days', async () => {
    const organization = await lateSubscriber();
    const posted = endedAt('2026-11-20T11:59:00Z');
    await submit(organization, posted);
    assert.equal(await deliveriesOf(organization), 1);
    clock.forward(23 * 3_600);
    assert.equal(await deliveriesOf(organization), 1);
    await submit(organization, posted);
    assert.equal(await deliveriesOf(organization), 1, 'reported again 23 hours later');
    const remembered = async () => {
      await worker.processAll();
      const { orgId } = organization;
      return testApp.app.db.selectFrom('runCompletions').select('runId').where('orgId', '=', orgId).execute();
    };
    clock.forward((30 * 24 - 23) * 3_600);
    assert.equal((await remembered()).length, 1);
    clock.forward(1);
    assert.deepEqual(await remembered(), []);
  });

  test('is not announced again when its jobs are repriced', async () => {
    const organization = await lateSubscriber();
    await submit(organization, endedAt('2026-11-20T11:59:00Z'));
    assert.equal(await deliveriesOf(organization), 1);
    const rule = { match: 'label', pattern: 'linux_2_core', runner_kind: 'linux_4_core' };
    assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
    const { status, text } = await organization.send('POST', '/api/v1/reprices', {
      from: '2026-11-01',
      to: '2026-11-30',
    });
    assert.equal(status, 202, text);
    assert.equal(await deliveriesOf(organization), 1);
    const [run] = (await organization.get('/api/v1/dashboard/recent-runs')).body.runs;
    assert.equal(run.cost, 5.92, 'it was repriced');
  });
});
