import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { request, sharedTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/showback';

type Query = Record<string, string | number>;

async function ask(organization: TestOrganization, query: Query = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

async function addRules(organization: TestOrganization, ...rules: object[]): Promise<void> {
  for (const rule of rules) {
    const answer = await organization.send('POST', '/api/v1/ownership/rules', { kind: 'team', ...rule });
    assert.equal(answer.status, 201, answer.text);
  }
}

async function setTerms(organization: TestOrganization, terms: object): Promise<void> {
  const answer = await organization.send('PUT', '/api/v1/pricing/terms', { terms: [terms] });
  assert.equal(answer.status, 200, answer.text);
}

let submitted = 0;

/** A run of one job of GitHub whose minutes are on 2-core Linux, at 0.008 USD each. */
function runOf(minutes: number, repo_name: string, day: string) {
  const started_at = `${day}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  const jobs = [newJob({ started_at, completed_at })];
  return newRun({
    provider: 'github',
    run_id: `${++submitted}`,
    repo_name,
    created_at: started_at,
    started_at,
    jobs,
  });
}

const inShort = ({ owners }: { owners: Record<string, unknown>[] }) =>
  owners.map(({ name, cost, previous_cost: before }) => [name, cost, before]);

test('a month has a row for each owner, and one for unowned costs', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(
    organization,
    runOf(10, 'acme/api', '2026-02-01'),
    runOf(20, 'acme/api', '2026-02-28'),
    runOf(30, 'acme/web', '2026-02-10'),
    runOf(40, 'other/tool', '2026-02-10'),
    runOf(50, 'acme/web', '2026-01-31'),
    runOf(60, 'old/one', '2026-01-01'),
    runOf(70, 'acme/api', '2026-03-01'),
  );
  await addRules(
    organization,
    { repository: 'acme/*', owner: 'Platform' },
    { repository: 'old/*', owner: 'Retired' },
  );
  const answer = await ask(organization, { month: '2026-02' });
  assert.deepEqual(answer.period, { start: '2026-02-01', end: '2026-02-28', days: 28 });
  assert.deepEqual(answer.previous_period, { start: '2026-01-01', end: '2026-01-31', days: 31 });
  assert.deepEqual(
    [answer.month, answer.by, answer.metric, answer.ownership],
    ['2026-02', 'team', 'cost', 'of_day'],
  );
  assert.deepEqual(answer.owners, [
    {
      owner: 'Platform',
      name: 'Platform',
      is_idle: false,
      share_percent: 60,
      cost: 0.48,
      minutes: 60,
      jobs: 3,
      previous_cost: 0.4,
      change: 0.08,
      change_percent: 20,
      repositories: [
        { repository: 'acme/api', cost: 0.24 },
        { repository: 'acme/web', cost: 0.24 },
      ],
      other_repositories: 0,
    },
    {
      owner: 'Retired',
      name: 'Retired',
      is_idle: false,
      share_percent: 0,
      cost: 0,
      minutes: 0,
      jobs: 0,
      previous_cost: 0.48,
      change: -0.48,
      change_percent: -100,
      repositories: [],
      other_repositories: 0,
    },
    {
      owner: null,
      name: 'unowned',
      is_idle: false,
      share_percent: 40,
      cost: 0.32,
      minutes: 40,
      jobs: 1,
      previous_cost: 0,
      change: 0.32,
      change_percent: null,
      repositories: [{ repository: 'other/tool', cost: 0.32 }],
      other_repositories: 0,
    },
  ]);
  assert.deepEqual(answer.total, {
    cost: 0.8,
    minutes: 100,
    jobs: 4,
    previous_cost: 0.88,
    change: -0.08,
    change_percent: -9.1,
  });
});

test('a running month ends today, and is compared with as many days of the month before', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(
    organization,
    runOf(10, 'acme/api', '2026-03-18'),
    runOf(20, 'acme/api', '2026-02-18'),
    runOf(40, 'acme/api', '2026-02-19'),
  );
  const answer = await ask(organization);
  assert.deepEqual(answer.period, { start: '2026-03-01', end: '2026-03-18', days: 18 });
  assert.deepEqual(answer.previous_period, { start: '2026-02-01', end: '2026-02-18', days: 18 });
  assert.deepEqual(inShort(answer), [['unowned', 0.08, 0.16]]);
});

test('history follows the rules of its day, or of today; cost centers have their own', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(organization, runOf(10, 'acme/api', '2026-02-10'), runOf(20, 'acme/api', '2026-02-20'));
  await addRules(
    organization,
    { repository: 'acme/api', owner: 'Old', valid_until: '2026-02-15' },
    { repository: 'acme/api', owner: 'New', valid_from: '2026-02-16' },
    { repository: '*', owner: 'CC-1', kind: 'cost_center' },
  );
  const month = { month: '2026-02' };
  assert.deepEqual(inShort(await ask(organization, month)), [
    ['New', 0.16, 0],
    ['Old', 0.08, 0],
  ]);
  assert.deepEqual(inShort(await ask(organization, { ...month, ownership: 'today' })), [['New', 0.24, 0]]);
  assert.deepEqual(inShort(await ask(organization, { ...month, by: 'cost_center' })), [['CC-1', 0.24, 0]]);
});

test('an owner has the most expensive repositories, and how many more there are', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ...Array.from({ length: 7 }, (_, index) => runOf(index + 1, `acme/r${index}`, '2026-03-10')),
  );
  const [{ repositories, other_repositories: others }] = (await ask(organization)).owners;
  assert.deepEqual(
    repositories.map(({ repository }: { repository: string }) => repository),
    ['acme/r6', 'acme/r5', 'acme/r4', 'acme/r3', 'acme/r2'],
  );
  assert.equal(others, 2);
});

test('comes as CSV for those who accept it', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(organization, runOf(30, 'acme/api', '2026-02-10'), runOf(10, 'acme/web', '2026-02-10'));
  await addRules(organization, { repository: 'acme/api', owner: '=A', kind: 'cost_center' });
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const url = `${path}?month=2026-02&by=cost_center`;
  const answer = await request(testApp.server, { method: 'GET', url, headers });
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present');
  assert.match(String(answer.headers.vary), /\baccept\b/i);
  assert.match(
    String(answer.headers['content-disposition']),
    /filename="runcost-showback-2026-02-by-cost-center\.csv"/,
  );
  assert.deepEqual(answer.text.split('\r\n'), [
    'month,by,owner,cost_usd,share_percent,minutes,jobs,previous_cost_usd,change_usd',
    "2026-02,cost_center,'=A,0.24,75,30,1,0,0.24",
    '2026-02,cost_center,,0.08,25,10,1,0,0.08',
    '',
  ]);
});

test('shows what is left after included minutes and discounts, as JSON and as CSV', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(
    organization,
    runOf(30, 'acme/api', '2026-02-10'),
    runOf(10, 'acme/web', '2026-02-10'),
    runOf(10, 'acme/web', '2026-01-10'),
  );
  await addRules(organization, { repository: 'acme/web', owner: 'Web' });
  await setTerms(organization, { included_minutes: { minutes: 20 }, discount_percent: 25 });
  const { metric, total, owners } = await ask(organization, { month: '2026-02', metric: 'net_cost' });
  assert.equal(metric, 'net_cost');
  assert.deepEqual(inShort({ owners }), [
    ['Web', 0.03, 0],
    ['unowned', 0.09, 0],
  ]);
  assert.deepEqual([total.cost, total.minutes], [0.12, 40]);
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const url = `${path}?month=2026-02&metric=net_cost`;
  const answer = await request(testApp.server, { method: 'GET', url, headers });
  assert.match(String(answer.headers['content-disposition']), /"runcost-showback-2026-02-by-team-net\.csv"/);
  assert.deepEqual(answer.text.split('\r\n'), [
    'month,by,owner,net_cost_usd,share_percent,minutes,jobs,previous_net_cost_usd,change_net_cost_usd',
    '2026-02,team,Web,0.03,25,10,1,0,0.03',
    '2026-02,team,,0.09,75,30,1,0,0.09',
    '',
  ]);
});

test('full cost has idle time of runner pools after the owners', async () => {
  const organization = await testApp.newOrganization();
  const ownJob = {
    labels: ['mac'],
    started_at: '2026-02-10T00:00:00Z',
    completed_at: '2026-02-10T12:00:00Z',
  };
  await submit(organization, newRun({ repo_name: 'acme/web', jobs: [newJob(ownJob)] }));
  await addRules(organization, { repository: 'acme/web', owner: 'Web' });
  const periods = [{ first_day: '2026-02-10', last_day: '2026-02-10', machines: 1, usd_per_hour: 1 }];
  const pool = { name: 'Macs', match: 'label', pattern: 'mac', periods };
  assert.equal((await organization.send('POST', '/api/v1/runner-pools', pool)).status, 201);
  const { total, owners } = await ask(organization, { month: '2026-02', metric: 'full_cost' });
  assert.deepEqual([total.cost, total.jobs], [24, 1]);
  assert.deepEqual(
    owners.map(({ name, cost, is_idle, repositories }: Answer['body']) => [
      name,
      cost,
      is_idle,
      repositories.length,
    ]),
    [
      ['Web', 12, false, 1],
      ['idle of Macs', 12, true, 0],
    ],
  );
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const url = `${path}?month=2026-02&metric=full_cost`;
  const file = await request(testApp.server, { method: 'GET', url, headers });
  assert.match(String(file.headers['content-disposition']), /"runcost-showback-2026-02-by-team-full\.csv"/);
});

const anyRun = fc.record({
  minutes: fc.integer({ min: 1, max: 90 }),
  repository: fc.constantFrom('acme/api', 'acme/web', 'other/ops'),
  day: fc.constantFrom('2026-01-15', '2026-02-01', '2026-02-14', '2026-02-28', '2026-03-18'),
});
const anyRule = fc.record({
  owner: fc.constantFrom('Platform', 'Web'),
  repository: fc.constantFrom('acme/api', 'acme/*', '*ops'),
  valid_from: fc.constantFrom('2026-02-10', null),
  valid_until: fc.constantFrom('2026-02-20', null),
});

test('the owners add up to the total, which is that of the cost query', async () => {
  const nanos = (amount: number) => BigInt(Math.round(amount * 1e9));
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 8 }),
      fc.array(anyRule, { maxLength: 3 }),
      fc.constantFrom('2026-01', '2026-02', '2026-03'),
      fc.constantFrom('of_day', 'today'),
      fc.constantFrom('cost', 'net_cost'),
      async (runs, rules, month, ownership, metric) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        await setTerms(organization, { included_minutes: { minutes: 40 }, discount_percent: 12.5 });
        await submit(organization, ...runs.map((run) => runOf(run.minutes, run.repository, run.day)));
        for (const rule of rules)
          await organization.send('POST', '/api/v1/ownership/rules', { kind: 'team', ...rule });
        const { period, total, owners } = await ask(organization, { month, ownership, metric });
        const sum = (name: string) =>
          owners.reduce((all: bigint, owner: Record<string, number>) => all + nanos(owner[name]!), 0n);
        const query = { from: period.start, to: period.end, ownership, metric, group_by: 'team' };
        const { body } = await organization.get('/api/v1/costs', query);
        assert.equal(body.data.total.value, total.cost);
        for (const name of ['cost', 'minutes', 'jobs', 'previous_cost', 'change'])
          assert.equal(sum(name), nanos(total[name]), name);
        for (const { by, value } of body.data.groups) {
          const owner = owners.find((each: { owner: string | null }) => each.owner === by[0].value);
          assert.equal(owner.cost, value);
        }
      },
    ),
    { numRuns: 6 },
  );
});

test('months that cannot be shown are refused, and history ends where the plan says', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  await submit(
    organization,
    runOf(10, 'acme/api', '2026-02-16'),
    runOf(20, 'acme/api', '2026-02-17'),
    runOf(30, 'acme/api', '2026-01-16'),
    runOf(40, 'acme/api', '2026-01-17'),
  );
  const february = await ask(organization, { month: '2026-02' });
  assert.deepEqual([february.period.start, february.total.cost], ['2026-02-17', 0.16]);
  assert.deepEqual(february.previous_period, { start: '2026-01-17', end: '2026-01-31', days: 15 });
  assert.equal(february.total.previous_cost, 0.32);
  const mistyped = await organization.get(`${path}?month=2026-2`);
  assert.equal(mistyped.body.detail, 'query.month must be a month such as 2026-01');
  for (const [query, field] of [
    ['month=2026-04', 'month'],
    ['month=2026-01', 'month'],
    ['month=2026-13', 'month'],
    ['month=March', 'month'],
    ['by=person', 'by'],
    ['metric=minutes', 'metric'],
    ['ownership=yesterday', 'ownership'],
    ['days=3', 'days'],
  ]) {
    const answer = await organization.get(`${path}?${query}`);
    assertProblem(answer, 400, 'invalid_request', [`query.${field}`]);
  }
});

test('needs the right to read costs, and has nothing of another organization', async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  await submit(organization, runOf(10, 'acme/api', '2026-03-10'));
  const answerTo = (token?: string) =>
    request(testApp.server, {
      method: 'GET',
      url: path,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
  assert.equal((await answerTo()).status, 401);
  assert.equal((await answerTo(await organization.newToken('owner', ['alerts:read']))).status, 403);
  const viewer = await organization.newToken('viewer', ['costs:read']);
  assert.equal((await answerTo(viewer)).body.data.total.cost, 0.08);
  const [own, foreign] = await Promise.all([answerTo(viewer), answerTo(stranger.token)]);
  assert.deepEqual([own.body.data.total.cost, foreign.body.data.total.cost], [0.08, 0]);
});
