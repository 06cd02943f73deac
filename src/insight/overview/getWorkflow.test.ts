import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();

type Query = Record<string, string | number>;
type Listed = { workflow_id: string; workflow_name: string; total_cost: number; total_runs: number };

async function list(organization: TestOrganization, query: Query = {}): Promise<Listed[]> {
  return (await organization.get('/api/v1/dashboard/workflows', { per_page: 100, ...query })).body.workflows;
}

async function getWorkflow(organization: TestOrganization, id: string, query: Query = {}) {
  const answer = await organization.get(`/api/v1/workflows/${id}`, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const noon = Date.parse('2026-03-18T12:00:00Z');

/** A run created `hours` before noon of the test's day, with one job of `seconds`. */
function runBefore(hours: number, seconds: number, fields: object = {}, job: object = {}) {
  const started_at = new Date(noon - hours * 3_600_000).toISOString();
  const completed_at = new Date(noon - hours * 3_600_000 + seconds * 1_000).toISOString();
  return newRun({
    created_at: started_at,
    started_at,
    jobs: [newJob({ started_at, completed_at, ...job })],
    ...fields,
  });
}

test('a workflow has its costs by day and by runner kind', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    runBefore(1, 300),
    runBefore(2, 120, { conclusion: 'failure' }, { runner: 'linux_4_core' }),
    runBefore(3, 61, { conclusion: 'skipped' }, { labels: ['mystery'] }),
    runBefore(25, 60, { repo_name: 'ACME/Api' }),
    runBefore(3 * 24, 60),
    runBefore(1, 3_600, { workflow_name: 'Other' }),
  );
  const [{ workflow_id: id }] = (await list(organization, { search: 'Build' })) as [Listed];
  const { daily, ...workflow } = await getWorkflow(organization, id, { days: 3 });
  assert.deepEqual(workflow, {
    id,
    workflow_name: 'Build',
    repo_name: 'acme/api',
    workflow_path: null,
    total_cost: 0.08,
    net_total_cost: 0.08,
    total_runs: 4,
    success_rate: 2 / 3,
    avg_duration_seconds: 135,
    last_run_at: '2026-03-18T11:00:00.000Z',
    trend_percent: 900,
    previous_cost: 0.008,
    runner_kinds: [
      { kind: 'linux_2_core', jobs: 2, minutes: 6, cost: 0.048 },
      { kind: 'linux_4_core', jobs: 1, minutes: 2, cost: 0.032 },
      { kind: 'unpriced', jobs: 1, minutes: 2, cost: 0 },
    ],
    period: { start: '2026-03-16', end: '2026-03-18', days: 3 },
  });
  const nothing = { cost: 0, runs: 0, success_rate: 0, avg_duration_seconds: 0, billed_minutes: 0 };
  assert.deepEqual(daily, [
    { ...nothing, date: '2026-03-16' },
    {
      date: '2026-03-17',
      cost: 0.008,
      runs: 1,
      success_rate: 1,
      avg_duration_seconds: 60,
      billed_minutes: 1,
    },
    {
      date: '2026-03-18',
      cost: 0.072,
      runs: 3,
      success_rate: 0.5,
      avg_duration_seconds: 160,
      billed_minutes: 9,
    },
  ]);
});

test('a workflow without anything in the window has zeros', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runBefore(24 * 10, 60));
  const [{ workflow_id: id }] = (await list(organization)) as [Listed];
  const { daily, ...workflow } = await getWorkflow(organization, id, { days: 10 });
  assert.deepEqual(workflow, {
    id,
    workflow_name: 'Build',
    repo_name: 'acme/api',
    workflow_path: null,
    total_cost: 0,
    net_total_cost: 0,
    total_runs: 0,
    success_rate: 0,
    avg_duration_seconds: 0,
    last_run_at: null,
    trend_percent: -100,
    previous_cost: 0.008,
    runner_kinds: [],
    period: { start: '2026-03-09', end: '2026-03-18', days: 10 },
  });
  assert.equal(daily.length, 10);
});

describe('the days', () => {
  test("are 30 by default, and cut to the plan's history", async () => {
    for (const [plan, history] of [
      ['free', 30],
      ['team', 365],
    ] as const) {
      const organization = await testApp.newOrganization({ plan });
      await submit(organization, runBefore(1, 60));
      const [{ workflow_id: id }] = (await list(organization)) as [Listed];
      for (const [query, days] of [
        [{}, 30],
        [{ days: 1 }, 1],
        [{ days: history + 1 }, history],
        [{ days: 999_999_999_999_999 }, history],
      ] as [Query, number][]) {
        const { daily, period } = await getWorkflow(organization, id, query);
        assert.equal(daily.length, days);
        assert.equal(daily.at(-1).date, '2026-03-18');
        assert.equal(period.days, days);
      }
    }
  });

  test('must be a whole number from 1', async () => {
    const organization = await testApp.newOrganization();
    for (const days of [0, -1, 1.5, 'week', '']) {
      assertProblem(await organization.get('/api/v1/workflows/x', { days }), 400, 'invalid_request', [
        'query.days',
      ]);
    }
  });
});

test("answers 404 for an unknown workflow and for another organization's", async () => {
  const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await submit(organization, newRun());
  const [{ workflow_id: id }] = (await list(organization)) as [Listed];
  assertProblem(await other.get(`/api/v1/workflows/${id}`), 404, 'workflow_not_found');
  assertProblem(await organization.get('/api/v1/workflows/wf_none'), 404, 'workflow_not_found');
  // Equal names give the same id in the other organization, with its own sums.
  await submit(other, newRun({ jobs: [newJob({ completed_at: '2026-03-18T10:01:00Z' })] }));
  assert.equal((await getWorkflow(other, id)).total_cost, 0.008);
  assert.equal((await getWorkflow(organization, id)).total_cost, 0.04);
});

test('the lists use the same workflow id as its page', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun(), newRun({ workflow_name: 'Deploy' }));
  const [listed, top, recent] = await Promise.all(
    ['workflows', 'top-workflows', 'recent-runs'].map(
      async (part) => (await organization.get(`/api/v1/dashboard/${part}`)).body,
    ),
  );
  for (const item of [...listed.workflows, ...top.workflows, ...recent.runs]) {
    const page = await organization.get(`/api/v1/workflows/${item.workflow_id}`);
    assert.equal(page.status, 200, page.text);
    assert.equal(page.body.data.workflow_name, item.workflow_name);
  }
});

const anyRun = fc.record({
  workflow: fc.constantFrom('Build', 'Deploy', 'Lint'),
  hours: fc.integer({ min: 1, max: 75 * 24 }),
  seconds: fc.constantFrom(0, 1, 60, 61, 3_600),
  runner: fc.constantFrom('linux_slim', 'linux_2_core', 'macos_3_core', 'windows_96_core', 'mystery'),
  conclusion: fc.constantFrom('success', 'failure', 'skipped'),
});

test('its sums equal the list, the trend and the summary, to the last nano-dollar', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 12 }), async (drawn) => {
      const organization = await testApp.newOrganization();
      await submit(
        organization,
        ...drawn.map(({ workflow, hours, seconds, runner, conclusion }) =>
          runBefore(hours, seconds, { workflow_name: workflow, conclusion }, { runner }),
        ),
      );
      for (const days of [1, 30, 90]) {
        const listed = await list(organization, { days });
        const texts: string[] = [];
        for (const { workflow_id, ...item } of listed) {
          const { text } = await organization.get(`/api/v1/workflows/${workflow_id}`, { days });
          const {
            daily,
            runner_kinds,
            id: _,
            workflow_path: _____,
            trend_percent: __,
            previous_cost: ___,
            period: ____,
            ...own
          } = JSON.parse(text).data;
          assert.deepEqual(own, item);
          texts.push(/"total_cost":([\d.]+)/.exec(text)![1]!);
          assert.equal(nanos(daily.map(costText)), nanos([texts.at(-1)!]));
          assert.equal(nanos(runner_kinds.map(costText)), nanos([texts.at(-1)!]));
          assert.equal(sum(daily, 'billed_minutes'), sum(runner_kinds, 'minutes'));
          assert.equal(sum(daily, 'runs'), item.total_runs);
        }
        const trends = (await organization.get('/api/v1/dashboard/trends', { days })).body.data;
        assert.equal(nanos(texts), nanos(trends.map(costText)));
        if (days !== 30) continue;
        const summary = (await organization.get('/api/v1/dashboard/summary')).body;
        assert.equal(nanos(texts), nanos([costText({ cost: summary.total_cost })]));
        const [only, ...others] = listed;
        if (others.length > 0 || drawn.some(({ workflow }) => workflow !== only?.workflow_name)) continue;
        const { trend_percent } = await getWorkflow(organization, only!.workflow_id);
        assert.equal(trend_percent, summary.trend_percent);
      }
    }),
    { numRuns: 6 },
  );
});

/** These costs have few enough digits for a float. */
function costText({ cost }: { cost: number }): string {
  return cost.toFixed(9);
}

function nanos(texts: string[]): bigint {
  return texts.reduce((total, text) => {
    const [whole, decimals = ''] = text.split('.');
    return total + BigInt(`${whole}${decimals.padEnd(9, '0')}`);
  }, 0n);
}

function sum<Key extends string>(items: Record<Key, number>[], key: Key): number {
  return items.reduce((total, item) => total + item[key], 0);
}
