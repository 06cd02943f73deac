import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { createSums } from '../../ledger/costs/columns/sumRows.ts';
import { globOf } from '../../platform/lib/text.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/costs';

type Query = Record<string, string | number>;

async function ask(organization: TestOrganization, query: Query = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

type Group = { by: { name: string }[]; value: number; previous_value: number | null; change_percent: number };

const named = ({ groups }: { groups: Group[] }) =>
  groups.map(({ by, value }) => [by.map(({ name }) => name).join(' / '), value]);

/** A run of one job whose minutes are on 2-core Linux, at 0.008 USD each. */
function runOf(minutes: number, fields: object = {}, day = '2026-03-18') {
  const [created_at, started_at] = [`${day}T08:00:00Z`, `${day}T08:00:00Z`];
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  return newRun({
    created_at,
    started_at,
    jobs: [newJob({ name: 'build', started_at, completed_at })],
    ...fields,
  });
}

test('a question without parameters is about the cost of 30 days', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(5), runOf(10, {}, '2026-02-17'), runOf(20, {}, '2026-02-16'));
  const answer = await ask(organization);
  assert.deepEqual(answer, {
    period: { start: '2026-02-17', end: '2026-03-18', days: 30 },
    previous_period: null,
    metric: 'cost',
    granularity: 'total',
    group_by: [],
    anomaly_threshold_percent: null,
    total: { value: 0.12, previous_value: null, change: null, change_percent: null, series: [] },
    groups: [],
    other: null,
  });
  const empty = await testApp.newOrganization();
  assert.deepEqual((await ask(empty, { group_by: 'branch', granularity: 'month' })).groups, []);
});

describe('groups', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(
    organization,
    runOf(40, { repo_name: 'acme/web', branch: 'main' }),
    runOf(30, { repo_name: 'acme/api', branch: 'main' }),
    runOf(20, { repo_name: 'acme/api', branch: 'release/1' }, '2026-03-17'),
    runOf(10, { repo_name: 'acme/ops' }, '2026-03-16'),
    runOf(50, { repo_name: 'acme/old', branch: 'main' }, '2026-02-01'),
    runOf(25, { repo_name: 'acme/web', branch: 'main' }, '2026-02-01'),
    runOf(80, { repo_name: 'acme/web' }, '2025-03-18'),
  );

  test('have the largest first, and one row for the others', async () => {
    const answer = await ask(organization, { group_by: 'repository', limit: 2 });
    assert.deepEqual(named(answer), [
      ['acme/api', 0.4],
      ['acme/web', 0.32],
    ]);
    assert.deepEqual([answer.other.groups, answer.other.value, answer.total.value], [1, 0.08, 0.8]);
    assert.deepEqual([answer.groups[0].share_percent, answer.other.share_percent], [50, 10]);
  });

  test('are of up to two dimensions, with null for none', async () => {
    const answer = await ask(organization, { group_by: 'branch,repository', sort: 'name' });
    const values = answer.groups.map(({ by }: { by: { value: string | null }[] }) =>
      by.map(({ value }) => value),
    );
    assert.deepEqual(values, [
      [null, 'acme/ops'],
      ['main', 'acme/api'],
      ['main', 'acme/web'],
      ['release/1', 'acme/api'],
    ]);
    assert.equal(answer.groups[0].by[0].name, 'none');
  });

  test('are sorted as asked', async () => {
    const compared = { group_by: 'repository', compare: 'previous_period', days: 45 };
    const order = async (sort: string, query: Query = compared) =>
      named(await ask(organization, { ...query, sort })).map(([name]) => String(name).slice(5));
    assert.deepEqual(await order('-value'), ['api', 'web', 'ops', 'old']);
    assert.deepEqual(await order('value'), ['old', 'ops', 'web', 'api']);
    const month = {
      group_by: 'repository',
      compare: 'previous_period',
      from: '2026-02-16',
      to: '2026-03-31',
    };
    assert.deepEqual(await order('-change', month), ['api', 'web', 'ops', 'old']);
    assert.deepEqual(await order('change', month), ['old', 'ops', 'web', 'api']);
    assert.deepEqual(await order('-name', month), ['web', 'ops', 'old', 'api']);
    const days = named(await ask(organization, { group_by: 'weekday', sort: 'name', days: 3 }));
    assert.deepEqual(days, [
      ['monday', 0.08],
      ['tuesday', 0.16],
      ['wednesday', 0.56],
    ]);
  });

  test('are compared with the days before, also those that vanished', async () => {
    const query = {
      from: '2026-03-01',
      to: '2026-03-18',
      group_by: 'repository',
      compare: 'previous_period',
    };
    const answer = await ask(organization, { ...query, from: '2026-02-16' });
    assert.deepEqual(answer.previous_period, { start: '2026-01-16', end: '2026-02-15', days: 31 });
    const web = answer.groups.find(({ by }: Group) => by[0]!.name === 'acme/web');
    assert.deepEqual([web.value, web.previous_value, web.change, web.change_percent], [0.32, 0.2, 0.12, 60]);
    const old = answer.groups.find(({ by }: Group) => by[0]!.name === 'acme/old');
    assert.deepEqual([old.value, old.previous_value, old.change, old.change_percent], [0, 0.4, -0.4, -100]);
    const ops = answer.groups.find(({ by }: Group) => by[0]!.name === 'acme/ops');
    assert.deepEqual([ops.previous_value, ops.change_percent], [0, null]);
    const year = await ask(organization, { ...query, compare: 'previous_year' });
    assert.deepEqual(year.previous_period, { start: '2025-03-01', end: '2025-03-18', days: 18 });
    assert.equal(year.total.previous_value, 0.64);
  });

  test('have a series of days, weeks or months', async () => {
    const query = { from: '2026-02-01', to: '2026-03-17', group_by: 'repository', limit: 1 };
    const months = await ask(organization, { ...query, granularity: 'month', compare: 'previous_period' });
    const values = ({ series }: { series: { start: string; value: number }[] }) =>
      series.map(({ start, value }) => [start, value]);
    assert.deepEqual(values(months.total), [
      ['2026-02-01', 0.6],
      ['2026-03-01', 0.24],
    ]);
    assert.deepEqual(values(months.groups[0]), [
      ['2026-02-01', 0.4],
      ['2026-03-01', 0],
    ]);
    assert.deepEqual(values(months.other), [
      ['2026-02-01', 0.2],
      ['2026-03-01', 0.24],
    ]);
    const weeks = { from: '2026-03-15', to: '2026-03-18', granularity: 'week', group_by: 'repository' };
    assert.deepEqual(values((await ask(organization, weeks)).total), [
      ['2026-03-15', 0],
      ['2026-03-16', 0.8],
    ]);
    const { total, groups } = await ask(organization, { ...weeks, week_start: 'sunday' });
    assert.deepEqual(values(total), [['2026-03-15', 0.8]]);
    assert.match(groups[0].narrow, /&granularity=week&week_start=sunday&/);
    const days = await ask(organization, { days: 3, granularity: 'day', metric: 'runs' });
    assert.deepEqual(values(days.total), [
      ['2026-03-16', 1],
      ['2026-03-17', 1],
      ['2026-03-18', 2],
    ]);
  });

  test('lead on to the question about one of them', async () => {
    const answer = await ask(organization, { group_by: 'branch', repository: 'acme/api' });
    for (const { narrow, value } of answer.groups) {
      const narrowed = (await organization.get(narrow)).body.data;
      assert.deepEqual([narrowed.total.value, narrowed.group_by], [value, ['workflow']]);
    }
    const none = await ask(organization, { group_by: 'branch', repository: 'acme/ops' });
    assert.equal((await organization.get(none.groups[0].narrow)).body.data.total.value, 0.08);
  });

  test('come as CSV for those who accept it', async () => {
    const csv = async (query: string) => {
      const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
      return request(testApp.server, { method: 'GET', url: `${path}?${query}`, headers });
    };
    const { text, headers } = await csv('days=3&group_by=repository&limit=1&compare=previous_period');
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.match(String(headers.vary), /\baccept\b/i);
    assert.match(
      String(headers['content-disposition']),
      /filename="runcost-costs-2026-03-16-to-2026-03-18\.csv"/,
    );
    assert.deepEqual(text.split('\r\n'), [
      'row,start,repository,cost_usd,previous_cost_usd,change_cost_usd',
      'group,2026-03-16,acme/api,0.4,0,0.4',
      'other,2026-03-16,,0.4,0,0.4',
      '',
    ]);
    const daily = (await csv('days=2&granularity=day&metric=minutes')).text;
    assert.equal(daily, 'row,start,minutes\r\ntotal,2026-03-17,20\r\ntotal,2026-03-18,70\r\n');
  });
});

test('values that begin as a formula do not become one in a spreadsheet', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(5, { branch: '=1+1' }));
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const { text } = await request(testApp.server, { method: 'GET', url: `${path}?group_by=branch`, headers });
  assert.match(text, /,'=1\+1,/);
});

test('an answer is never older than its question', async () => {
  const organization = await testApp.newOrganization();
  const run = runOf(5, { run_id: 'late', branch: undefined, actor: 'mona' });
  await submit(organization, run);
  const byBranch = async () => named(await ask(organization, { group_by: 'branch' }));
  assert.deepEqual(await byBranch(), [['none', 0.04]]);
  // This changes no sum.
  await submit(organization, { ...run, branch: 'main' });
  assert.deepEqual(await byBranch(), [['main', 0.04]]);
  await submit(organization, {
    ...run,
    branch: 'main',
    jobs: [...(run.jobs as object[]), newJob({ job_id: 'more' })],
  });
  assert.deepEqual(await byBranch(), [['main', 0.08]]);
  const { id } = (await organization.get('/api/v1/runs')).body.data[0];
  const deleted = await organization.send('POST', '/api/v1/runs/delete', { ids: [id] });
  assert.equal(deleted.status, 200, deleted.text);
  assert.deepEqual(await byBranch(), []);
});

test('a report without jobs changes the facts of all jobs of its run, on every day', async () => {
  const organization = await testApp.newOrganization();
  const run = {
    run_id: 'midnight',
    workflow_name: 'Nightly',
    repo_name: 'acme/api',
    created_at: '2026-03-15T23:50:00Z',
  };
  const times = { started_at: '2026-03-15T23:50:00Z', completed_at: '2026-03-16T00:05:00Z' };
  await submit(organization, { ...run, status: 'in_progress', jobs: [newJob(times)] });
  const by = async (names: string) => named(await ask(organization, { group_by: names }));
  assert.deepEqual(await by('conclusion,branch'), [['none / none', 0.12]]);
  const late = { status: 'completed', conclusion: 'failure', branch: 'main', pull_request: 7, jobs: [] };
  await submit(organization, { ...run, ...late });
  assert.deepEqual(await by('conclusion,branch'), [['failure / main', 0.12]]);
  assert.deepEqual(await by('pull_request,day'), [['7 / 2026-03-16', 0.12]]);
});

test('a deleted run leaves nothing behind', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    runOf(5, { run_id: 'gone', actor: 'mona' }),
    runOf(5, { actor: 'lisa' }),
    runOf(5, { run_id: 'gone too', actor: 'mona' }, '2026-03-17'),
  );
  await ask(organization, { group_by: 'actor' });
  await ask(organization, { group_by: 'actor', metric: 'runs' });
  const kept = () =>
    testApp.app.db.selectFrom('dayColumns').select('day').where('orgId', '=', organization.orgId).execute();
  assert.ok((await kept()).length > 0, testApp.logged().slice(-1500));
  const { data } = (await organization.get('/api/v1/runs')).body;
  const ids = data
    .filter(({ actor }: { actor: string }) => actor === 'mona')
    .map(({ id }: { id: string }) => id);
  assert.equal(ids.length, 2);
  const deleted = await organization.send('POST', '/api/v1/runs/delete', { ids });
  assert.equal(deleted.status, 200, deleted.text);
  assert.deepEqual(await kept(), []);
  assert.deepEqual(named(await ask(organization, { group_by: 'actor' })), [['lisa', 0.04]]);
});

test('values with signs of a filter are narrowed to literally', async () => {
  const organization = await testApp.newOrganization();
  const branches = ['!main', 'main', 'a*', 'ab', '=x', 'x'];
  await submit(organization, ...branches.map((branch, index) => runOf(index + 1, { branch })));
  const { groups } = await ask(organization, {
    group_by: 'branch',
    granularity: 'month',
    compare: 'previous_period',
  });
  assert.equal(groups.length, branches.length);
  for (const { narrow, value } of groups) {
    const { total } = (await organization.get(narrow)).body.data;
    assert.deepEqual([total.value, total.previous_value, total.series.length], [value, 0, 2], narrow);
  }
});

test('days beyond the history of the plan are not shown', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  await submit(organization, runOf(5, {}, '2026-02-17'), runOf(10, {}, '2026-02-16'));
  for (const query of [
    { days: 90 },
    { from: '2026-01-01' },
    { from: '2026-01-01', to: '2026-12-31' },
  ] as Query[]) {
    const { period, total } = await ask(organization, query);
    assert.deepEqual([period.start, period.end, total.value], ['2026-02-17', '2026-03-18', 0.04]);
  }
  const compared = await ask(organization, { compare: 'previous_period' });
  assert.equal(compared.total.previous_value, 0.08);
  const before = await organization.get(path, { from: '2026-01-01', to: '2026-02-16' });
  assertProblem(before, 400, 'invalid_request', ['query.to']);
});

test('questions that cannot be answered are refused by field', async () => {
  const organization = await testApp.newOrganization();
  const cases: [string, string][] = [
    ['group_by=teams', 'group_by'],
    ['group_by=branch,actor,event', 'group_by'],
    ['group_by=day&compare=previous_period', 'group_by'],
    ['metric=money', 'metric'],
    ['metric=runs&group_by=runner', 'metric'],
    ['metric=runs&label=x', 'metric'],
    ['granularity=hour', 'granularity'],
    ['week_start=friday', 'week_start'],
    ['compare=yesterday', 'compare'],
    ['sort=cost', 'sort'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['days=0', 'days'],
    ['days=7&from=2026-03-01', 'days'],
    ['from=2026-02-30', 'from'],
    ['from=2026-03-19', 'from'],
    ['from=2026-03-10&to=2026-03-09', 'from'],
    ['repo=acme/api', 'repo'],
    [`branch=${'a'.repeat(2_001)}`, 'branch[0]'],
    ['sort=change', 'sort'],
    ['weekday=Monday', 'weekday'],
    ['hour=9', 'hour'],
    ['conclusion=!succes', 'conclusion'],
    ['group_by=constructor', 'group_by'],
    ['group_by=__proto__', 'group_by'],
    ['limit=1000&granularity=day', 'limit'],
  ];
  for (const [query, field] of cases) {
    const answer = await organization.get(`${path}?${query}`);
    assertProblem(answer, 400, 'invalid_request', [`query.${field}`]);
  }
});

test('needs the right to read costs, and has nothing of another organization', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(5));
  const answerTo = (token?: string) =>
    request(testApp.server, {
      method: 'GET',
      url: path,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
  assert.equal((await answerTo()).status, 401);
  assert.equal((await answerTo(await organization.newToken('owner', ['alerts:read']))).status, 403);
  assert.equal(
    (await answerTo(await organization.newToken('viewer', ['costs:read']))).body.data.total.value,
    0.04,
  );
  const stranger = await testApp.newOrganization();
  assert.equal((await answerTo(stranger.token)).body.data.total.value, 0);
  // Equal questions at the same time share an answer only within an organization.
  const both = [organization.token, stranger.token];
  const atOnce = await Promise.all([...both, ...both, ...both].map((token) => answerTo(token)));
  assert.deepEqual(
    atOnce.map(({ body }) => body.data.total.value),
    [0.04, 0, 0.04, 0, 0.04, 0],
  );
  const url = `${path}?org_id=${organization.orgId}`;
  const headers = { authorization: `Bearer ${stranger.token}` };
  assert.equal((await request(testApp.server, { method: 'GET', url, headers })).status, 403);
});

test('sums stay exact beyond the digits of a number', () => {
  const rows = 1_000_000;
  const amounts = {
    codes: new Uint32Array(rows),
    billions: Float64Array.of(2),
    rests: Float64Array.of(999_999_999),
  };
  const sums = createSums();
  for (let day = 0; day < 20; day++) sums.add(new Int32Array(rows), amounts);
  assert.deepEqual(sums.values(), [20_000_000n * 2_999_999_999n]);
});

test('a star stands for any characters', () => {
  const cases: [string, string, boolean][] = [
    ['main', 'main', true],
    ['main', 'main2', false],
    ['*', '', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*b*', 'abc', true],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'acb', false],
    ['a*bc*c', 'abc', false],
    ['release/*', 'Release/1', false],
  ];
  for (const [pattern, text, expected] of cases)
    assert.equal(globOf(pattern)(text), expected, `${pattern} ${text}`);
});
