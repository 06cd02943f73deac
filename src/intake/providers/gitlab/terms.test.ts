import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, createAlert, newAlert } from '../../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import type { Json } from '../../../../test/harness/commands.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import { newGitLabSource } from '../../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../../test/harness/submission.ts';
import { gitLabJob, gitLabProject, hostedRunner } from '../../../../test/payloads/gitLab.ts';

const testApp = await startTestApp();
const day = '2026-03-10';

const usedPath = '/api/v1/pricing/included-minutes';

async function newNamespace(prices: object[] | null = null) {
  const organization = await testApp.newOrganization();
  if (prices) {
    const list = { name: 'Ours', based_on: 'github_2026', prices };
    const { body } = await organization.send('POST', '/api/v1/pricing/books', list);
    const set = await organization.send('PUT', '/api/v1/pricing', { book_id: body.data.id });
    assert.equal(set.status, 200, set.text);
  }
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

/** Of what is included, in percent. */
async function shareOf(organization: TestOrganization): Promise<number> {
  const rule = { alert_type: 'budget', measure: 'included_gitlab_minutes', threshold_amount: 60 };
  return (await checkAlert(organization, await newAlert(organization, rule))).current_value;
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
  const used = async (provider: string) => (await organization.get(usedPath, { provider })).body.data;
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

test("an organization's own prices change no compute minutes, even if they are free", async () => {
  testApp.clock.set('2026-03-20T12:00:00Z');
  const prices = [
    { runner_kind: 'gitlab_linux_small', usd_per_minute: 0 },
    { runner_kind: 'gitlab_linux_medium', usd_per_minute: 0.5 },
  ];
  const { organization, include, netCost } = await newNamespace(prices);
  assert.equal(await netCost(), 0.25);
  await include(1);
  const { data } = (await organization.get(usedPath, { provider: 'gitlab' })).body;
  assert.deepEqual(
    [data.used_minutes, data.runner_kinds.map((each: Json) => [each.runner_kind, each.used_minutes])],
    [
      2.5,
      [
        ['gitlab_linux_small', 1.5],
        ['gitlab_linux_medium', 1],
      ],
    ],
  );
  // 1 of 2.5 minutes is covered.
  assert.equal(await netCost(), 0.15);
  assert.equal(await shareOf(organization), 250);
});

test('public projects use less in the Open Source program, by the visibility that events report', async () => {
  testApp.clock.set('2026-03-20T12:00:00Z');
  const organization = await testApp.newOrganization();
  const source = await newGitLabSource(testApp, organization);
  // 90 s at the factor 2.
  const runner = { ...hostedRunner, tags: ['saas-linux-medium-amd64'] };
  for (const [build_id, visibility_level] of [
    [1, 20],
    [2, 0],
  ] as const) {
    const project = { ...gitLabProject(`acme/${build_id}`), visibility_level };
    const times = Object.fromEntries(
      Object.entries({ created: '10:00:00', started: '10:00:30', finished: '10:02:00' }).flatMap(
        ([name, time]) => [
          [`build_${name}_at`, `${day} ${time} UTC`],
          [`build_${name}_at_iso`, `${day}T${time}Z`],
        ],
      ),
    );
    const job = gitLabJob({ ...times, build_id, pipeline_id: build_id, runner, project });
    assert.equal((await source.deliver('Job Hook', job)).status, 202);
  }
  const askedWith = async (minutes: number, draw: string) => {
    const terms = [{ provider: 'gitlab', included_minutes: { minutes, draw } }];
    const set = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
    assert.equal(set.status, 200, set.text);
    const { data } = (await organization.get(usedPath, { provider: 'gitlab' })).body;
    const query = { from: day, to: day, metric: 'net_cost', group_by: 'day' };
    const { groups } = (await organization.get('/api/v1/costs', query)).body.data;
    return [data.used_minutes, groups[0].value];
  };
  assert.deepEqual(await askedWith(0, 'list_price_ratio'), [6, 0.06]);
  // 0.75 minutes and 3 minutes, at $0.01.
  assert.deepEqual(await askedWith(0, 'open_source_program'), [3.75, 0.0375]);
  assert.deepEqual(await askedWith(3, 'open_source_program'), [3.75, 0.0075]);
  assert.equal(await shareOf(organization), 125);
  assert.deepEqual(await askedWith(4, 'open_source_program'), [3.75, 0]);
  // 0.012 minutes and 3 minutes.
  assert.deepEqual(await askedWith(3, 'open_source_forks'), [3.01, 0.00012]);
  const other = await testApp.newOrganization();
  assert.equal((await other.get(usedPath, { provider: 'gitlab' })).body.data.used_minutes, 0);
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
