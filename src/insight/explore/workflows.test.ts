import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/costs/workflows';

type Query = Record<string, string | number | boolean>;
type Figures = {
  cost: number;
  previous_cost: number | null;
  series: { start: string; cost: number }[];
  runs: number | null;
  success_rate: number | null;
  duration_p50_seconds: number | null;
  duration_p95_seconds: number | null;
  last_run_at: string | null;
  last_run_conclusion: string | null;
  waste_cost: number | null;
};
type Row = Figures & { workflow_id: string; workflow_name: string; repo_name: string; share_percent: number };
type List = { data: Row[]; total: Figures & { workflows: number }; pagination: { total: number } };

async function ask<T>(organization: TestOrganization, url: string, query: Query): Promise<T> {
  const answer = await organization.get(url, query as Record<string, string>);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as T;
}

/** Reads all pages, which are short. */
async function listed(organization: TestOrganization, query: Query): Promise<List> {
  const first = await ask<List>(organization, path, { ...query, per_page: 2 });
  const data = [...first.data];
  while (data.length < first.pagination.total) {
    const page = 1 + data.length / 2;
    data.push(...(await ask<List>(organization, path, { ...query, per_page: 2, page })).data);
  }
  assert.deepEqual((await ask<List>(organization, path, { ...query, per_page: 2, page: 99 })).data, []);
  return { ...first, data };
}

const day = (date: number) => `2026-03-${String(date).padStart(2, '0')}`;
const nanos = (usd: number | null) => Math.round((usd ?? 0) * 1e9);
const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);

/** Two repositories, three workflows, two branches; some runs fail, are skipped, or have not ended. */
function runsOf() {
  const names = [
    ['acme/api', 'CI'],
    ['acme/api', 'Deploy'],
    ['acme/web', 'CI'],
    ['acme/web', 'Nightly 100%'],
  ] as const;
  const conclusions = ['success', 'failure', 'success', 'skipped', 'cancelled'];
  return Array.from({ length: 36 }, (_, n) => {
    const [repo_name, workflow_name] = names[n % 7 === 0 ? 3 : n % 3]!;
    const created_at = `${day(1 + (n % 18))}T0${n % 9}:${10 + n}:00Z`;
    const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1_000).toISOString();
    const isOpen = n % 11 === 10;
    const seconds = 45 + 37 * n;
    const conclusion = conclusions[n % 5]!;
    return newRun({
      repo_name,
      workflow_name,
      created_at,
      started_at: created_at,
      branch: n % 2 ? 'main' : 'feature',
      ...(isOpen
        ? { status: 'in_progress', conclusion: undefined }
        : { conclusion, completed_at: at(seconds) }),
      jobs: [
        newJob({ name: 'lint', started_at: created_at, completed_at: at(20), conclusion }),
        newJob({
          name: 'test',
          runner: n % 4 ? 'linux_2_core' : 'macos_3_core',
          conclusion,
          started_at: created_at,
          completed_at: at(seconds),
        }),
      ],
    });
  });
}

describe('the list of workflows', () => {
  let organization: TestOrganization;
  before(async () => {
    organization = await testApp.newOrganization();
    await submit(organization, ...runsOf());
    const rule = { kind: 'team', owner: 'Web', repository: 'acme/web' };
    assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
  });

  // The previous period has fewer runs, so some workflows have costs in only one of the periods.
  const window = { days: 14, compare: 'previous_period' };
  const filters: Query[] = [
    {},
    { repository: 'ACME/api' },
    { branch: 'main' },
    { team: 'Web' },
    { team: '' },
    { job: 'lint' },
    { workflow: 'CI', branch: '!main' },
    { repository: 'acme/none' },
  ];
  const spans = [{ granularity: 'day' }, { granularity: 'week', week_start: 'sunday' }];
  for (const metric of ['cost', 'net_cost']) {
    test(`adds up to the ${metric} of any question, and agrees with it row by row`, async () => {
      for (const filter of filters.flatMap((each) => spans.map((span) => ({ ...each, ...span })))) {
        const message = JSON.stringify(filter);
        const question = { ...window, ...filter, metric };
        const { data, total, pagination } = await listed(organization, question);
        type Point = { value: number; previous_value: number };
        type Part = Point & { series: (Point & { start: string })[]; by: { value: string }[] };
        const { data: costs } = await ask<{ data: { total: Part; groups: Part[] } }>(
          organization,
          '/api/v1/costs',
          { ...question, group_by: 'workflow' },
        );
        const figures = ({ cost, previous_cost, series }: Figures) => ({ cost, previous_cost, series });
        const expected = ({ value, previous_value, series }: Part) => ({
          cost: value,
          previous_cost: previous_value,
          series: series.map((point) => ({ start: point.start, cost: point.value })),
        });
        assert.deepEqual(figures(total), expected(costs.total), message);
        for (const { by, ...part } of costs.groups) {
          const row = data.find(({ workflow_id }) => workflow_id === by[0]!.value)!;
          assert.deepEqual(figures(row), expected({ by, ...part }), message);
        }
        assert.equal(sum(data.map(({ cost }) => nanos(cost))), nanos(total.cost), message);
        assert.equal(
          sum(data.map(({ previous_cost }) => nanos(previous_cost))),
          nanos(total.previous_cost),
          message,
        );
        assert.deepEqual([pagination.total, total.workflows], [data.length, data.length], message);
      }
    });
  }

  test('has the runs and durations of the same filters, and none of jobs', async () => {
    for (const filter of filters.slice(0, 5)) {
      const message = JSON.stringify(filter);
      const { data, total } = await listed(organization, { ...window, ...filter });
      const asked = { days: 14, ...filter, group_by: 'workflow' };
      type Group = { by: { value: string }[]; duration_p50_seconds: number; duration_p95_seconds: number };
      const { data: times } = await ask<{ data: { groups: Group[]; total: Omit<Group, 'by'> } }>(
        organization,
        '/api/v1/durations',
        { ...asked, of: 'runs' },
      );
      const { data: runs } = await ask<{
        data: { total: { value: number }; groups: { by: { value: string }[]; value: number }[] };
      }>(organization, '/api/v1/costs', { ...asked, metric: 'runs' });
      assert.equal(total.runs, runs.total.value, message);
      assert.deepEqual(
        [total.duration_p50_seconds, total.duration_p95_seconds],
        [times.total.duration_p50_seconds, times.total.duration_p95_seconds],
        message,
      );
      for (const row of data) {
        const of = ({ by }: { by: { value: string }[] }) => by[0]!.value === row.workflow_id;
        const time = times.groups.find(of);
        assert.deepEqual(
          [row.runs, row.duration_p50_seconds, row.duration_p95_seconds],
          [
            runs.groups.find(of)?.value ?? 0,
            time?.duration_p50_seconds ?? null,
            time?.duration_p95_seconds ?? null,
          ],
          message,
        );
      }
    }
    const ofJobs = await listed(organization, { ...window, job: 'lint' });
    for (const { runs, success_rate, duration_p50_seconds, last_run_at } of [ofJobs.total, ...ofJobs.data])
      assert.deepEqual([runs, success_rate, duration_p50_seconds, last_run_at], [null, null, null, null]);
  });

  test('agrees with the list of the dashboard, its search and its filter by the latest run', async () => {
    for (const narrowed of [
      {},
      { search: 'cI' },
      { search: '100%' },
      { status: 'cancelled' },
      { status: 'skipped' },
      { status: 'completed' },
    ]) {
      const asked = { days: 14, ...narrowed };
      const { data, total } = await listed(organization, { ...asked, sort: 'name' });
      type Listed = { workflow_id: string; success_rate: number; last_run_at: string; total_cost: number };
      const { workflows } = await ask<{ workflows: Listed[] }>(organization, '/api/v1/dashboard/workflows', {
        ...asked,
        sort_by: 'name',
        sort_order: 'asc',
        org_id: organization.orgId,
      });
      const sums = await ask<{ total_workflows: number; total_cost: number; avg_success_rate: number }>(
        organization,
        '/api/v1/dashboard/workflows/summary',
        { ...asked, org_id: organization.orgId },
      );
      const byId = (a: { workflow_id: string }, b: { workflow_id: string }) =>
        a.workflow_id < b.workflow_id ? -1 : 1;
      assert.ok(workflows.length > 0);
      assert.deepEqual(
        data.toSorted(byId).map((row) => [row.workflow_id, row.cost, row.success_rate ?? 0, row.last_run_at]),
        workflows
          .toSorted(byId)
          .map((row) => [row.workflow_id, row.total_cost, row.success_rate, row.last_run_at]),
      );
      assert.deepEqual(
        [total.workflows, total.cost, total.success_rate],
        [sums.total_workflows, sums.total_cost, sums.avg_success_rate],
      );
    }
  });

  test('names the conclusion of the latest run, as the filter by it takes it', async () => {
    const { data } = await listed(organization, { days: 14 });
    const [byConclusion, filtered] = [new Map<string | null, string[]>(), new Map<string | null, string[]>()];
    for (const { workflow_id: id, last_run_conclusion: conclusion } of data)
      byConclusion.set(conclusion, [...(byConclusion.get(conclusion) ?? []), id].toSorted());
    for (const status of ['success', 'failure', 'cancelled', 'skipped', 'in_progress']) {
      const found = (await listed(organization, { days: 14, status })).data.map(({ workflow_id: id }) => id);
      if (found.length > 0) filtered.set(status === 'in_progress' ? null : status, found.toSorted());
    }
    assert.deepEqual(byConclusion, filtered);
    assert.ok(filtered.size > 1);
  });

  test('has the waste of whole workflows, and none where a filter takes a part of their jobs', async () => {
    const waste = await ask<{
      data: { waste_cost: number; workflows: { workflow_id: string; waste_cost: number }[] };
    }>(organization, '/api/v1/waste', { days: 14 });
    assert.ok(waste.data.waste_cost > 0);
    const wasteOf = new Map(waste.data.workflows.map((row) => [row.workflow_id, row.waste_cost]));
    for (const filter of [{}, { repository: 'acme/web' }, { team: 'Web' }, { search: 'deploy' }]) {
      const { data, total } = await listed(organization, {
        days: 14,
        ...filter,
        waste: true,
        sort: '-waste',
      });
      for (const row of data) assert.equal(row.waste_cost, wasteOf.get(row.workflow_id) ?? 0);
      assert.equal(sum(data.map((row) => nanos(row.waste_cost))), nanos(total.waste_cost));
      assert.ok(total.waste_cost! > 0);
    }
    const whole = await listed(organization, { days: 14, waste: true });
    assert.equal(whole.total.waste_cost, waste.data.waste_cost);
    const onMain = await listed(organization, { days: 14, waste: true, branch: 'main' });
    assert.equal(onMain.total.waste_cost, null);
    assert.ok(onMain.data.some(({ waste_cost }) => waste_cost === null));
    const unasked = await listed(organization, { days: 14 });
    const long = await listed(organization, { days: 91, waste: true });
    for (const { waste_cost } of [unasked.total, ...unasked.data, long.total, ...long.data])
      assert.equal(waste_cost, null);
  });

  test('is sorted by any column over all pages, with unknown values last', async () => {
    const valueOf: Record<string, (row: Row) => number | string | null> = {
      cost: ({ cost }) => cost,
      change: ({ cost, previous_cost }) => nanos(cost) - nanos(previous_cost),
      runs: ({ runs }) => runs,
      success_rate: ({ success_rate }) => success_rate,
      duration_p50: ({ duration_p50_seconds }) => duration_p50_seconds,
      duration_p95: ({ duration_p95_seconds }) => duration_p95_seconds,
      waste: ({ waste_cost }) => waste_cost,
      last_run: ({ last_run_at }) => last_run_at,
      name: ({ workflow_name, repo_name }) => `${workflow_name}\0${repo_name}`.toLowerCase(),
      repository: ({ workflow_name, repo_name }) => `${repo_name}\0${workflow_name}`.toLowerCase(),
    };
    for (const [column, value] of Object.entries(valueOf)) {
      for (const sort of [column, `-${column}`]) {
        // Only the last days, so that some workflows have no runs.
        const { data } = await listed(organization, {
          days: 2,
          compare: 'previous_period',
          waste: true,
          sort,
        });
        assert.equal(data.length, 4, sort);
        const values = data.map(value);
        const known = values.filter((each) => each !== null);
        const sorted = known.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        assert.deepEqual(known, sort === column ? sorted : sorted.toReversed(), sort);
        assert.deepEqual(values.slice(known.length), Array(values.length - known.length).fill(null), sort);
      }
    }
  });

  test('comes whole as CSV for those who accept it', async () => {
    const query = new URLSearchParams({
      days: '2',
      waste: 'true',
      compare: 'previous_period',
      per_page: '1',
    });
    const answer = await request(testApp.server, {
      method: 'GET',
      url: `${path}?${query.toString()}`,
      headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
    });
    assert.match(
      String(answer.headers['content-disposition']),
      /runcost-workflows-2026-03-17-to-2026-03-18\.csv/,
    );
    const [head, ...lines] = answer.text.trimEnd().split('\r\n');
    assert.equal(
      head,
      'workflow,workflow_name,repository,cost_usd,previous_cost_usd,change_usd,share_percent,runs,success_rate,' +
        'duration_p50_seconds,duration_p95_seconds,waste_usd,last_run_at',
    );
    const { data } = await listed(organization, { days: 2, waste: true, compare: 'previous_period' });
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 4).join()),
      data.map((row) => [row.workflow_id, row.workflow_name, row.repo_name, row.cost].join()),
    );
  });

  test('refuses what it cannot answer, by field', async () => {
    const cases: [query: string, field: string][] = [
      ['sort=change', 'sort'],
      ['sort=waste', 'sort'],
      ['sort=total', 'sort'],
      ['metric=net_cost&waste=true', 'waste'],
      ['metric=minutes', 'metric'],
      ['days=365&granularity=day&per_page=100', 'per_page'],
      ['days=7&from=2026-03-01', 'days'],
      ['repo=acme/api', 'repo'],
      ['status=done', 'status'],
      ['page=0', 'page'],
    ];
    for (const [query, field] of cases)
      assertProblem(await organization.get(`${path}?${query}`), 400, 'invalid_request', [`query.${field}`]);
  });

  test('needs the right to read costs, and has nothing of another organization', async () => {
    const stranger = await testApp.newOrganization();
    const answerTo = (token?: string, url = `${path}?waste=true`) =>
      request(testApp.server, {
        method: 'GET',
        url,
        headers: token ? { authorization: `Bearer ${token}` } : {},
      });
    assert.equal((await answerTo()).status, 401);
    assert.equal((await answerTo(await organization.newToken('owner', ['alerts:read']))).status, 403);
    assert.equal((await answerTo(stranger.token, `${path}?org_id=${organization.orgId}`)).status, 403);
    const viewer = await answerTo(await organization.newToken('viewer', ['costs:read']));
    const [own, theirs] = await Promise.all([answerTo(organization.token), answerTo(stranger.token)]);
    assert.deepEqual(
      [viewer, own, theirs].map(({ body }) => [body.data.length, body.total.workflows]),
      [
        [4, 4],
        [4, 4],
        [0, 0],
      ],
    );
    assert.equal(theirs.body.total.waste_cost, 0);
  });
});

test('owners by label leave runs unknown where only some jobs of a workflow are theirs', async () => {
  const organization = await testApp.newOrganization();
  const jobs = [newJob({ labels: ['gpu', 'ubuntu-latest'] }), newJob({ labels: ['ubuntu-latest'] })];
  await submit(
    organization,
    newRun({ provider: 'github', jobs }),
    newRun({ provider: 'github', workflow_name: 'Train', jobs: [newJob({ labels: ['gpu'] })] }),
    newRun({ provider: 'github', workflow_name: 'Lint', jobs: [newJob({ labels: ['ubuntu-latest'] })] }),
  );
  const rule = { kind: 'team', owner: 'ML', label: 'gpu' };
  assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
  const figures = async (query: Query) => {
    const { data, total } = await listed(organization, { ...query, waste: true, sort: 'name' });
    const named = data.map((row) => [row.workflow_name, row.runs, row.waste_cost === null]);
    return [...named, ['total', total.runs, total.waste_cost === null]];
  };
  assert.deepEqual(await figures({ team: 'ML' }), [
    ['Build', null, true],
    ['Train', 1, false],
    ['total', null, true],
  ]);
  assert.deepEqual(await figures({ team: 'ML', workflow: 'Train' }), [
    ['Train', 1, false],
    ['total', 1, false],
  ]);
  assert.deepEqual((await figures({ team: '' })).slice(1), [
    ['Lint', 1, false],
    ['total', null, true],
  ]);
});
