import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const today = '2026-03-18';
const noon = Date.parse(`${today}T12:00:00Z`);

const pathOf = (day: string) => `/api/v1/dashboard/days/${day}`;

async function dayOf(organization: TestOrganization, day: string) {
  const answer = await organization.get(pathOf(day));
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** A run that starts `hours` before noon of the test's day, with one job of `minutes`. */
function runBefore(hours: number, minutes: number, fields: object = {}, job: object = {}) {
  const started_at = new Date(noon - hours * 3_600_000).toISOString();
  const completed_at = new Date(noon - hours * 3_600_000 + minutes * 60_000).toISOString();
  return newRun({
    created_at: started_at,
    started_at,
    jobs: [
      newJob({
        started_at,
        completed_at,
        ...job,
      }),
    ],
    ...fields,
  });
}

describe('a day', () => {
  test('lists workflows, most expensive first, with the runs that explain each', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runBefore(1, 10, { run_id: 'today' }),
      runBefore(12.5, 60, { run_id: 'over-midnight' }),
      runBefore(14, 20, { run_id: 'before' }),
      runBefore(2, 100, { run_id: 'other', workflow_name: 'Deploy' }),
      runBefore(3, 5, { workflow_name: 'Waiting', jobs: [], status: 'in_progress', conclusion: undefined }),
    );
    const { workflows, ...day } = await dayOf(organization, today);
    // The run past midnight was created yesterday, but its job completed and is paid today.
    assert.deepEqual(day, { day: today, total_cost: 1.36, jobs: 3, billed_minutes: 170, runs: 3 });
    assert.deepEqual(
      workflows.map(({ workflow_id: _, ...workflow }: { workflow_id: string }) => workflow),
      [
        { workflow_name: 'Deploy', repo_name: 'acme/api', cost: 0.8, jobs: 1, billed_minutes: 100 },
        { workflow_name: 'Build', repo_name: 'acme/api', cost: 0.56, jobs: 2, billed_minutes: 70 },
      ],
    );
    const { workflow_id } = workflows[1];
    const runs = (await organization.get('/api/v1/runs', { workflow_id, completed_on: today })).body.data;
    assert.deepEqual(
      runs.map(({ id }: { id: string }) => id),
      ['run_api_today', 'run_api_over-midnight'],
    );
    assert.equal((await dayOf(organization, '2026-03-17')).total_cost, 0.16);
  });

  test('without runs is empty', async () => {
    assert.deepEqual(await dayOf(await testApp.newOrganization(), '2026-03-01'), {
      day: '2026-03-01',
      total_cost: 0,
      jobs: 0,
      billed_minutes: 0,
      runs: 0,
      workflows: [],
    });
  });

  test("has only the organization's own costs", async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    await submit(organization, newRun());
    assert.equal((await dayOf(organization, today)).jobs, 1);
    assert.equal((await dayOf(other, today)).jobs, 0);
  });

  for (const [plan, first, before] of [
    ['free', '2026-02-17', '2026-02-16'],
    ['team', '2025-03-19', '2025-03-18'],
  ] as const) {
    test(`reaches as far back as the ${plan} plan, and not after today`, async () => {
      const organization = await testApp.newOrganization({ plan });
      assert.equal((await dayOf(organization, first)).day, first);
      for (const day of [before, '2026-03-19']) {
        const answer = await organization.get(pathOf(day));
        assertProblem(answer, 404, 'day_not_found');
        assert.match(answer.body.detail, new RegExp(`your plan shows the days from ${first} to ${today}`));
      }
    });
  }

  test('must be a calendar day', async () => {
    const organization = await testApp.newOrganization();
    for (const day of ['yesterday', '2026-02-30', '18.03.2026', '2026-3-1', `${today}T00:00:00Z`]) {
      const answer = await organization.get(pathOf(encodeURIComponent(day)));
      assertProblem(answer, 404, 'not_found');
      const reason = `The day in the path must be a calendar day such as 2026-01-31, not ${day}.`;
      assert.equal(answer.body.detail, reason);
    }
  });
});
