import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { newestDays } from './reading.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/runs';

type Query = Record<string, string | number>;

async function list(organization: TestOrganization, query: Query = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Ids without their common prefix, in the order of the list. */
async function ids(organization: TestOrganization, query: Query = {}): Promise<string[]> {
  const { data, pagination } = await list(organization, query);
  if (!('page' in query || 'per_page' in query)) assert.equal(pagination.total, data.length);
  return data.map(({ id }: { id: string }) => id.replace('run_api_', ''));
}

/** A run created this many hours before noon of the test's day. */
function runBefore(hours: number, run_id: string, fields: object = {}) {
  const created_at = new Date(Date.parse('2026-03-18T12:00:00Z') - hours * 3_600_000).toISOString();
  return newRun({ run_id, created_at, started_at: created_at, jobs: [], ...fields });
}

test('an organization without runs has an empty list', async () => {
  assert.deepEqual(await list(await testApp.newOrganization()), {
    data: [],
    pagination: { total: 0, page: 1, per_page: 50 },
    period: { start: '2026-02-17', end: '2026-03-18', days: 30 },
  });
});

test('a run looks as in the dashboard, with its actor, event and branch', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ run_id: 'a', event: 'push', branch: 'main', actor: 'ada', conclusion: 'neutral' }),
  );
  const { data } = await list(organization);
  const { runs } = (await organization.get('/api/v1/dashboard/recent-runs')).body;
  assert.deepEqual(data, [
    {
      ...runs[0],
      event: 'push',
      branch: 'main',
      actor: 'ada',
      actor_kind: 'person',
      started_by: 'ada',
      pull_request: null,
      run_number: null,
      commit: null,
      attempt: 1,
      created_at: '2026-03-18T10:00:00.000Z',
    },
  ]);
  assert.equal(data[0].cost, 0.04);
});

describe('the list', async () => {
  const organization = await testApp.newOrganization();
  const other = await testApp.newOrganization();
  const waiting = { status: 'queued', conclusion: undefined, started_at: undefined };
  await submit(other, runBefore(1, 'theirs'));
  await submit(
    organization,
    runBefore(3, 'c', { repo_name: 'acme/Web', branch: 'main', conclusion: 'failure' }),
    runBefore(1, 'a', { workflow_name: 'Deploy', branch: 'main' }),
    runBefore(2, 'b', { branch: 'Main', conclusion: 'timed_out' }),
    runBefore(4, 'd', { repo_name: 'other/web', ...waiting, branch: 'feature/%' }),
    runBefore(26, 'e', { conclusion: 'skipped' }),
    runBefore(24 * 29 + 11, 'f', { workflow_name: 'Deploy', conclusion: 'cancelled' }),
    runBefore(24 * 29 + 13, 'g', { workflow_name: 'Deploy' }),
  );
  const deploy: string = (await list(organization)).data[0].workflow_id;

  test('is newest first, for 30 days by default', async () => {
    assert.deepEqual(await ids(organization), ['a', 'b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(await ids(organization, { days: 1 }), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await ids(organization, { days: 31 }), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  for (const [query, expected] of [
    [{ status: 'queued' }, ['d']],
    [{ status: 'completed' }, ['a', 'b', 'c', 'e', 'f']],
    [{ status: 'in_progress' }, []],
    [{ conclusion: 'failure' }, ['b', 'c']],
    [{ conclusion: 'success' }, ['a']],
    [{ conclusion: 'skipped' }, ['e']],
    [{ conclusion: 'cancelled' }, ['f']],
    [{ branch: 'main' }, ['a', 'c']],
    [{ branch: 'feature/%' }, ['d']],
    [{ branch: 'feature/x' }, []],
    [{ repo: 'web' }, ['c', 'd']],
    [{ repo: 'ACME/WEB' }, ['c']],
    [{ repo: 'acme' }, []],
    [{ repo: '', branch: '', workflow_id: '' }, ['a', 'b', 'c', 'd', 'e', 'f']],
    [{ workflow_id: 'wf_none' }, []],
    [{ repo: 'api', branch: 'main', status: 'completed', conclusion: 'success' }, ['a']],
    [{ repo: 'web', conclusion: 'success' }, []],
  ] as [Query, string[]][]) {
    test(`can be filtered by ${JSON.stringify(query)}`, async () => {
      assert.deepEqual(await ids(organization, query), expected);
    });
  }

  test('of a workflow has its runs, even with a repository filter', async () => {
    assert.deepEqual(await ids(organization, { workflow_id: deploy }), ['a', 'f']);
    assert.deepEqual(await ids(organization, { workflow_id: deploy, days: 365 }), ['a', 'f', 'g']);
    assert.deepEqual(await ids(organization, { workflow_id: deploy, repo: 'acme/api' }), ['a', 'f']);
    assert.deepEqual(await ids(organization, { workflow_id: deploy, repo: 'web' }), []);
    assert.deepEqual(await ids(organization, { workflow_id: deploy, conclusion: 'cancelled' }), ['f']);
    assert.deepEqual(await ids(other, { workflow_id: deploy }), []);
  });

  for (const filter of [{}, { repo: 'api' }, { status: 'completed' }] as Query[]) {
    test(`has complete pages, by ${JSON.stringify(filter)}`, async () => {
      const whole = await ids(organization, filter);
      const pages = await Promise.all(
        [1, 2, 3, 4].map((page) => ids(organization, { ...filter, page, per_page: 2 })),
      );
      assert.deepEqual(pages.flat(), whole);
      const past = await list(organization, { ...filter, page: 999_999_999_999_999, per_page: 500 });
      assert.deepEqual(past.data, []);
      assert.deepEqual(past.pagination, { total: whole.length, page: 999_999_999_999_999, per_page: 100 });
    });
  }

  test('refuses unknown words and numbers', async () => {
    for (const [name, value] of [
      ['status', 'success'],
      ['conclusion', 'neutral'],
      ['days', 0],
      ['page', -1],
      ['per_page', 'all'],
      ['repo', 'x'.repeat(256)],
      ['branch', 'a\0'],
    ] as const) {
      assertProblem(await organization.get(path, { [name]: value }), 400, 'invalid_request', [
        `query.${name}`,
      ]);
    }
  });
});

describe('of a single day', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  /** A job that completed at a time of the test's month. */
  const jobAt = (completed_at: string, fields: object = {}) => ({
    ...newJob({ started_at: new Date(Date.parse(completed_at) - 60_000).toISOString(), completed_at }),
    ...fields,
  });
  const at = (time: string) => ({ created_at: time, started_at: time });
  await submit(
    organization,
    newRun({ run_id: 'night', ...at('2026-03-16T23:50:00Z'), jobs: [jobAt('2026-03-17T00:00:00Z')] }),
    newRun({
      run_id: 'both',
      workflow_name: 'Deploy',
      ...at('2026-03-17T20:00:00Z'),
      branch: 'main',
      jobs: [jobAt('2026-03-17T23:59:59.999Z'), jobAt('2026-03-18T00:00:00Z'), jobAt('2026-03-17T21:00:00Z')],
    }),
    newRun({ run_id: 'none', ...at('2026-03-17T09:00:00Z'), jobs: [] }),
    newRun({
      run_id: 'old',
      ...at('2026-02-10T09:00:00Z'),
      jobs: [jobAt('2026-03-17T10:00:00Z')],
    }),
  );
  const idOf = async (run: string): Promise<string> =>
    (await organization.get(`${path}/run_api_${run}`)).body.data.workflow.id;
  const day = '2026-03-17';

  test('has runs with a paid job that completed on it, whenever they were created', async () => {
    assert.deepEqual(await ids(organization, { completed_on: day }), ['both', 'night', 'old']);
    assert.deepEqual(await ids(organization, { completed_on: '2026-03-18' }), ['both']);
    assert.deepEqual(await ids(organization, { completed_on: '2026-03-16' }), []);
    assert.deepEqual((await list(organization, { completed_on: day, days: 3 })).period, {
      start: day,
      end: day,
      days: 1,
    });
  });

  test('has runs created on it', async () => {
    assert.deepEqual(await ids(organization, { created_on: day }), ['both', 'none']);
    assert.deepEqual(await ids(organization, { created_on: day, branch: 'main' }), ['both']);
    assert.deepEqual((await list(organization, { created_on: day, days: 3 })).period, {
      start: day,
      end: day,
      days: 1,
    });
    assert.deepEqual(await ids(organization, { created_on: '2026-03-16', completed_on: day }), ['night']);
  });

  test('can be filtered and paged like any other', async () => {
    const asked = { completed_on: day };
    assert.deepEqual(await ids(organization, { ...asked, workflow_id: await idOf('both') }), ['both']);
    assert.deepEqual(await ids(organization, { ...asked, workflow_id: await idOf('old') }), ['night', 'old']);
    assert.deepEqual(await ids(organization, { ...asked, branch: 'main' }), ['both']);
    assert.deepEqual(await ids(organization, { ...asked, repo: 'other' }), []);
    const second = await list(organization, { ...asked, page: 2, per_page: 2 });
    assert.deepEqual(second.pagination, { total: 3, page: 2, per_page: 2 });
    assert.equal(second.data[0].id, 'run_api_old');
    const past = await list(organization, { ...asked, page: 9 });
    assert.deepEqual([past.data, past.pagination.total], [[], 3]);
  });

  test("shows only the organization's own runs", async () => {
    const other = await testApp.newOrganization();
    for (const name of ['completed_on', 'created_on']) {
      assert.deepEqual(await ids(other, { [name]: day }), []);
    }
  });

  test('is refused with a reason if the plan does not show the day or the day does not exist', async () => {
    for (const name of ['completed_on', 'created_on']) {
      for (const value of ['2026-02-16', '2026-03-19']) {
        const answer = await organization.get(path, { [name]: value });
        assertProblem(answer, 400, 'invalid_request', [`query.${name}`]);
        assert.match(answer.body.detail, /a day from 2026-02-17 to 2026-03-18/);
      }
      assertProblem(await organization.get(path, { [name]: '2026-02-30' }), 400, 'invalid_request', [
        `query.${name}`,
      ]);
    }
  });
});

test('a job that a later attempt copies is no paid job of the day', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runBefore(1, 'a', { jobs: [newJob()] }));
  assert.deepEqual(await ids(organization, { completed_on: '2026-03-18' }), ['a']);
  await sql`update jobs set is_carried_over = true where org_id = ${organization.orgId}`.execute(
    testApp.app.db,
  );
  assert.deepEqual(await ids(organization, { completed_on: '2026-03-18' }), []);
});

test('runs are found by a flag on one of their jobs', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ...['plain', 'back'].map((id, hours) => runBefore(hours, id, { jobs: [newJob(), newJob()] })),
  );
  await sql`
    insert into job_facts
    select (jsonb_populate_record(f, '{"id": 1, "flags": ["negative_duration"]}')).*
    from job_facts f where f.org_id = ${organization.orgId} limit 1
  `.execute(testApp.app.db);
  await sql`
    update jobs set facts_id = 1
    where org_id = ${organization.orgId} and (run_id, job_id) = (
      select run_id, min(job_id) from jobs where org_id = ${organization.orgId} and run_id = 'run_api_back' group by 1
    )
  `.execute(testApp.app.db);
  assert.deepEqual(await ids(organization, { flag: 'negative_duration' }), ['back']);
  assert.deepEqual(await ids(organization, { flag: 'negative_duration', repo: 'api' }), ['back']);
  assert.deepEqual(await ids(organization, { flag: 'guessed_runner' }), []);
  assert.deepEqual(await ids(await testApp.newOrganization(), { flag: 'negative_duration' }), []);
  assertProblem(await organization.get(path, { flag: 'odd' }), 400, 'invalid_request', ['query.flag']);
});

test('two runs of the same instant keep their order on all pages', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, ...['b', 'd', 'a', 'c'].map((id) => runBefore(1, id)));
  assert.deepEqual(await ids(organization), ['d', 'c', 'b', 'a']);
  for (const [index, id] of ['d', 'c', 'b', 'a'].entries()) {
    assert.deepEqual(await ids(organization, { page: index + 1, per_page: 1, repo: 'api' }), [id]);
  }
});

test('the list goes as far back as the plan shows', async () => {
  for (const [plan, history] of [
    ['free', 30],
    ['team', 365],
  ] as const) {
    const organization = await testApp.newOrganization({ plan });
    await submit(organization, runBefore(24 * (history - 1), 'in'), runBefore(24 * history, 'out'));
    assert.deepEqual(await ids(organization, { days: 999_999 }), ['in']);
    assert.equal((await list(organization, { days: 999_999 })).period.days, history);
  }
});

test('over the same days it has as many runs and as much cost as the summary', async () => {
  const organization = await testApp.newOrganization();
  const at = (hours: number) => new Date(Date.parse('2026-03-18T12:00:00Z') - hours * 3_600_000);
  await submit(
    organization,
    ...Array.from({ length: 60 }, (_, index) => {
      const started_at = at(index * 11 + 1).toISOString();
      const completed_at = new Date(at(index * 11 + 1).getTime() + (index + 1) * 7_000).toISOString();
      return runBefore(index * 11 + 1, `r${index}`, { jobs: [newJob({ started_at, completed_at })] });
    }),
  );
  const { data, pagination } = await list(organization, { per_page: 100 });
  const summary = (await organization.get('/api/v1/dashboard/summary')).body;
  assert.equal(pagination.total, summary.total_runs);
  const mills = (data as { cost: number }[]).reduce((sum, { cost }) => sum + Math.round(cost * 1_000), 0);
  assert.equal(mills, Math.round(summary.total_cost * 1_000));
});

describe('if there are too many runs to scan', () => {
  const window = { start: '2026-03-01', end: '2026-03-18', days: 18 };
  const byDay = [
    { day: '2026-03-18', runs: 30 },
    { day: '2026-03-16', runs: 40 },
    { day: '2026-03-10', runs: 50 },
    { day: '2026-03-09', runs: 1 },
  ];

  test('the list has the newest days, within the limit', () => {
    for (const [most, start, days] of [
      [121, '2026-03-01', 18],
      [120, '2026-03-10', 9],
      [119, '2026-03-11', 8],
      [70, '2026-03-11', 8],
      [69, '2026-03-17', 2],
      [30, '2026-03-17', 2],
    ] as const) {
      assert.deepEqual(newestDays(window, byDay, most), { start, end: '2026-03-18', days }, `${most}`);
    }
  });

  test('and at least one day', () => {
    assert.deepEqual(newestDays(window, byDay, 29), { start: '2026-03-18', end: '2026-03-18', days: 1 });
    assert.deepEqual(newestDays(window, byDay.slice(2), 5), {
      start: '2026-03-10',
      end: '2026-03-18',
      days: 9,
    });
  });
});
