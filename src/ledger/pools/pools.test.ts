import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/runner-pools';
/** $24 a day: 48 hours of machines, so $0.50 each. */
const macs = {
  name: 'Macs',
  match: 'label',
  pattern: 'mac-mini',
  periods: [{ first_day: '2026-03-01', machines: 2, usd_per_hour: 0.5 }],
};

async function create(organization: TestOrganization, pool: object = macs) {
  const answer = await organization.send('POST', path, pool);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

const ownJob = (labels: string[], minutes: number) =>
  newJob({
    labels,
    started_at: '2026-03-17T08:00:00Z',
    completed_at: new Date(Date.parse('2026-03-17T08:00:00Z') + minutes * 60_000).toISOString(),
  });

const ownRun = (repository: string, labels: string[], minutes: number) =>
  newRun({
    repo_name: repository,
    created_at: '2026-03-17T08:00:00Z',
    started_at: '2026-03-17T08:00:00Z',
    jobs: [ownJob(labels, minutes)],
  });

async function fullCosts(organization: TestOrganization, query: Record<string, string> = {}) {
  const days = { from: '2026-03-17', to: '2026-03-17', metric: 'full_cost' };
  const answer = await organization.get('/api/v1/costs', { ...days, ...query });
  assert.equal(answer.status, 200, answer.text);
  const { total, groups } = answer.body.data;
  return {
    total: total.value,
    groups: groups.map(({ by, value }: { by: { name: string }[]; value: number }) => [
      ...by.map(({ name }) => name),
      value,
    ]),
  };
}

/** Six hours on Macs, two on a hosted runner for $0.96. */
async function recorded(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ownRun('acme/ios', ['self-hosted', 'Mac-Mini'], 240),
    ownRun('acme/sdk', ['self-hosted', 'mac-mini'], 120),
    ownRun('acme/api', ['ubuntu-latest'], 120),
  );
  return organization;
}

describe('full cost', () => {
  test('spreads a pool over the time of its jobs, with the rest as idle', async () => {
    const organization = await recorded();
    assert.deepEqual((await fullCosts(organization)).total, 0.96);
    await create(organization);
    assert.deepEqual(await fullCosts(organization, { group_by: 'repository' }), {
      total: 24.96,
      groups: [
        ['idle of Macs', 21],
        ['acme/ios', 2],
        ['acme/sdk', 1],
        ['acme/api', 0.96],
      ],
    });
    assert.equal((await fullCosts(organization, { metric: 'cost' })).total, 0.96);
    for (const group_by of ['runner', 'hour', 'conclusion', 'day', 'product', 'workflow,label'])
      assert.equal((await fullCosts(organization, { group_by })).total, 24.96);
  });

  test('without machines, the jobs of a day share all of it, and days without jobs are idle', async () => {
    const organization = await recorded();
    await create(organization, { ...macs, periods: [{ first_day: '2026-01-01', monthly_usd: 310 }] });
    const days = { from: '2026-03-16', to: '2026-03-17' };
    assert.deepEqual(await fullCosts(organization, { ...days, group_by: 'repository' }), {
      total: 20.96,
      groups: [
        ['idle of Macs', 10],
        ['acme/ios', 6.666666667],
        ['acme/sdk', 3.333333333],
        ['acme/api', 0.96],
      ],
    });
  });

  test('is filtered as any cost, and idle time belongs to no team', async () => {
    const organization = await recorded();
    await create(organization);
    const rule = { kind: 'team', owner: 'Mobile', repository: 'acme/ios' };
    assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
    assert.deepEqual((await fullCosts(organization, { group_by: 'team' })).groups, [
      ['idle of Macs', 21],
      ['Mobile', 2],
      ['unowned', 1.96],
    ]);
    assert.equal((await fullCosts(organization, { team: 'Mobile' })).total, 2);
    assert.equal((await fullCosts(organization, { repository: '!idle of *' })).total, 3.96);
    assert.equal((await fullCosts(organization, { conclusion: 'idle of Macs' })).total, 21);
  });

  test('gives a job to the first pool that matches, and a group of runners is one', async () => {
    const organization = await testApp.newOrganization();
    const inLab = { ...ownJob(['self-hosted', 'mac-mini'], 60), runner_group: 'Lab' };
    await submit(organization, { ...ownRun('acme/ios', [], 1), jobs: [inLab] });
    await create(organization, { ...macs, name: 'Lab', match: 'runner_group', pattern: 'lab' });
    await create(organization, { ...macs, match: 'regex', pattern: '^mac' });
    assert.deepEqual((await fullCosts(organization, { group_by: 'repository' })).groups, [
      ['idle of Macs', 24],
      ['idle of Lab', 23.5],
      ['acme/ios', 0.5],
    ]);
  });
});

describe('runner pools', () => {
  test('are created, changed and deleted, each with an entry in the audit log', async () => {
    const organization = await testApp.newOrganization();
    const { id, created_at, updated_at, ...pool } = await create(organization);
    assert.match(id, /^pool_/);
    assert.equal(created_at, updated_at);
    const periods = [
      { first_day: '2026-03-01', last_day: null, machines: 2, monthly_usd: null, usd_per_hour: 0.5 },
    ];
    assert.deepEqual(pool, { ...macs, resource_ids: [], periods, imported: null });
    const changes = { periods: [{ first_day: '2026-03-01', last_day: '2026-03-31', monthly_usd: 99 }] };
    const changed = await organization.send('PUT', `${path}/${id}`, changes);
    assert.deepEqual(changed.body.data.periods, [
      {
        first_day: '2026-03-01',
        last_day: '2026-03-31',
        machines: null,
        monthly_usd: 99,
        usd_per_hour: null,
      },
    ]);
    const again = await organization.send('PUT', `${path}/${id}`, changed.body.data);
    assert.deepEqual(again.body, changed.body, 'an answer can be sent back');
    assert.deepEqual((await organization.get(path)).body.data, [changed.body.data]);
    const deleted = await organization.send('DELETE', `${path}/${id}`);
    assert.deepEqual(deleted.body.data, { id, deleted: true });
    assert.deepEqual((await organization.get(path)).body.data, []);
    const { data } = (await organization.get('/api/v1/audit-log')).body;
    assert.deepEqual(
      data
        .map(({ action }: { action: string }) => action)
        .filter((action: string) => action.startsWith('runner_pool')),
      ['runner_pool.delete', 'runner_pool.update', 'runner_pool.create'],
    );
    assert.equal(data[0].summary, 'deleted the runner pool “Macs”');
  });

  test('have a condition as price rules and periods that do not overlap', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await create(organization);
    const from = { first_day: '2026-04-01', monthly_usd: 1 };
    for (const [changes, ...fields] of [
      [{ name: ' ' }, 'body.name'],
      [{ match: 'name' }, 'body.match'],
      [{ pattern: ' ' }, 'body.pattern'],
      [{ match: 'regex', pattern: '(' }, 'body.pattern'],
      [{ periods: [{ first_day: '2026-04-01' }] }, 'body.periods[0].monthly_usd'],
      [{ periods: [{ ...from, usd_per_hour: 1 }] }, 'body.periods[0].usd_per_hour'],
      [{ periods: [{ first_day: '2026-04-01', usd_per_hour: 1 }] }, 'body.periods[0].machines'],
      [{ periods: [{ ...from, monthly_usd: 0.0000000001 }] }, 'body.periods[0].monthly_usd'],
      [{ periods: [{ ...from, last_day: '2026-03-31' }] }, 'body.periods[0].last_day'],
      [{ periods: [from, { ...from, first_day: '2026-05-01' }] }, 'body.periods[1].first_day'],
      [{ color: 'red' }, 'body.color'],
    ] as const)
      assertProblem(await organization.send('PUT', `${path}/${id}`, changes), 400, 'invalid_request', [
        ...fields,
      ]);
    const same = await organization.send('POST', path, { ...macs, name: 'macs' });
    assertProblem(same, 409, 'runner_pool_name_taken', ['body.name']);
    await organization.send('POST', path, { ...macs, name: 'İos' });
    const dotted = await organization.send('POST', path, { ...macs, name: 'ios' });
    assertProblem(dotted, 409, 'runner_pool_name_taken', ['body.name']);
    const next = { ...macs, name: 'Others', periods: [{ ...from, last_day: '2026-04-30' }, from] };
    assertProblem(await organization.send('POST', path, next), 400, 'invalid_request');
  });

  test('are changed by admins of their organization only', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await create(organization);
    const other = await testApp.newOrganization();
    assert.deepEqual((await other.get(path)).body.data, []);
    assertProblem(await other.send('PUT', `${path}/${id}`, {}), 404, 'runner_pool_not_found');
    assertProblem(await other.send('DELETE', `${path}/${id}`), 404, 'runner_pool_not_found');
    const member = await organization.newToken('member');
    assert.equal((await organization.send('POST', path, macs, member)).status, 403);
    assert.equal((await organization.send('PUT', `${path}/${id}`, {}, member)).status, 403);
    assert.equal((await organization.send('DELETE', `${path}/${id}`, undefined, member)).status, 403);
    assertProblem(await organization.send('POST', path, macs, 'wrong'), 401, 'invalid_token');
    assert.equal((await organization.get(path)).body.data.length, 1);
  });
});
