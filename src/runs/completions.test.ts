import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { gitHubJob, gitHubRun, type Payload } from '../../test/factories.ts';
import { eventsOf } from '../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../test/harness/app.ts';
import { newSource, type TestSource } from '../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../test/harness/submission.ts';
import { newWebhook } from '../../test/harness/webhooks.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;
const completedAt = '2026-11-20T10:01:10Z';

/** An organization whose webhook has wanted to know of runs since before they were. */
async function subscriber(): Promise<{ organization: TestOrganization; source: TestSource }> {
  clock.set('2026-11-20T09:00:00Z');
  const organization = await testApp.newOrganization();
  await newWebhook(organization, { events: ['workflow.completed'], status: 'paused' });
  return { organization, source: await newSource(testApp, organization) };
}

async function toldOf(organization: TestOrganization) {
  await worker.processAll();
  return (await eventsOf(testApp, organization, 'workflow.completed')).map(({ data }) => data.run);
}

describe('a run of GitHub', () => {
  test('is told when it and all its jobs have ended', async () => {
    const { organization, source } = await subscriber();
    clock.set(completedAt);
    await source.deliver('workflow_job', gitHubJob({ status: 'in_progress' }));
    assert.deepEqual(await toldOf(organization), []);
    await source.deliver('workflow_run', gitHubRun());
    assert.deepEqual(await toldOf(organization), [], 'a job is still running');
    await source.deliver('workflow_job', gitHubJob());
    const [run, ...others] = await toldOf(organization);
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

  test('is told a minute after its end where a job is never heard of again', async () => {
    const { organization, source } = await subscriber();
    clock.set(completedAt);
    await source.deliver('workflow_job', gitHubJob({ status: 'in_progress' }));
    await source.deliver('workflow_run', gitHubRun());
    clock.forward(59);
    assert.deepEqual(await toldOf(organization), []);
    clock.forward(1);
    assert.equal((await toldOf(organization)).length, 1);
    await source.deliver('workflow_job', gitHubJob());
    assert.equal((await toldOf(organization)).length, 1, 'once');
  });

  test('is told once an attempt, with its own cost and that of all so far', async () => {
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
    const told = (await toldOf(organization)).map(({ run_attempt, status, cost, attempt_cost }) => [
      run_attempt,
      status,
      cost,
      attempt_cost,
    ]);
    assert.deepEqual(told, [
      [1, 'success', 0.008, 0.008],
      [2, 'failure', 0.088, 0.08],
    ]);
  });

  test('is told the same, whatever order its deliveries come in, one by one or at once', async () => {
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
          const told = await toldOf(organization);
          const shown = told.map(({ run_attempt, status, cost }) => `${run_attempt} ${status} ${cost}`);
          assert.deepEqual(shown.toSorted(), ['1 success 0.008', '2 success 0.016']);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('a run that is posted', () => {
  const run = (day: string, fields: object = {}) => {
    const times = { started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` };
    return newRun({
      created_at: times.started_at,
      started_at: times.started_at,
      jobs: [newJob(times)],
      ...fields,
    });
  };

  test('is told at once, with its attempts of one call each', async () => {
    const { organization } = await subscriber();
    clock.set('2026-11-20T12:00:00Z');
    const first = run('2026-11-20', { run_attempt: 1 });
    const jobs = [newJob({ started_at: '2026-11-20T10:30:00Z', completed_at: '2026-11-20T10:35:00Z' })];
    await submit(organization, first, { ...first, run_attempt: 2, jobs });
    const told = await toldOf(organization);
    assert.deepEqual(
      told.map(({ run_attempt, attempt_cost }) => [run_attempt, attempt_cost]),
      [
        [1, 0.04],
        [2, 0.04],
      ],
    );
  });

  test('is not told where it ended before the webhook was there, or more than a week ago', async () => {
    const { organization } = await subscriber();
    const deliveries = async () => {
      const [{ id }] = (await organization.get('/api/v1/webhooks')).body.data.webhooks;
      return (await organization.get(`/api/v1/webhooks/${id}/deliveries`)).body.data.deliveries.length;
    };
    await submit(organization, run('2026-11-19'));
    await worker.processAll();
    assert.equal(await deliveries(), 0);
    clock.set('2026-11-29T12:00:00Z');
    await submit(organization, run('2026-11-21'));
    await worker.processAll();
    assert.equal(await deliveries(), 0);
    await submit(organization, run('2026-11-28'));
    await worker.processAll();
    assert.equal(await deliveries(), 1);
  });
});
