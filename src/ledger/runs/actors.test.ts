import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newGitLabSource, newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun, type Payload } from '../../../test/payloads/gitHub.ts';
import { gitLabBuild, gitLabJob, gitLabPipeline } from '../../../test/payloads/gitLab.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-11-21T12:00:00Z');

/** Minutes by the value of a dimension. */
async function minutesBy(
  organization: TestOrganization,
  dimension: 'actor' | 'started_by',
): Promise<Record<string, number>> {
  const { body, status, text } = await organization.get('/api/v1/costs', {
    group_by: dimension,
    metric: 'minutes',
  });
  assert.equal(status, 200, text);
  type Group = { by: { value: string | null }[]; value: number };
  return Object.fromEntries(
    (body.data.groups as Group[]).map(({ by, value }) => [by[0]!.value ?? '', value]),
  );
}

const shared = { id: 1, name: 'Agent' };
const starter = { ...shared, actor: 'Copilot' };
const rerun = { ...starter, run_attempt: 2, triggeredBy: 'mona', run_started_at: '2026-11-20T11:00:00Z' };
const second = { run_id: 1, run_attempt: 2, workflow_name: 'Agent' };
/** Copilot starts a run of two jobs. Mona re-runs the failed one, and GitHub copies the other. */
const events: [string, Payload][] = [
  ['workflow_run', gitHubRun({ ...starter, status: 'queued' })],
  ['workflow_job', gitHubJob({ id: 11, run_id: 1, name: 'lint', workflow_name: 'Agent' })],
  [
    'workflow_job',
    gitHubJob({ id: 12, run_id: 1, name: 'test', conclusion: 'failure', workflow_name: 'Agent' }),
  ],
  ['workflow_run', gitHubRun({ ...starter, conclusion: 'failure' })],
  ['workflow_run', gitHubRun({ ...rerun, status: 'in_progress' })],
  ['workflow_job', gitHubJob({ ...second, id: 13, name: 'lint' })],
  [
    'workflow_job',
    gitHubJob({
      ...second,
      id: 14,
      name: 'test',
      started_at: '2026-11-20T11:00:00Z',
      completed_at: '2026-11-20T11:05:00Z',
    }),
  ],
  ['workflow_run', gitHubRun(rerun)],
];

test('a re-run counts for who triggered it, and for who started the run, in any order of events', async () => {
  const orders = [
    events,
    events.toReversed(),
    [...events.filter(([event]) => event === 'workflow_job'), ...events.toReversed()],
    // The first attempt of the run arrives last, or never.
    [...events.slice(4), ...events],
    events.filter((_, place) => place !== 0 && place !== 3),
  ];
  for (const [index, order] of orders.entries()) {
    const organization = await testApp.newOrganization();
    const { deliver } = await newSource(testApp, organization);
    for (const [event, payload] of order) {
      assert.equal((await deliver(event, payload)).status, 202);
      // A question between events keeps columns of the day, which a new actor must replace.
      await minutesBy(organization, 'actor');
    }
    assert.deepEqual(await minutesBy(organization, 'actor'), { Copilot: 2, mona: 5 }, `order ${index}`);
    assert.deepEqual(await minutesBy(organization, 'started_by'), { Copilot: 7 }, `order ${index}`);
    const { body } = await organization.get('/api/v1/runs/run_github_1');
    const { actor, started_by: startedBy, jobs } = body.data;
    assert.deepEqual([actor, startedBy], ['mona', 'Copilot']);
    assert.deepEqual(
      jobs.map((job: { attempt: number; actor: string }) => `${job.attempt} ${job.actor}`),
      ['1 Copilot', '1 Copilot', '2 mona', '2 mona'],
    );
    const listed = await organization.get('/api/v1/costs/jobs', { actor: 'Copilot' });
    assert.deepEqual(
      listed.body.data.map((job: Payload) => [job['actor'], job['started_by'], job['job_id']]),
      [
        ['Copilot', 'Copilot', '12'],
        ['Copilot', 'Copilot', '11'],
      ],
    );
    const runs = await organization.get('/api/v1/costs/runs', { started_by: 'Copilot' });
    assert.deepEqual([runs.body.data.length, runs.body.data[0].actor], [1, 'mona']);
  }
});

test('an attempt whose actor nobody reports counts for who started the run', async () => {
  const organization = await testApp.newOrganization();
  const { deliver } = await newSource(testApp, organization);
  for (const [event, payload] of events.filter((_, place) => place !== 4 && place !== 7))
    await deliver(event, payload);
  assert.deepEqual(await minutesBy(organization, 'actor'), { Copilot: 7 });
});

test('a run from before the column keeps its actor until a report says more', async () => {
  const organization = await testApp.newOrganization();
  const { deliver } = await newSource(testApp, organization);
  for (const [event, payload] of [...events, ['workflow_run', gitHubRun({ id: 2, actor: 'ada' })]] as const)
    await deliver(event, payload);
  await deliver('workflow_job', gitHubJob({ id: 21, run_id: 2 }));
  const older = { startedBy: null, attemptActors: null, reports: null };
  await testApp.app.db.updateTable('runs').set(older).where('orgId', '=', organization.orgId).execute();
  assert.deepEqual(await minutesBy(organization, 'actor'), { mona: 7, ada: 1 });
  assert.deepEqual(await minutesBy(organization, 'started_by'), { '': 7, ada: 1 });
  await deliver(...events[3]!);
  assert.deepEqual(await minutesBy(organization, 'actor'), { Copilot: 2, mona: 5, ada: 1 });
  assert.deepEqual(await minutesBy(organization, 'started_by'), { Copilot: 7, ada: 1 });
});

test('a submitted run names who triggered its attempt and who started it', async () => {
  const organization = await testApp.newOrganization();
  const run = { run_id: 'a', created_at: '2026-11-20T10:00:00Z', started_at: '2026-11-20T10:00:00Z' };
  const job = (hour: number) =>
    newJob({ started_at: `2026-11-20T${hour}:00:00Z`, completed_at: `2026-11-20T${hour}:05:00Z` });
  const again = newRun({ ...run, run_attempt: 2, actor: 'mona', jobs: [job(12)] });
  await submit(organization, again);
  assert.deepEqual(await minutesBy(organization, 'started_by'), { '': 5 });
  await submit(organization, newRun({ ...run, actor: 'Copilot', jobs: [job(11)] }));
  await submit(organization, { ...newRun({ ...run, run_id: 'b', jobs: [job(14)] }), started_by: 'renovate' });
  assert.deepEqual(await minutesBy(organization, 'actor'), { Copilot: 5, mona: 5, renovate: 5 });
  assert.deepEqual(await minutesBy(organization, 'started_by'), { Copilot: 10, renovate: 5 });
  await submit(organization, { ...again, started_by: 'ada' });
  assert.deepEqual(await minutesBy(organization, 'started_by'), { ada: 10, renovate: 5 });
});

test("a retried GitLab job counts for the job's user, and the pipeline for its own", async () => {
  const ada = { username: 'ada', name: 'Ada' };
  const retry = { id: 9_002, started_at: '2026-11-20T11:00:00Z', finished_at: '2026-11-20T11:01:00Z' };
  const deliveries: [string, Payload][] = [
    ['Job Hook', gitLabJob()],
    ['Pipeline Hook', gitLabPipeline()],
    [
      'Job Hook',
      gitLabJob({
        build_id: 9_002,
        build_started_at: '2026-11-20 11:00:00 UTC',
        build_finished_at: '2026-11-20 11:01:00 UTC',
        build_started_at_iso: '2026-11-20T11:00:00Z',
        build_finished_at_iso: '2026-11-20T11:01:00Z',
        build_duration: 60,
        user: ada,
      }),
    ],
  ];
  const whole: [string, Payload][] = [
    [
      'Pipeline Hook',
      gitLabPipeline({}, { builds: [gitLabBuild(), gitLabBuild({ ...retry, duration: 60, user: ada })] }),
    ],
  ];
  for (const order of [deliveries, deliveries.toReversed(), whole, [...whole, ...deliveries]]) {
    const organization = await testApp.newOrganization();
    const { deliver } = await newGitLabSource(testApp, organization);
    for (const [event, payload] of order) assert.equal((await deliver(event, payload)).status, 202);
    assert.deepEqual(await minutesBy(organization, 'actor'), { mona: 2, ada: 1 });
    assert.deepEqual(await minutesBy(organization, 'started_by'), { mona: 3 });
  }
});
