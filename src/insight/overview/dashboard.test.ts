import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const noon = '2026-03-18T12:00:00Z';
const root = '/api/v1/dashboard';
const paths = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
const windowed = ['trends', 'top-workflows', 'workflows', 'workflows/summary'];

type Day = { date: string; cost: number; runs: number };

async function get(
  organization: TestOrganization,
  part: string,
  query: Record<string, string | number> = {},
) {
  const answer = await organization.get(`${root}/${part}`, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function busyDays(organization: TestOrganization, days = 30): Promise<Day[]> {
  const { data } = await get(organization, 'trends', { days });
  return data.filter(({ cost, runs }: Day) => cost !== 0 || runs !== 0);
}

/** A run of jobs of at most five hours that end at `completed`: `minutes` together, on 2-core Linux. */
function runOf(created: string, completed: string, minutes: number, fields: object = {}) {
  const jobs = Array.from({ length: Math.ceil(minutes / 300) }, (_, place) => {
    const length = Math.min(300, minutes - place * 300) * 60_000;
    return newJob({ started_at: new Date(Date.parse(completed) - length), completed_at: completed });
  });
  return newRun({ created_at: created, started_at: created, jobs, ...fields });
}

test('an organization without runs has zeros, nulls and empty lists', async () => {
  const organization = await testApp.newOrganization();
  const bodies = await Promise.all(paths.map((part) => get(organization, part)));
  const [summary, trends, ...others] = bodies;
  assert.deepEqual(summary, {
    total_cost: 0,
    net_total_cost: 0,
    trend_percent: 0,
    total_runs: 0,
    avg_cost_per_run: 0,
    period_days: 30,
  });
  assert.equal(trends.data.length, 30);
  assert.deepEqual(trends.data[0], { date: '2026-02-17', cost: 0, net_cost: 0, runs: 0 });
  assert.deepEqual(trends.data.at(-1), { date: '2026-03-18', cost: 0, net_cost: 0, runs: 0 });
  assert.deepEqual(trends.period, { start: '2026-02-17', end: '2026-03-18', days: 30 });
  assert.deepEqual(others, [
    { workflows: [] },
    { runs: [] },
    { workflows: [], pagination: { total: 0, page: 1, per_page: 50 } },
    {
      total_workflows: 0,
      total_runs: 0,
      total_cost: 0,
      net_total_cost: 0,
      avg_success_rate: 0,
      most_expensive_workflow: null,
      most_active_repo: null,
    },
  ]);
});

describe('org_id', () => {
  test('is required and must be a UUID, the one of the token', async () => {
    const organization = await testApp.newOrganization();
    const other = await testApp.newOrganization();
    for (const part of paths) {
      assertProblem(await organization.send('GET' as 'POST', `${root}/${part}`), 400, 'invalid_request', [
        'query.org_id',
      ]);
      for (const org_id of ['', 'acme', `${organization.orgId}0`]) {
        assertProblem(await organization.get(`${root}/${part}`, { org_id }), 400, 'invalid_request', [
          'query.org_id',
        ]);
      }
      assertProblem(
        await organization.get(`${root}/${part}`, { org_id: other.orgId }),
        403,
        'wrong_organization',
      );
      await get(organization, part, { org_id: organization.orgId.toUpperCase() });
    }
  });
});

describe('the days asked for', () => {
  test("are 30 by default, and cut to the plan's history", async () => {
    for (const [plan, history] of [
      ['free', 30],
      ['pro', 365],
      ['team', 365],
    ] as const) {
      const organization = await testApp.newOrganization({ plan });
      const old = `${new Date(Date.parse(noon) - history * 86_400_000).toISOString().slice(0, 10)}T12:00:00Z`;
      await submit(organization, runOf(old, old, 5));
      assert.equal((await get(organization, 'trends')).period.days, 30);
      for (const days of [history, history + 1, 100_000, 999_999_999_999_999]) {
        const { period, data } = await get(organization, 'trends', { days });
        assert.equal(period.days, history);
        assert.equal(data.length, history);
        assert.equal(period.end, '2026-03-18');
        assert.deepEqual((await get(organization, 'top-workflows', { days })).workflows, []);
        assert.equal((await get(organization, 'workflows', { days })).pagination.total, 0);
        assert.equal((await get(organization, 'workflows/summary', { days })).total_cost, 0);
      }
      assert.deepEqual((await get(organization, 'recent-runs')).runs, []);
    }
  });

  test('may be one: today', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runOf('2026-03-18T00:00:00Z', '2026-03-18T10:00:00Z', 5),
      runOf('2026-03-17T23:59:59.999Z', '2026-03-17T23:59:59.999Z', 5),
    );
    const { data, period } = await get(organization, 'trends', { days: 1 });
    assert.deepEqual(data, [{ date: '2026-03-18', cost: 0.04, net_cost: 0.04, runs: 1 }]);
    assert.deepEqual(period, { start: '2026-03-18', end: '2026-03-18', days: 1 });
    assert.equal((await get(organization, 'workflows/summary', { days: 1 })).total_runs, 1);
  });

  test('must be a whole number from 1', async () => {
    const organization = await testApp.newOrganization();
    for (const part of windowed) {
      for (const days of [0, -1, 1.5, 'week', '', '1e1', 'NaN', '0x10', ' 7', '٣']) {
        assertProblem(await organization.get(`${root}/${part}`, { days }), 400, 'invalid_request', [
          'query.days',
        ]);
      }
    }
  });
});

describe('limits', () => {
  test('are 5 top workflows, 10 recent runs and 50 workflows by default, and at most 100', async () => {
    const organization = await testApp.newOrganization();
    const runs = Array.from({ length: 103 }, (_, index) => newRun({ workflow_name: `w${index}` }));
    await submit(organization, ...runs);
    assert.equal((await get(organization, 'top-workflows')).workflows.length, 5);
    assert.equal((await get(organization, 'recent-runs')).runs.length, 10);
    const list = await get(organization, 'workflows');
    assert.equal(list.workflows.length, 50);
    assert.deepEqual(list.pagination, { total: 103, page: 1, per_page: 50 });
    assert.equal((await get(organization, 'top-workflows', { limit: 7 })).workflows.length, 7);
    assert.equal((await get(organization, 'top-workflows', { limit: 101 })).workflows.length, 100);
    assert.equal((await get(organization, 'recent-runs', { limit: 1_000_000 })).runs.length, 100);
    const second = await get(organization, 'workflows', { per_page: 500, page: 2 });
    assert.equal(second.workflows.length, 3);
    assert.deepEqual(second.pagination, { total: 103, page: 2, per_page: 100 });
    const past = await get(organization, 'workflows', { page: 999_999_999_999_999 });
    assert.deepEqual(past, {
      workflows: [],
      pagination: { total: 103, page: 999_999_999_999_999, per_page: 50 },
    });
  });

  test('must be a whole number from 1', async () => {
    const organization = await testApp.newOrganization();
    for (const [part, name] of [
      ['top-workflows', 'limit'],
      ['recent-runs', 'limit'],
      ['workflows', 'page'],
      ['workflows', 'per_page'],
    ] as const) {
      for (const value of [0, -1, 1.5, 'all', '', '1e1']) {
        const answer = await organization.get(`${root}/${part}`, { [name]: value });
        assertProblem(answer, 400, 'invalid_request', [`query.${name}`]);
      }
    }
  });
});

describe('the trend in percent', () => {
  const before = '2026-02-10T10:00:00Z';
  const within = '2026-02-20T10:00:00Z';
  for (const [previous, current, percent] of [
    [0, 0, 0],
    [0, 1, 100],
    [1, 0, -100],
    [10, 5, -50],
    [5, 10, 100],
    [3, 4, 33.3],
    [3, 1, -66.7],
    [7, 7, 0],
    [2_000, 2_001, 0.1],
    [2_001, 2_000, 0],
    [1, 1_000, 99_900],
  ] as const) {
    test(`from ${previous} to ${current} minutes is ${percent}`, async () => {
      const organization = await testApp.newOrganization({ plan: 'free' });
      await submit(organization, runOf(before, before, previous), runOf(within, within, current));
      assert.equal((await get(organization, 'summary')).trend_percent, percent);
    });
  }

  test('compares with the previous 30 days only', async () => {
    const organization = await testApp.newOrganization();
    const runs = [
      ['2026-03-18T11:00:00Z', 1],
      ['2026-02-17T00:05:00Z', 2],
      ['2026-02-16T23:59:59Z', 4],
      ['2026-01-18T00:01:00Z', 8],
      ['2026-01-17T23:59:59Z', 16],
    ] as const;
    await submit(organization, ...runs.map(([at, minutes]) => runOf(at, at, minutes)));
    const { total_cost, total_runs, trend_percent } = await get(organization, 'summary');
    assert.deepEqual(
      { total_cost, total_runs, trend_percent },
      { total_cost: 0.024, total_runs: 2, trend_percent: -75 },
    );
  });
});

describe('a day', () => {
  test('is the UTC day on which the job completed, to the millisecond', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runOf('2026-03-15T22:00:00Z', '2026-03-15T23:59:59.999Z', 1),
      runOf('2026-03-15T22:00:00Z', '2026-03-16T00:00:00Z', 2),
      runOf('2026-03-16T01:00:00+02:00', '2026-03-16T01:30:00+02:00', 4),
    );
    assert.deepEqual(await busyDays(organization), [
      { date: '2026-03-15', cost: 0.04, net_cost: 0.04, runs: 3 },
      { date: '2026-03-16', cost: 0.016, net_cost: 0.016, runs: 0 },
    ]);
  });

  test('of a run is when it was created, possibly before the window', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runOf('2026-03-16T23:00:00Z', '2026-03-17T00:30:00Z', 10));
    assert.deepEqual(await busyDays(organization, 2), [
      { date: '2026-03-17', cost: 0.08, net_cost: 0.08, runs: 0 },
    ]);
    const { workflows } = await get(organization, 'workflows', { days: 2 });
    const [{ workflow_id }] = workflows;
    assert.deepEqual(workflows, [
      {
        workflow_id,
        workflow_name: 'Build',
        repo_name: 'acme/api',
        total_cost: 0.08,
        net_total_cost: 0.08,
        total_runs: 0,
        success_rate: 0,
        avg_duration_seconds: 0,
        last_run_at: null,
      },
    ]);
  });

  test('follows the calendar over month ends, leap days and the turn of the year', async () => {
    const organization = await testApp.newOrganization();
    try {
      for (const [now, days, expected] of [
        ['2026-03-01T00:00:00Z', 2, ['2026-02-28', '2026-03-01']],
        ['2024-03-01T23:59:59.999Z', 3, ['2024-02-28', '2024-02-29', '2024-03-01']],
        ['2026-01-01T12:00:00Z', 2, ['2025-12-31', '2026-01-01']],
        ['2026-05-01T12:00:00Z', 2, ['2026-04-30', '2026-05-01']],
      ] as const) {
        clock.set(now);
        const { data } = await get(organization, 'trends', { days });
        assert.deepEqual(
          data.map(({ date }: Day) => date),
          expected,
        );
      }
      clock.set('2024-03-01T12:00:00Z');
      await submit(organization, runOf('2024-02-29T23:00:00Z', '2024-02-29T23:30:00Z', 5));
      assert.deepEqual(await busyDays(organization, 2), [
        { date: '2024-02-29', cost: 0.04, net_cost: 0.04, runs: 1 },
      ]);
      const year = await get(organization, 'trends', { days: 365 });
      assert.equal(year.period.start, '2023-03-03');
      assert.equal(new Set(year.data.map(({ date }: Day) => date)).size, 365);
    } finally {
      clock.set(noon);
    }
  });
});

describe('amounts are exact', () => {
  test('over ten million dollars', async () => {
    const organization = await testApp.newOrganization();
    const [start, end, count] = ['2026-02-11T00:00:00Z', '2026-03-17T00:00:00Z', 400];
    const long = Array.from({ length: count }, () =>
      newJob({ runner: 'windows_96_core', started_at: start, completed_at: end }),
    );
    const jobs = [...long, newJob({ runner: 'linux_slim' }), newJob(), newJob()];
    await submit(organization, newRun({ provider: 'ci', jobs })); // no limit is known there
    const minutes = (count * (Date.parse(end) - Date.parse(start))) / 60_000;
    const thousandths = String(minutes * 768 + 10 + 40 + 40);
    const dollars = `${thousandths.slice(0, -3)}.${thousandths.slice(-3)}`.replace(/\.?0+$/, '');
    assert.match(
      (await organization.get(`${root}/summary`)).text,
      new RegExp(`"total_cost":${dollars},.*"avg_cost_per_run":${dollars},`),
    );
    for (const part of ['top-workflows', 'workflows', 'workflows/summary']) {
      assert.ok((await organization.get(`${root}/${part}`)).text.includes(`"total_cost":${dollars},`), part);
    }
    assert.ok((await organization.get(`${root}/recent-runs`)).text.includes(`"cost":${dollars},`));
  });

  test('to the last billionth of a dollar, where a float fails', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    const nanos = 2n ** 60n + 1n;
    for (const table of ['charge_days', 'runner_days', 'runs']) {
      await sql`update ${sql.table(table)} set cost_nanos = ${nanos} where org_id = ${organization.orgId}`.execute(
        app.db,
      );
    }
    for (const part of paths) {
      const { text } = await organization.get(`${root}/${part}`);
      assert.match(text, /cost":1152921504\.606846977[,}]/, part);
    }
  });

  test('and averages rounded half to even, at six decimals', async () => {
    for (const [minutes, average] of [
      [1, '0.000002'],
      [3, '0.000008'],
    ] as const) {
      const organization = await testApp.newOrganization();
      const job = newJob({ runner: 'linux_slim', completed_at: `2026-03-18T10:0${minutes}:00Z` });
      await submit(
        organization,
        newRun({ jobs: [job] }),
        ...Array.from({ length: 799 }, () => newRun({ jobs: [] })),
      );
      assert.ok((await organization.get(`${root}/summary`)).text.includes(`"avg_cost_per_run":${average},`));
    }
  });
});

describe('an answer', () => {
  const headersOf = ({ token }: TestOrganization) => ({ authorization: `Bearer ${token}` });

  for (const encoding of ['identity', 'gzip']) {
    test(`in ${encoding} is not sent again while it is unchanged`, async () => {
      const organization = await testApp.newOrganization();
      const url = `${root}/trends?days=90&org_id=${organization.orgId}`;
      const headers = { ...headersOf(organization), 'accept-encoding': encoding };
      const first = await server.inject({ url, headers });
      assert.equal(first.statusCode, 200);
      const etag = String(first.headers.etag);
      assert.match(etag, /^(W\/)?".+"$/);
      for (const known of [etag, `"other", ${etag.replace('W/', '')}`, '*']) {
        const asked = { url, headers: { ...headers, 'if-none-match': known } };
        const again = await server.inject(asked);
        assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], known);
        assert.equal((await server.inject({ ...asked, method: 'HEAD' })).statusCode, 304);
        for (const name of ['length', 'type', 'encoding']) assert.ok(!(`content-${name}` in again.headers));
      }
      const other = await server.inject({ url, headers: { ...headers, 'if-none-match': '"*", "a' } });
      assert.equal(other.statusCode, 200);
      await submit(organization, newRun());
      const changed = await server.inject({ url, headers: { ...headers, 'if-none-match': etag } });
      assert.equal(changed.statusCode, 200);
      assert.notEqual(changed.headers.etag, etag);
    });
  }

  test('is compressed on request and if it is worth it', async () => {
    const organization = await testApp.newOrganization();
    const url = `${root}/trends?days=90&org_id=${organization.orgId}`;
    const plain = await server.inject({ url, headers: headersOf(organization) });
    assert.equal(plain.headers['content-encoding'], undefined);
    const zipped = await server.inject({
      url,
      headers: { ...headersOf(organization), 'accept-encoding': 'gzip, br' },
    });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.match(String(zipped.headers.vary), /accept-encoding/i);
    assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body);
    assert.ok(zipped.rawPayload.length < plain.body.length / 4);
    for (const accepted of ['*, gzip;q=0', 'br', 'gzip;q=0.0']) {
      const headers = { ...headersOf(organization), 'accept-encoding': accepted };
      assert.equal((await server.inject({ url, headers })).headers['content-encoding'], undefined, accepted);
    }
    const small = await server.inject({
      url: `${root}/summary?org_id=${organization.orgId}`,
      headers: { ...headersOf(organization), 'accept-encoding': 'gzip' },
    });
    assert.equal(small.headers['content-encoding'], undefined);
  });
});
