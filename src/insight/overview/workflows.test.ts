import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/dashboard/workflows';

type Workflow = {
  workflow_name: string;
  repo_name: string;
  total_cost: number;
  total_runs: number;
  success_rate: number;
  avg_duration_seconds: number;
  last_run_at: string | null;
};

async function list(
  organization: TestOrganization,
  query: Record<string, string | number> = {},
): Promise<Workflow[]> {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  const { workflows, pagination } = answer.body;
  if (!('page' in query)) assert.equal(pagination.total, workflows.length);
  return workflows;
}

/** The names of the matches. The summary with the same filter must be the sum of their rows. */
async function names(
  organization: TestOrganization,
  query: Record<string, string | number>,
): Promise<string[]> {
  const listed = await list(organization, query);
  const { total_workflows, total_runs, total_cost } = (await organization.get(`${path}/summary`, query)).body;
  const sumOf = (amount: (each: Workflow) => number) => listed.reduce((sum, each) => sum + amount(each), 0);
  assert.deepEqual([total_workflows, total_runs], [listed.length, sumOf((each) => each.total_runs)]);
  assert.ok(Math.abs(total_cost - sumOf((each) => each.total_cost)) < 1e-9);
  return listed.map(({ workflow_name }) => workflow_name).toSorted();
}

async function assertRefused(organization: TestOrganization, name: string, values: string[]): Promise<void> {
  for (const asked of [path, `${path}/summary`]) {
    for (const value of values) {
      const answer = await organization.get(asked, { [name]: value });
      assertProblem(answer, 400, 'invalid_request', [`query.${name}`]);
    }
  }
}

/** A run with one job that takes `seconds` from the run's start. */
function runOf(seconds: number, fields: object = {}, created = '2026-03-18T08:00:00.000Z') {
  const completed_at = new Date(Date.parse(created) + seconds * 1_000).toISOString();
  return newRun({
    created_at: created,
    started_at: created,
    jobs: [newJob({ started_at: created, completed_at })],
    ...fields,
  });
}

describe('the order', async () => {
  const organization = await testApp.newOrganization();
  const spread: [string, string, number[]][] = [
    ['acme/web', 'build', [60, 120]],
    ['acme/Api', 'build', [60, 120]],
    ['acme/api', 'Deploy', [300]],
    ['acme/api', 'deploy', [300]],
    ['Zeta/api', 'lint', []],
    ['acme/zoo', 'Lint', [10, 20, 30]],
    ['acme/zoo', 'éclair', [600]],
    ['acme/zoo', 'Zebra', [90, 90]],
  ];
  let minute = 0;
  await submit(
    organization,
    ...spread.flatMap(([repo_name, workflow_name, runs]) =>
      (runs.length === 0 ? [null] : runs).map((seconds, index) => {
        const created = new Date(Date.parse('2026-03-17T08:00:00Z') + 60_000 * (minute++ % 5)).toISOString();
        const conclusion = index === 0 ? 'success' : 'failure';
        return runOf(
          seconds ?? 1,
          { repo_name, workflow_name, conclusion, ...(seconds === null ? { jobs: [] } : {}) },
          created,
        );
      }),
    ),
    // The run was created before the window, so it has a cost but does not count.
    runOf(90_000, { repo_name: 'acme/old', workflow_name: 'nightly' }, '2026-02-16T23:59:00Z'),
  );

  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const byName = (a: Workflow, b: Workflow) =>
    byText(a.repo_name.toLowerCase(), b.repo_name.toLowerCase()) ||
    byText(a.repo_name, b.repo_name) ||
    byText(a.workflow_name.toLowerCase(), b.workflow_name.toLowerCase()) ||
    byText(a.workflow_name, b.workflow_name);
  const sorts: Record<string, (a: Workflow, b: Workflow) => number> = {
    cost: (a, b) => a.total_cost - b.total_cost,
    runs: (a, b) => a.total_runs - b.total_runs,
    duration: (a, b) => a.avg_duration_seconds - b.avg_duration_seconds,
    name: (a, b) => byText(a.workflow_name.toLowerCase(), b.workflow_name.toLowerCase()),
    success_rate: (a, b) => a.success_rate - b.success_rate,
    last_run: (a, b) => Date.parse(a.last_run_at ?? '1970-01-01') - Date.parse(b.last_run_at ?? '1970-01-01'),
  };

  for (const [sort_by, compare] of Object.entries(sorts)) {
    for (const sort_order of ['asc', 'desc'] as const) {
      test(`by ${sort_by} ${sort_order}, with ties by repository and name, across all pages`, async () => {
        const listed = await list(organization, { sort_by, sort_order });
        assert.equal(listed.length, spread.length + 1);
        const sign = sort_order === 'asc' ? 1 : -1;
        assert.deepEqual(
          listed,
          listed.toSorted(byName).toSorted((a, b) => sign * compare(a, b)),
        );
        const pages = [1, 2, 3, 4, 5].map((page) =>
          list(organization, { sort_by, sort_order, page, per_page: 2 }),
        );
        assert.deepEqual((await Promise.all(pages)).flat(), listed);
      });
    }
  }

  test('is by cost, highest first, by default', async () => {
    const byCost = await list(organization, { sort_by: 'cost', sort_order: 'desc' });
    assert.deepEqual(await list(organization), byCost);
    const top = await organization.get('/api/v1/dashboard/top-workflows', { limit: 100 });
    assert.deepEqual(
      top.body.workflows,
      byCost.map(({ success_rate: _, last_run_at: __, ...item }) => item),
    );
    const overview = await organization.get(`${path}/summary`);
    assert.equal(overview.body.most_expensive_workflow, byCost[0]!.workflow_name);
  });

  test('refuses unknown words', async () => {
    for (const [name, value] of [
      ['sort_by', 'price'],
      ['sort_by', ''],
      ['sort_by', 'COST'],
      ['sort_order', 'down'],
      ['sort_order', 'DESC'],
    ] as const) {
      assertProblem(await organization.get(path, { [name]: value }), 400, 'invalid_request', [
        `query.${name}`,
      ]);
    }
  });
});

describe('the filter', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ...[
      ['acme/api', 'Build 100%'],
      ['acme/api-gateway', 'build_all'],
      ['other/API', 'buildXall'],
      ['acme/web', 'ÜBERPRÜFUNG'],
      ['acme/tools/api', 'it\'s \\ a "test"'],
    ].map(([repo_name, workflow_name]) => newRun({ repo_name, workflow_name })),
  );

  for (const [repo, expected] of [
    ['acme/api', ['Build 100%']],
    ['ACME/Api', ['Build 100%']],
    ['api', ['Build 100%', 'buildXall', 'it\'s \\ a "test"']],
    ['API', ['Build 100%', 'buildXall', 'it\'s \\ a "test"']],
    ['acme/tools/api', ['it\'s \\ a "test"']],
    ['tools/api', []],
    ['acme', []],
    ['ap', []],
    ['acme/%', []],
    ["x' or '1'='1", []],
  ] as const) {
    test(`repo=${repo}`, async () => assert.deepEqual(await names(organization, { repo }), [...expected]));
  }

  for (const [search, expected] of [
    ['build', ['Build 100%', 'buildXall', 'build_all']],
    ['BUILD', ['Build 100%', 'buildXall', 'build_all']],
    ['0%', ['Build 100%']],
    ['%', ['Build 100%']],
    ['_', ['build_all']],
    ['d_a', ['build_all']],
    ['gateway', ['build_all']],
    ['acme/', ['Build 100%', 'build_all', 'it\'s \\ a "test"', 'ÜBERPRÜFUNG']],
    ['überprüf', ['ÜBERPRÜFUNG']],
    ['\'s \\ a "', ['it\'s \\ a "test"']],
    ['nothing like it', []],
  ] as const) {
    test(`search=${search}`, async () =>
      assert.deepEqual(await names(organization, { search }), [...expected]));
  }

  test('combines conditions and counts the matches', async () => {
    assert.deepEqual(await names(organization, { search: 'build', repo: 'api' }), [
      'Build 100%',
      'buildXall',
    ]);
    const page = await organization.get(path, { search: 'build', per_page: 1, page: 3 });
    assert.equal(page.body.workflows.length, 1);
    assert.deepEqual(page.body.pagination, { total: 3, page: 3, per_page: 1 });
    const past = await organization.get(path, { search: 'build', per_page: 1, page: 4 });
    assert.deepEqual(past.body, { workflows: [], pagination: { total: 3, page: 4, per_page: 1 } });
  });

  test('refuses texts that are too long or cannot be stored', async () => {
    await assertRefused(organization, 'search', ['x'.repeat(256), 'a\0']);
    await assertRefused(organization, 'repo', ['x'.repeat(256), 'a\0']);
  });
});

describe('the status', () => {
  test("is the latest run's, in Runcost's words", async () => {
    const organization = await testApp.newOrganization();
    const latest: Record<string, object> = {
      success: { conclusion: 'success' },
      neutral: { conclusion: 'neutral' },
      failure: { conclusion: 'failure' },
      timed_out: { conclusion: 'timed_out' },
      startup_failure: { conclusion: 'startup_failure' },
      cancelled: { conclusion: 'cancelled' },
      skipped: { conclusion: 'skipped' },
      stale_after_work: { conclusion: 'stale' },
      stale_at_once: { conclusion: 'stale', jobs: [] },
      action_required: { conclusion: 'action_required', jobs: [] },
      queued: { status: 'queued', conclusion: undefined, jobs: [] },
      requested: { status: 'requested', conclusion: undefined, jobs: [] },
      waiting: { status: 'waiting', conclusion: undefined, jobs: [] },
      pending: { status: 'pending', conclusion: undefined, jobs: [] },
      in_progress: { status: 'in_progress', conclusion: undefined, jobs: [] },
    };
    await submit(
      organization,
      ...Object.entries(latest).flatMap(([workflow_name, fields]) => [
        newRun({ workflow_name, ...fields }),
        newRun({ workflow_name, conclusion: 'failure', created_at: '2026-03-17T10:00:00Z' }),
      ]),
    );
    for (const [status, expected] of [
      ['success', ['neutral', 'success']],
      ['failure', ['failure', 'startup_failure', 'timed_out']],
      ['cancelled', ['cancelled', 'stale_after_work']],
      ['skipped', ['action_required', 'skipped', 'stale_at_once']],
      ['queued', ['pending', 'queued', 'requested', 'waiting']],
      ['in_progress', ['in_progress']],
    ] as const) {
      assert.deepEqual(await names(organization, { status }), expected, status);
    }
    assert.equal((await list(organization, { status: 'completed' })).length, 10);
    await assertRefused(organization, 'status', ['neutral', 'done', '', 'Success']);
  });

  test('uses only runs of the window', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      newRun({ workflow_name: 'a', conclusion: 'failure', created_at: '2026-03-10T10:00:00Z' }),
      newRun({ workflow_name: 'a', created_at: '2026-03-09T10:00:00Z' }),
      newRun({ workflow_name: 'b', conclusion: 'failure', created_at: '2026-03-17T10:00:00Z', jobs: [] }),
      // This clock is fast, so the run counts tomorrow.
      newRun({ workflow_name: 'b', created_at: '2026-03-19T01:00:00Z', started_at: undefined, jobs: [] }),
    );
    assert.deepEqual(await names(organization, { status: 'failure' }), ['a', 'b']);
    assert.deepEqual(await names(organization, { status: 'failure', days: 5 }), ['b']);
    assert.deepEqual(await names(organization, { status: 'success' }), []);
    const { a, b } = Object.groupBy(await list(organization), (one) => one.workflow_name);
    assert.equal(a![0]!.last_run_at, '2026-03-10T10:00:00.000Z');
    assert.equal(b![0]!.last_run_at, '2026-03-17T10:00:00.000Z');
  });
});

describe('the averages', () => {
  test('cover completed runs: unskipped ones for the rate, all for the duration', async () => {
    const organization = await testApp.newOrganization();
    const conclusions = [...Array<string>(6).fill('success'), 'failure', 'cancelled'];
    await submit(
      organization,
      ...conclusions.map((conclusion, index) => runOf(index === 0 ? 104 : 100, { conclusion })),
      newRun({ conclusion: 'skipped', jobs: [], started_at: undefined }),
      newRun({ conclusion: 'skipped', jobs: [], started_at: undefined }),
      newRun({ status: 'in_progress', conclusion: undefined, jobs: [] }),
      newRun({ status: 'queued', conclusion: undefined, jobs: [] }),
    );
    const [workflow] = await list(organization);
    assert.equal(workflow!.total_runs, 12);
    assert.equal(workflow!.success_rate, 0.75);
    assert.equal(workflow!.avg_duration_seconds, 80); // 804 / 10
    const overview = (await organization.get(`${path}/summary`)).body;
    assert.equal(overview.avg_success_rate, 0.75);
  });

  test('are rounded half up to a second, and 0 without runs', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runOf(10, { workflow_name: 'half' }),
      runOf(11, { workflow_name: 'half' }),
      newRun({ workflow_name: 'skips', conclusion: 'skipped', jobs: [], started_at: undefined }),
      newRun({ workflow_name: 'waits', status: 'queued', conclusion: undefined, jobs: [] }),
    );
    const listed = await list(organization, { sort_by: 'name', sort_order: 'asc' });
    assert.deepEqual(
      listed.map(({ avg_duration_seconds, success_rate }) => [avg_duration_seconds, success_rate]),
      [
        [11, 1],
        [0, 0],
        [0, 0],
      ],
    );
    const overview = (await organization.get(`${path}/summary`)).body;
    assert.deepEqual([overview.total_workflows, overview.total_runs, overview.avg_success_rate], [3, 4, 1]);
  });

  test('count a re-run once, by its latest attempt', async () => {
    const organization = await testApp.newOrganization();
    const run = runOf(600, { conclusion: 'failure' });
    const again = '2026-03-18T09:00:00Z';
    const job = newJob({ started_at: again, completed_at: '2026-03-18T09:01:00Z' });
    await submit(organization, run, {
      ...run,
      run_attempt: 2,
      conclusion: 'success',
      started_at: again,
      jobs: [job],
    });
    const [workflow] = await list(organization);
    assert.deepEqual(
      [workflow!.total_runs, workflow!.success_rate, workflow!.avg_duration_seconds, workflow!.total_cost],
      [1, 1, 60, 0.088],
    );
  });
});

test('the summary names the most expensive workflow and the busiest repository, the first by name of equal ones', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ repo_name: 'acme/b', workflow_name: 'x' }),
    newRun({ repo_name: 'acme/a', workflow_name: 'z' }),
    newRun({ repo_name: 'acme/a', workflow_name: 'y' }),
    newRun({ repo_name: 'acme/b', workflow_name: 'w', jobs: [] }),
  );
  const overview = (await organization.get(`${path}/summary`)).body;
  assert.deepEqual(overview, {
    total_workflows: 4,
    total_runs: 4,
    total_cost: 0.12,
    net_total_cost: 0.12,
    avg_success_rate: 1,
    most_expensive_workflow: 'y',
    most_active_repo: 'acme/a',
  });
});

test('two spellings of a repository are one, and an empty filter is none', async () => {
  const organization = await testApp.newOrganization();
  const runs = ['acme/api', 'acme/api', 'Acme/API', 'Acme/API', 'acme/web', 'acme/web', 'acme/web'];
  await submit(
    organization,
    ...runs.map((repo_name, index) => runOf(60, { repo_name, workflow_name: `wf ${index}` })),
  );
  const { most_active_repo } = (await organization.get(`${path}/summary`)).body;
  assert.equal(most_active_repo.toLowerCase(), 'acme/api');
  assert.equal((await list(organization, { repo: '', search: '' })).length, 7);
});
