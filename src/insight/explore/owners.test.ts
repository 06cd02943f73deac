import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();

type Query = Record<string, string | number>;

async function ask(organization: TestOrganization, query: Query) {
  const answer = await organization.get('/api/v1/costs', query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

type Group = { by: { value: string | null; name: string }[]; value: number; narrow: string };

async function byOwner(organization: TestOrganization, query: Query = {}) {
  const { groups } = await ask(organization, { group_by: 'team', ...query });
  return Object.fromEntries(groups.map(({ by, value }: Group) => [by[0]!.name, value]));
}

async function addRules(organization: TestOrganization, ...rules: object[]): Promise<void> {
  for (const rule of rules) {
    const answer = await organization.send('POST', '/api/v1/ownership/rules', { kind: 'team', ...rule });
    assert.equal(answer.status, 201, answer.text);
  }
}

/** A run of one job whose minutes are on 2-core Linux, at 0.008 USD each. */
function runOf(minutes: number, repo_name: string, day = '2026-03-18', fields: object = {}) {
  const started_at = `${day}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  return newRun({
    repo_name,
    created_at: started_at,
    started_at,
    jobs: [newJob({ started_at, completed_at })],
    ...fields,
  });
}

test('costs by team follow the rules of their day, or those of today', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    runOf(10, 'acme/api', '2026-03-10'),
    runOf(20, 'acme/api'),
    runOf(30, 'acme/web'),
    runOf(40, 'other/tool'),
  );
  assert.deepEqual(await byOwner(organization), { unowned: 0.8 });
  await addRules(
    organization,
    { repository: 'acme/api', owner: 'Platform', valid_until: '2026-03-15' },
    { repository: 'ACME/*', owner: 'Payments', valid_from: '2026-03-16' },
  );
  assert.deepEqual(await byOwner(organization), { Platform: 0.08, Payments: 0.4, unowned: 0.32 });
  const today = { ownership: 'today' };
  assert.deepEqual(await byOwner(organization, today), { Payments: 0.48, unowned: 0.32 });
  assert.deepEqual(await byOwner(organization, { group_by: 'cost_center' }), { unowned: 0.8 });
  const compared = await ask(organization, {
    group_by: 'team',
    from: '2026-03-12',
    to: '2026-03-18',
    compare: 'previous_period',
  });
  assert.deepEqual(
    compared.groups.map(({ by, value, previous_value: before }: Group & { previous_value: number }) => [
      by[0]!.value,
      value,
      before,
    ]),
    [
      ['Payments', 0.4, 0],
      [null, 0.32, 0],
      ['Platform', 0, 0.08],
    ],
  );
});

test('a team can be filtered by, and each group leads to the question about it alone', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(10, 'acme/api'), runOf(20, 'acme/web'), runOf(40, 'acme/ops'));
  await addRules(
    organization,
    { repository: 'acme/api', owner: '=Platform*', valid_until: '2026-03-01' },
    { repository: 'acme/api', owner: 'Web' },
    { repository: 'acme/web', owner: 'Web' },
  );
  const total = async (query: Query) => (await ask(organization, query)).total.value;
  assert.equal(await total({ team: 'Web' }), 0.24);
  assert.equal(await total({ team: '!Web' }), 0.32);
  assert.equal(await total({ team: '' }), 0.32);
  assert.equal(await total({ team: 'W*', repository: 'acme/web' }), 0.16);
  for (const ownership of ['of_day', 'today']) {
    const { groups } = await ask(organization, { group_by: 'team', ownership });
    for (const { narrow, value } of groups) {
      assert.equal(narrow.includes('ownership=today'), ownership === 'today');
      const narrowed = (await organization.get(narrow)).body.data;
      assert.deepEqual([narrowed.total.value, narrowed.group_by], [value, ['repository']]);
    }
  }
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const url = '/api/v1/costs?group_by=team&days=1';
  const { text } = await request(testApp.server, { method: 'GET', url, headers });
  assert.equal(text, 'row,start,team,cost_usd\r\ngroup,2026-03-18,,0.32\r\ngroup,2026-03-18,Web,0.24\r\n');
});

test('workflows by id or name and labels decide, and the first rule wins', async () => {
  const organization = await testApp.newOrganization();
  const labels = (...texts: string[]) => ({
    jobs: [newJob({ runner: undefined, labels: texts, started_at: '2026-03-18T08:00:00Z' })],
  });
  await submit(
    organization,
    runOf(1, 'acme/api', '2026-03-18', { workflow_name: 'Deploy' }),
    runOf(2, 'acme/api', '2026-03-18', { workflow_name: 'Build' }),
    runOf(0, 'acme/api', '2026-03-18', { workflow_name: 'Train', ...labels('Self-Hosted', 'GPU-a100') }),
  );
  const { groups } = await ask(organization, { group_by: 'workflow', metric: 'jobs' });
  const build = groups.find(({ by }: Group) => by[0]!.name.startsWith('Build')).by[0].value;
  await addRules(
    organization,
    { label: 'gpu-*', owner: 'ML' },
    { workflow: 'Dep*', owner: 'Release' },
    { workflow: build, owner: 'CI' },
    { repository: 'acme/api', owner: 'API' },
  );
  const jobs = { metric: 'jobs' };
  assert.deepEqual(await byOwner(organization, jobs), { ML: 1, Release: 1, CI: 1 });
  assert.deepEqual(await byOwner(organization, { ...jobs, group_by: 'team', workflow: 'Train' }), { ML: 1 });
});

test('a label that looks like two is one', async () => {
  const organization = await testApp.newOrganization();
  const labels = (...texts: string[]) => ({
    jobs: [newJob({ runner: undefined, labels: texts, started_at: '2026-03-18T08:00:00Z' })],
  });
  await submit(
    organization,
    runOf(0, 'acme/api', '2026-03-18', labels('GPU, large')),
    runOf(0, 'acme/web', '2026-03-18', labels('gpu', 'large')),
  );
  await addRules(organization, { label: 'gpu, large', owner: 'One' }, { label: 'large', owner: 'Two' });
  assert.deepEqual(await byOwner(organization, { metric: 'jobs' }), { One: 1, Two: 1 });
});

test('runs have teams as long as no rule of these days reads labels', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(10, 'acme/api'), runOf(10, 'acme/web'));
  await addRules(
    organization,
    { repository: 'acme/api', owner: 'Platform' },
    { label: 'gpu', owner: 'ML', valid_until: '2026-03-01' },
  );
  const runs = { metric: 'runs', from: '2026-03-02' };
  assert.deepEqual(await byOwner(organization, runs), { Platform: 1, unowned: 1 });
  for (const query of [
    { metric: 'runs', group_by: 'team', from: '2026-03-01' },
    { metric: 'runs', team: 'ML', from: '2026-03-01' },
    { ...runs, group_by: 'team', compare: 'previous_period' },
  ]) {
    const refused = await organization.get('/api/v1/costs', query as Query);
    assertProblem(refused, 400, 'invalid_request', ['query.metric']);
  }
  const today = { metric: 'runs', ownership: 'today' };
  assert.deepEqual(await byOwner(organization, today), { Platform: 1, unowned: 1 });
});

test('a rule of another organization decides nothing', async () => {
  const [organization, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await submit(organization, runOf(10, 'acme/api'));
  await addRules(stranger, { repository: '*', owner: 'Strangers' });
  assert.deepEqual(await byOwner(organization), { unowned: 0.08 });
});

test('lists, durations and changes know owners too', async () => {
  const organization = await testApp.newOrganization();
  const labels = ['ubuntu-latest', 'gpu'];
  const times = { started_at: '2026-03-18T08:00:00Z', completed_at: '2026-03-18T08:05:00Z' };
  await submit(
    organization,
    runOf(10, 'acme/api', '2026-02-10'),
    runOf(20, 'acme/api'),
    newRun({ repo_name: 'acme/ml', created_at: times.started_at, jobs: [newJob({ ...times, labels })] }),
  );
  await addRules(
    organization,
    { repository: 'acme/api', owner: 'Platform', valid_from: '2026-03-01' },
    { label: 'gpu', owner: 'ML' },
  );
  const get = async (path: string) => {
    const answer = await organization.get(`/api/v1/${path}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const jobs = await get('costs/jobs?team=Platform&days=60');
  assert.deepEqual(
    jobs.map(({ cost }: { cost: number }) => cost),
    [0.16],
  );
  const ofToday = await get('costs/jobs?team=Platform&days=60&ownership=today&sort=cost');
  assert.deepEqual(
    ofToday.map(({ cost }: { cost: number }) => cost),
    [0.08, 0.16],
  );
  const durations = await get('durations?group_by=team&sort=name');
  assert.deepEqual(
    durations.groups.map(({ by, count }: { by: { name: string }[]; count: number }) => [by[0]!.name, count]),
    [
      ['ML', 1],
      ['Platform', 1],
    ],
  );
  const change = await get(
    'costs/change?group_by=team&from=2026-03-01&to=2026-03-18&compared_from=2026-02-01&compared_to=2026-02-18&ownership=today&team=Platform',
  );
  assert.deepEqual([change.groups.length, change.total.change], [1, 0.08]);
  for (const [path, field] of [
    ['costs/runs?team=ML', 'team'],
    ['durations?of=runs&group_by=team', 'team'],
  ]) {
    assertProblem(await organization.get(`/api/v1/${path}`), 400, 'invalid_request', [`query.${field}`]);
  }
});

test('the explanation of a change leads on by the same rules', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(10, 'acme/api', '2026-03-10'), runOf(20, 'acme/api', '2026-02-10'));
  await addRules(organization, { repository: 'acme/*', owner: 'Platform', valid_from: '2026-03-18' });
  const change = await organization.get('/api/v1/costs/change', { group_by: 'team', ownership: 'today' });
  const [group] = change.body.data.groups;
  const narrowed = (await organization.get(group.narrow)).body.data;
  assert.deepEqual([group.by[0].name, group.change, narrowed.total.change], ['Platform', -0.08, -0.08]);
});

test('a team with the name other is not taken for the other groups', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(30, 'acme/api'), runOf(20, 'acme/web'), runOf(10, 'acme/ops'));
  await addRules(
    organization,
    { repository: 'acme/api', owner: 'other' },
    { repository: 'acme/web', owner: 'Web' },
  );
  const { groups, other } = await ask(organization, { group_by: 'team', limit: 1 });
  assert.deepEqual([groups[0].by[0].value, groups[0].value, other.value], ['other', 0.24, 0.24]);
  const { text } = await request(testApp.server, {
    method: 'GET',
    url: '/api/v1/costs?days=1&group_by=team&limit=1',
    headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
  });
  const lines = ['group,2026-03-18,other,0.24', 'other,2026-03-18,,0.24'];
  assert.equal(text, ['row,start,team,cost_usd', ...lines, ''].join('\r\n'));
});
