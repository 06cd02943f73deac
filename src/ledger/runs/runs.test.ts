import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const path = '/api/v1/runs';

type Run = { id: string; workflow_name: string; cost: number; conclusion: string; [field: string]: unknown };

async function recentRuns(organization: TestOrganization): Promise<Run[]> {
  return (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body.runs;
}

/** Everything visible about an organization's runs. */
async function stateOf(organization: TestOrganization): Promise<string[]> {
  const parts = [
    'dashboard/summary',
    'dashboard/trends',
    'dashboard/workflows',
    'dashboard/recent-runs',
    'pricing/unpriced',
  ];
  return Promise.all(parts.map(async (part) => (await organization.get(`/api/v1/${part}`)).text));
}

const send = (organization: TestOrganization, ...runs: unknown[]) =>
  organization.send('POST', path, { runs });

describe('submitted runs', () => {
  test('are answered one by one, with the ids that the dashboard shows', async () => {
    const organization = await testApp.newOrganization();
    const runs = [
      newRun({ run_id: '7' }),
      newRun({ run_id: '7', provider: 'jenkins' }),
      newRun({ run_id: 'ü/7 x' }),
    ];
    const { data } = (await submit(organization, ...runs)).body;
    assert.equal(data.accepted, 3);
    assert.deepEqual(data.results, [
      { index: 0, id: 'run_api_7' },
      { index: 1, id: 'run_jenkins_7' },
      { index: 2, id: 'run_api_ü/7 x' },
    ]);
    const shown = (await recentRuns(organization)).map(({ id }) => id);
    assert.deepEqual(shown.toSorted(), data.results.map((result: { id: string }) => result.id).toSorted());
  });

  test('do not keep valid ones out if some have faults', async () => {
    const organization = await testApp.newOrganization();
    const good = [newRun(), newRun()];
    const answer = await send(
      organization,
      good[0],
      { run_id: 'x' },
      newRun({ branch: 'a\0b' }),
      good[1],
      'no run',
      null,
      [],
    );
    assert.equal(answer.status, 207, answer.text);
    const { accepted, rejected, results } = answer.body.data;
    assert.deepEqual([accepted, rejected], [2, 5]);
    assert.deepEqual(
      results.map((result: { index: number }) => result.index),
      [0, 1, 2, 3, 4, 5, 6],
    );
    assert.deepEqual(Object.keys(results[0]), ['index', 'id']);
    assert.deepEqual(Object.keys(results[1]), ['index', 'error']);
    assert.equal(results[1].error.code, 'invalid_request');
    assert.deepEqual(
      results[1].error.errors.map((error: { path: string }) => error.path),
      ['workflow_name', 'repo_name', 'status', 'created_at'].map((field) => `body.runs[1].${field}`),
    );
    assert.deepEqual(results[2].error.errors[0].path, 'body.runs[2].branch');
    assert.deepEqual(
      answer.body.rejected,
      [1, 2, 4, 5, 6].map((index) => results[index]),
      'the list has what is rejected',
    );
    assert.equal((await recentRuns(organization)).length, 2);
  });

  test('are answered 200 if all are recorded, without rejected ones', async () => {
    const organization = await testApp.newOrganization();
    const { status, body } = await send(organization, newRun(), newRun());
    assert.deepEqual([status, Object.keys(body)], [200, ['data']]);
    assert.deepEqual([body.data.accepted, body.data.rejected], [2, 0]);
  });

  test('may give their conclusion in upper case', async () => {
    const organization = await testApp.newOrganization();
    const jobs = [newJob({ conclusion: 'Timed_Out' }), newJob({ conclusion: 'SKIPPED' })];
    const { body } = await submit(organization, newRun({ conclusion: 'FAILURE', jobs }));
    const { id } = body.data.results[0];
    const run = (await organization.get(`/api/v1/runs/${id}`)).body.data;
    assert.deepEqual([run.conclusion, run.raw_conclusion, run.cost], ['failure', 'failure', 0.04]);
    assert.deepEqual(run.jobs.map((job: { raw_conclusion: string }) => job.raw_conclusion).toSorted(), [
      'skipped',
      'timed_out',
    ]);
    const wrong = newRun({
      conclusion: 'FAILED',
      jobs: [newJob({ conclusion: 'Done' }), newJob({ conclusion: 7 })],
    });
    assertProblem(await send(organization, wrong), 400, 'invalid_request', [
      'body.runs[0].conclusion',
      'body.runs[0].jobs[0].conclusion',
      'body.runs[0].jobs[1].conclusion',
    ]);
  });

  test('are a problem that names every field if all have faults', async () => {
    const organization = await testApp.newOrganization();
    const wrong = Object.fromEntries(
      [
        'provider',
        'run_id',
        'workflow_name',
        'repo_name',
        'status',
        'conclusion',
        'event',
        'branch',
        'actor',
        'created_at',
      ].map((field) => [field, 5]),
    );
    const answer = await send(
      organization,
      wrong,
      newRun({ jobs: [newJob({ job_id: '' }), newJob({ name: 1 })] }),
    );
    assertProblem(answer, 400, 'invalid_request', [
      ...Object.keys(wrong).map((field) => `body.runs[0].${field}`),
      'body.runs[1].jobs[0].job_id',
      'body.runs[1].jobs[1].name',
    ]);
    assert.deepEqual(await recentRuns(organization), []);
  });

  test('may be in a batch once: a run by provider, id and attempt, a job by id', async () => {
    const organization = await testApp.newOrganization();
    const [one, again] = [newRun({ run_id: '1' }), newRun({ run_id: '1', workflow_name: 'Other' })];
    const answer = await send(
      organization,
      one,
      again,
      { ...again, run_attempt: 2 },
      { ...again, provider: 'ci' },
    );
    assert.equal(answer.body.data.accepted, 3);
    assert.equal(answer.body.data.results[1].error.errors[0].path, 'body.runs[1].run_id');
    const job = newJob();
    assertProblem(await send(organization, newRun({ jobs: [newJob(), job, job] })), 400, 'invalid_request', [
      'body.runs[0].jobs[2].job_id',
    ]);
  });

  test('may be up to 1,000 per call', async () => {
    const organization = await testApp.newOrganization();
    const runs = Array.from({ length: 1_001 }, () => newRun());
    assertProblem(await send(organization, ...runs), 400, 'invalid_request', ['body.runs']);
    assert.deepEqual(await recentRuns(organization), []);
    await submit(organization, ...runs.slice(1));
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, 40);
  });

  test('count once, however often and in whatever batches they are sent', async () => {
    const organization = await testApp.newOrganization();
    const runs = [
      newRun(),
      newRun({ run_attempt: 2 }),
      newRun({ status: 'in_progress', conclusion: undefined }),
    ];
    await submit(organization, ...runs);
    const before = await stateOf(organization);
    await Promise.all(Array.from({ length: 10 }, () => submit(organization, ...runs)));
    for (const run of runs) await submit(organization, run);
    assert.deepEqual(await stateOf(organization), before);
  });

  test('replace earlier reports', async () => {
    const organization = await testApp.newOrganization();
    const job = newJob();
    const run = newRun({ jobs: [job] });
    await submit(organization, run);
    testApp.clock.forward(1);
    const corrected = {
      ...job,
      runner: 'macos_3_core',
      completed_at: '2026-03-18T10:00:30Z',
      conclusion: 'failure',
    };
    await submit(organization, { ...run, conclusion: 'failure', jobs: [corrected] });
    const [shown, ...others] = await recentRuns(organization);
    assert.deepEqual(others, []);
    assert.equal(shown!.cost, 0.08);
    assert.equal(shown!.conclusion, 'failure');
    assert.equal(shown!['duration_seconds'], 30);
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, 0.08);
  });

  test('do not go back to an earlier status', async () => {
    const organization = await testApp.newOrganization();
    const run = newRun();
    await submit(organization, run);
    const before = await stateOf(organization);
    await submit(organization, { ...run, status: 'in_progress', conclusion: undefined, jobs: [] });
    assert.deepEqual(await stateOf(organization), before);
    await submit(organization, {
      ...run,
      run_attempt: 2,
      status: 'in_progress',
      conclusion: undefined,
      jobs: [],
    });
    assert.equal((await recentRuns(organization))[0]!['status'], 'in_progress');
  });

  test('move to another workflow or day with their new reports', async () => {
    const organization = await testApp.newOrganization();
    const job = newJob();
    const run = newRun({ jobs: [job] });
    await submit(organization, run);
    testApp.clock.forward(1);
    await submit(organization, {
      ...run,
      workflow_name: 'Deploy',
      repo_name: 'acme/web',
      created_at: '2026-03-10T10:00:00Z',
    });
    const listed = (await organization.get('/api/v1/dashboard/workflows')).body.workflows;
    assert.deepEqual(
      listed.map((one: Record<string, unknown>) => [
        one['workflow_name'],
        one['repo_name'],
        one['total_runs'],
        one['total_cost'],
      ]),
      [['Deploy', 'acme/web', 1, 0.04]],
    );
    const days = async () =>
      (await organization.get('/api/v1/dashboard/trends')).body.data.filter(
        (day: { cost: number; runs: number }) => day.cost !== 0 || day.runs !== 0,
      );
    assert.deepEqual(await days(), [
      { date: '2026-03-10', cost: 0, net_cost: 0, runs: 1 },
      { date: '2026-03-18', cost: 0.04, net_cost: 0.04, runs: 0 },
    ]);
    testApp.clock.forward(1);
    const moved = { ...job, started_at: '2026-03-11T10:00:00Z', completed_at: '2026-03-11T10:02:00Z' };
    await submit(organization, {
      ...run,
      created_at: '2026-03-11T10:00:00Z',
      started_at: '2026-03-11T10:00:00Z',
      jobs: [moved],
    });
    assert.deepEqual(await days(), [{ date: '2026-03-11', cost: 0.016, net_cost: 0.016, runs: 1 }]);
  });
});

describe('runners without a price', () => {
  type Unpriced = {
    labels: string[];
    runner_group: string | null;
    jobs: number;
    minutes: number;
    has_new_label: boolean;
    last_seen: string;
  };
  const unpricedOf = async (organization: TestOrganization, query = {}) =>
    (await organization.get('/api/v1/pricing/unpriced', query)).body as {
      data: Unpriced[];
      pagination: object;
    };
  const mystery = (minutes: number, day: string, fields = {}) =>
    newJob({
      labels: ['Mystery', 'GPU'],
      started_at: `${day}T08:00:00Z`,
      completed_at: `${day}T08:${String(minutes).padStart(2, '0')}:00Z`,
      ...fields,
    });

  test('are listed with their minutes, in any order and case of labels', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      newRun({ jobs: [mystery(2, '2026-03-10'), mystery(3, '2026-03-17', { labels: ['gpu', 'mystery'] })] }),
      newRun({ jobs: [mystery(1, '2026-03-17', { runner_group: 'Lab' }), newJob()] }),
    );
    const labels = { labels: ['gpu', 'mystery'], has_new_label: false, last_seen: '2026-03-17' };
    const known = { ...labels, runner_kind: null, explanation: null, estimated_cost: null };
    assert.deepEqual(await unpricedOf(organization), {
      data: [
        { ...known, runner_group: null, jobs: 2, minutes: 5 },
        { ...known, runner_group: 'Lab', jobs: 1, minutes: 1 },
      ],
      pagination: { total: 2, page: 1, per_page: 50 },
      priceable: null,
    });
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, 0.04);
  });

  test('are paged, and limited to the requested days', async () => {
    const organization = await testApp.newOrganization();
    const jobs = [1, 2, 3, 4, 5].map((minutes) =>
      mystery(minutes, `2026-03-1${minutes}`, { labels: [`m${minutes}`] }),
    );
    await submit(organization, newRun({ jobs }));
    const labels = async (query: object) =>
      (await unpricedOf(organization, query)).data.map((one) => one.labels[0]);
    assert.deepEqual(await labels({ per_page: 2 }), ['m5', 'm4']);
    assert.deepEqual(await labels({ per_page: 2, page: 3 }), ['m1']);
    assert.deepEqual(await unpricedOf(organization, { per_page: 1_000, page: 2 }), {
      data: [],
      pagination: { total: 5, page: 2, per_page: 100 },
      priceable: null,
    });
    assert.deepEqual(await labels({ days: 4 }), ['m5']);
    assert.deepEqual(await labels({ days: 5 }), ['m5', 'm4']);
    assert.deepEqual(await labels({ days: 1_000_000 }), ['m5', 'm4', 'm3', 'm2', 'm1']);
  });

  test('leave the list when the job turns out to have run elsewhere', async () => {
    const organization = await testApp.newOrganization();
    const job = mystery(7, '2026-03-17');
    const run = newRun({ jobs: [job] });
    await submit(organization, run);
    testApp.clock.forward(1);
    await submit(organization, { ...run, jobs: [{ ...job, labels: ['ubuntu-latest'] }] });
    assert.deepEqual((await unpricedOf(organization)).data, []);
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, 0.056);
  });

  test('of the provider itself have a label that is newer than this version', async () => {
    const organization = await testApp.newOrganization();
    const own = { name: 'Own', prices: [{ runner_kind: 'linux_2_core', usd_per_minute: 0.008 }] };
    const book = await organization.send('POST', '/api/v1/pricing/books', own);
    assert.equal(book.status, 201, book.text);
    await organization.send('PUT', '/api/v1/pricing', { book_id: book.body.data.id });
    const hosted = (minutes: number, labels: string[]) =>
      mystery(minutes, '2026-03-17', { labels, runner_group: 'Github actions' });
    // The own list has no price for the last one.
    const jobs = [hosted(3, ['ubuntu-99']), hosted(2, []), hosted(1, ['ubuntu-slim'])];
    await submit(organization, newRun({ jobs }));
    const listed = (await unpricedOf(organization)).data;
    assert.deepEqual(
      listed.map((runner) => [runner.labels.join(), runner.has_new_label]),
      [
        ['ubuntu-99', true],
        ['', false],
        ['ubuntu-slim', false],
      ],
    );
  });

  test('may have as many and as long labels as a job', async () => {
    const organization = await testApp.newOrganization();
    const labels = Array.from({ length: 100 }, () => randomBytes(200).toString('base64url').slice(0, 255));
    await submit(organization, newRun({ jobs: [mystery(1, '2026-03-17', { labels })] }));
    const [listed] = (await unpricedOf(organization)).data;
    assert.equal(listed!.labels.length, 100);
    const anyId = () => Array.from(randomBytes(200), (byte) => String.fromCodePoint(0x1f300 + byte)).join('');
    await submit(organization, newRun({ run_id: anyId(), jobs: [newJob({ job_id: anyId() })] }));
  });
});
