import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, createAlert, newAlert } from '../../../../test/harness/alerts.ts';
import { sharedTestApp } from '../../../../test/harness/app.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const day = '2026-03-10';

async function newNamespace() {
  const organization = await testApp.newOrganization();
  const jobs = [
    // 90 s at the factor 1 are 1.5 compute minutes, and 30 s at the factor 2 are 1.
    newJob({
      labels: ['saas-linux-small-amd64'],
      started_at: `${day}T10:00:00Z`,
      completed_at: `${day}T10:01:30Z`,
    }),
    newJob({
      labels: ['saas-linux-medium-amd64'],
      started_at: `${day}T10:00:00Z`,
      completed_at: `${day}T10:00:30Z`,
    }),
  ];
  const times = { created_at: `${day}T10:00:00Z`, started_at: `${day}T10:00:00Z` };
  await submit(organization, newRun({ provider: 'gitlab', ...times, jobs }));
  const include = (minutes: number) =>
    organization.send('PUT', '/api/v1/pricing/terms', {
      terms: [{ provider: 'gitlab', included_minutes: { minutes } }],
    });
  const netCost = async () => {
    const query = { from: day, to: day, metric: 'net_cost' };
    const grouped = { ...query, group_by: 'repository' };
    return (await organization.get('/api/v1/costs', grouped)).body.data.groups[0].value;
  };
  return { organization, include, netCost };
}

test('compute minutes are used by the second, times the cost factor of the runner', async () => {
  const { include, netCost } = await newNamespace();
  assert.equal(await netCost(), 0.025);
  for (const [minutes, expected] of [
    [0, 0.025],
    [1, 0.015],
    [2, 0.005],
    [3, 0],
  ] as const) {
    const set = await include(minutes);
    assert.equal(set.status, 200, set.text);
    assert.equal(await netCost(), expected, `${minutes}`);
  }
});

test('their use is shown by the second, and an alert watches the share', async () => {
  testApp.clock.set('2026-03-20T12:00:00Z');
  const { organization, include } = await newNamespace();
  await include(4);
  const used = async (provider: string) =>
    (await organization.get('/api/v1/pricing/included-minutes', { provider })).body.data;
  const { provider_title, used_minutes, remaining_minutes, exhausted_on } = await used('gitlab');
  assert.deepEqual([provider_title, used_minutes, remaining_minutes], ['GitLab', 2.5, 1.5]);
  // 2.5 of 4 in 19.5 days.
  assert.equal(exhausted_on, null);
  assert.equal((await used('github')).used_minutes, 0);
  assertProblem(
    await organization.get('/api/v1/pricing/included-minutes', { provider: 'circleci' }),
    400,
    'invalid_request',
  );
  const rule = { alert_type: 'budget', measure: 'included_gitlab_minutes', threshold_amount: 60 };
  const id = await newAlert(organization, rule);
  const check = await checkAlert(organization, id);
  assert.deepEqual([check.current_value, check.unit, check.triggered], [62.5, 'percent', true]);
  const other = await testApp.newOrganization();
  const { warnings } = (await createAlert(other, rule)).body;
  assert.match(warnings.join(), /Set the compute minutes of your namespace/);
});

test('are stated as minutes, because the plan names are those of GitHub', async () => {
  const { organization } = await newNamespace();
  for (const included of [{ github_plan: 'team' }, { minutes: 400, draw: 'legacy_multipliers' }] as const) {
    const terms = [{ provider: 'gitlab', included_minutes: included }];
    const answer = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
    assertProblem(answer, 400, 'invalid_request');
    assert.match(answer.text, /for GitLab/);
  }
});
