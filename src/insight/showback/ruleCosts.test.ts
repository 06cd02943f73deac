import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/ownership/costs';

let submitted = 0;

/** A run of one job of GitHub whose minutes are on 2-core Linux, at 0.008 USD each. */
function runOf(
  minutes: number,
  repo_name: string,
  { day = '2026-03-10', ...job }: Record<string, unknown> = {},
) {
  const started_at = `${day as string}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  const jobs = [newJob({ started_at, completed_at, ...job })];
  const times = { created_at: started_at, started_at };
  return newRun({ provider: 'github', run_id: `rule-${++submitted}`, repo_name, ...times, jobs });
}

async function addRule(organization: TestOrganization, rule: object): Promise<string> {
  const answer = await organization.send('POST', '/api/v1/ownership/rules', { kind: 'team', ...rule });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

test('a rule has what it is the first to match on its days, and the rest is unowned by kind', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(
    organization,
    runOf(10, 'acme/api'),
    runOf(20, 'acme/web'),
    runOf(30, 'acme/web', { day: '2026-03-12' }),
    runOf(40, 'other/tool'),
    runOf(50, 'other/old', { day: '2026-02-01' }),
  );
  const api = await addRule(organization, { repository: 'acme/api', owner: 'Backend' });
  const acme = await addRule(organization, {
    repository: 'acme/*',
    owner: 'Backend',
    valid_until: '2026-03-11',
  });
  await addRule(organization, { repository: 'acme/none', owner: 'Backend' });
  const center = await addRule(organization, { kind: 'cost_center', repository: '*', owner: 'CC-1' });

  const { status, body } = await organization.get(path);
  assert.equal(status, 200);
  const { period, total, rules, unowned } = body.data;
  assert.deepEqual(period, { start: '2026-02-17', end: '2026-03-18', days: 30 });
  assert.deepEqual(total, { cost: 0.8, jobs: 4 });
  const byId = new Map(rules.map(({ id, ...sums }: { id: string }) => [id, sums]));
  assert.deepEqual(
    byId,
    new Map([
      [api, { cost: 0.08, jobs: 1 }],
      [acme, { cost: 0.16, jobs: 1 }],
      [center, { cost: 0.8, jobs: 4 }],
    ]),
  );
  assert.deepEqual(unowned, [
    {
      kind: 'team',
      cost: 0.56,
      jobs: 2,
      share_percent: 70,
      repositories: [
        { repository: 'other/tool', cost: 0.32 },
        { repository: 'acme/web', cost: 0.24 },
      ],
      other_repositories: 0,
    },
  ]);
});

test('a moved rule decides at once, and jobs without a price count', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(10, 'acme/api', { labels: ['own'], runner: undefined }));
  const wide = await addRule(organization, { repository: 'acme/*', owner: 'Platform' });
  const narrow = await addRule(organization, { label: 'own', owner: 'Backend' });
  const decided = async () => (await organization.get(path)).body.data.rules;
  assert.deepEqual(await decided(), [{ id: wide, cost: 0, jobs: 1 }]);
  await organization.send('PUT', `/api/v1/ownership/rules/${narrow}`, { position: 1 });
  assert.deepEqual(await decided(), [{ id: narrow, cost: 0, jobs: 1 }]);
});

test('days are those of the plan', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  assert.equal((await organization.get(path, { days: 300 })).body.data.period.days, 30);
  assert.equal((await organization.get(path, { days: 7 })).body.data.period.days, 7);
  assertProblem(await organization.get(path, { days: 0 }), 400, 'invalid_request', ['query.days']);
});
