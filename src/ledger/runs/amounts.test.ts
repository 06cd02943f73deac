/** What runs cost beside their jobs: reported with a run or from within it, in the run, its pull request and its month. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { maxReportsPerRun } from './amounts.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-03-20T12:00:00Z');

const credits = (cost: number, fields: object = {}) => ({
  product: 'ai_credits',
  unit: 'tokens',
  cost,
  ...fields,
});
const runOf = (fields: object = {}) =>
  newRun({
    run_id: '7',
    repo_name: 'acme/api',
    pull_request: 42,
    jobs: [newJob({ job_id: 'j' })],
    ...fields,
  });

const put = (organization: TestOrganization, amounts: object[], fields: object = {}, id = 'run_api_7') =>
  organization.send('PUT', `/api/v1/runs/${id}/amounts`, { amounts, ...fields });

async function runIn(organization: TestOrganization) {
  const { data } = (await organization.get('/api/v1/runs/run_api_7')).body;
  return { amounts: data.amounts, cost: data.cost, all: data.cost_with_amounts };
}

async function costsOf(organization: TestOrganization, query: object) {
  const asked = { from: '2026-03-01', to: '2026-03-31', sort: 'name', ...query };
  const answer = await organization.get('/api/v1/costs', asked);
  assert.equal(answer.status, 200, answer.text);
  return Object.fromEntries(
    answer.body.data.groups.map(({ by, value }: { by: { value: string | null }[]; value: number }) => [
      by.map((each) => each.value).join(' '),
      value,
    ]),
  );
}

test('a run, its pull request and its month show amounts beside the cost of jobs', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf({ amounts: [credits(1.2, { quantity: 120 })] }));
  const { cost } = await runIn(organization);
  assert.deepEqual(await runIn(organization), {
    amounts: [{ product: 'ai_credits', unit: 'tokens', quantity: 120, cost: 1.2 }],
    cost,
    all: cost + 1.2,
  });

  // Answers are kept until costs change, so the next report must show in the same question.
  assert.deepEqual(await costsOf(organization, { group_by: 'product' }), { ai_credits: 1.2, compute: cost });
  assert.equal((await put(organization, [credits(0.3)], { key: 'review' })).status, 200);
  const report = await organization.send('POST', '/api/v1/pull-request-reports', {
    repository: 'acme/api',
    pull_request: 42,
  });
  const { data } = report.body;
  assert.deepEqual(
    [data.cost, data.amounts, data.cost_with_amounts],
    [cost, [{ product: 'ai_credits', unit: 'tokens', quantity: null, cost: 1.5 }], cost + 1.5],
  );
  assert.match(data.markdown, /\| Beside jobs \| AI credits \$1\.50 \|\n\| In all \|/);

  assert.deepEqual(await costsOf(organization, { group_by: 'product' }), { ai_credits: 1.5, compute: cost });
  assert.deepEqual(await costsOf(organization, { group_by: 'product,pull_request', product: 'ai_credits' }), {
    'ai_credits 42': 1.5,
  });
  // Questions that name no product are about jobs.
  assert.deepEqual(await costsOf(organization, { group_by: 'repository' }), { 'acme/api': cost });
  assert.deepEqual(await costsOf(await testApp.newOrganization(), { group_by: 'product' }), {});
});

test('a pull request has amounts of the days that its cost has, as far back as the plan shows', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  const old = { run_id: '6', created_at: '2026-01-02T10:00:00Z', jobs: [] };
  await submit(organization, runOf({ ...old, amounts: [credits(5)] }), runOf({ amounts: [credits(1)] }));
  const report = await organization.send('POST', '/api/v1/pull-request-reports', {
    repository: 'acme/api',
    pull_request: 42,
  });
  const { amounts, cost, cost_with_amounts: all } = report.body.data;
  const { ai_credits: listed } = await costsOf(organization, { pull_request: 42, group_by: 'product' });
  assert.deepEqual([amounts[0].cost, all], [listed, cost + 1]);
});

test('a report replaces the one of its attempt and key, and an empty one removes it', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf());
  for (const cost of [5, 2]) await put(organization, [credits(cost)]);
  await put(organization, [credits(1)], { run_attempt: 2 });
  await put(organization, [credits(0.5)], { key: 'fix' });
  const costs = async () => (await runIn(organization)).amounts.map(({ cost }: { cost: number }) => cost);
  assert.deepEqual(await costs(), [3.5]);
  await put(organization, []);
  assert.deepEqual(await costs(), [1.5]);
  // A later report of the run without amounts leaves them.
  await submit(organization, runOf());
  assert.deepEqual(await costs(), [1.5]);
  await submit(organization, runOf({ amounts: [credits(4)] }));
  assert.deepEqual(await costs(), [5.5]);
});

test('a run has a limited number of attempts and keys, and an empty report frees one', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf());
  const keys = Array.from({ length: maxReportsPerRun }, (_, index) => `key ${index}`);
  for (const key of keys) assert.equal((await put(organization, [credits(1)], { key })).status, 200);
  const more = () => put(organization, [credits(1)], { key: 'more' });
  assertProblem(await more(), 400, 'invalid_request', ['body.key']);
  assertProblem(
    await organization.send('POST', '/api/v1/runs', {
      runs: [runOf({ run_attempt: 2, jobs: [], amounts: [credits(1)] })],
    }),
    400,
    'invalid_request',
    ['body.runs[0].amounts'],
  );
  assert.equal((await put(organization, [credits(2)], { key: 'key 7' })).status, 200);
  assert.equal((await put(organization, [], { key: 'other' })).status, 200);
  assert.equal((await runIn(organization)).amounts[0].cost, 101);
  await put(organization, [], { key: 'key 7' });
  assert.equal((await more()).status, 200);
});

test('amounts move with their run to the day on which it was created', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf({ amounts: [credits(2)] }));
  testApp.clock.set('2026-03-20T12:00:01Z');
  await submit(organization, runOf({ created_at: '2026-03-17T23:59:00Z' }));
  const on = (day: string) => costsOf(organization, { from: day, to: day, group_by: 'product' });
  assert.equal((await on('2026-03-17')).ai_credits, 2);
  assert.equal((await on('2026-03-18')).ai_credits, undefined);
});

test('reports of the same runs in another order do not wait for each other', async () => {
  const organization = await testApp.newOrganization();
  const runs = Array.from({ length: 200 }, (_, index) =>
    newRun({ run_id: String(index), jobs: [], amounts: [credits(1)] }),
  );
  await submit(organization, ...runs);
  const orders = [runs, runs.toReversed(), runs, runs.toReversed()];
  const answers = await Promise.all(
    orders.map((each) => organization.send('POST', '/api/v1/runs', { runs: each })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
});

test('deleting a run deletes its amounts', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf({ amounts: [credits(2)] }));
  await organization.send('DELETE', '/api/v1/runs/run_api_7');
  assert.deepEqual(await costsOf(organization, { group_by: 'product' }), {});
});

test("what GitHub's bill has in its own unit is not counted again", async () => {
  const { organization, bill } = await newBilledCompany(testApp);
  const at = { created_at: '2026-03-18T10:00:00Z', provider: 'github', repo_name: 'acme/api' };
  const github = { product: 'ai_credits', unit: 'ai_credits', cost: 1 };
  await submit(organization, newRun({ ...at, run_id: '1', amounts: [github, credits(0.25)] }));
  const aiCredits = async () => (await costsOf(organization, { group_by: 'product' })).ai_credits;
  assert.equal(await aiCredits(), 1.25);
  // Other spellings of the bill's unit, and a run past midnight whose credits are in the bill of the next day.
  const spelled = ['credits', 'AI credits', 'AiCredit'].map((unit) => ({ ...github, unit, cost: 0.5 }));
  const late = { ...at, created_at: '2026-03-17T23:59:00Z', amounts: [github] };
  await submit(
    organization,
    newRun({ ...at, run_id: '2', amounts: spelled }),
    newRun({ ...late, run_id: '3' }),
  );
  assert.equal(await aiCredits(), 3.75);
  const billed = { product: 'copilot', sku: 'copilot_ai_credits', unit: 'ai-credits', quantity: 300 };
  const credit = { repository: 'api', ...billed, price: '0.01', gross: 3, discount: 0, net: 3 };
  await bill({ date: '2026-03-18', ...credit });
  // No bill has the day before.
  assert.equal(await aiCredits(), 4.25);
  await bill({ date: '2026-03-16', ...credit }, { date: '2026-03-18', ...credit });
  assert.equal(await aiCredits(), 6.25);
  const { ai_credits: ofDay } = await costsOf(organization, {
    from: '2026-03-17',
    to: '2026-03-17',
    group_by: 'product',
  });
  assert.equal(ofDay, undefined);
});

test('amounts add up to the nano-dollar, in any grouping', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          run: fc.integer({ min: 1, max: 4 }),
          key: fc.constantFrom('a', 'b'),
          product: fc.constantFrom('ai_credits', 'sandbox', 'third_party'),
          nanos: fc.integer({ min: 0, max: 10 ** 9 }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      async (reports) => {
        const organization = await testApp.newOrganization();
        const runs = [1, 2, 3, 4].map((run) =>
          newRun({
            run_id: String(run),
            repo_name: run < 3 ? 'acme/a' : 'acme/b',
            actor: `a${run % 2}`,
            jobs: [],
          }),
        );
        await submit(organization, ...runs);
        const latest = new Map<string, number>();
        for (const { run, key, product, nanos } of reports) {
          const amounts = [{ product, cost: nanos / 1e9 }];
          assert.equal((await put(organization, amounts, { key }, `run_api_${run}`)).status, 200);
          latest.set(`${run} ${key}`, nanos);
        }
        const expected = [...latest.values()].reduce((sum, nanos) => sum + nanos, 0);
        for (const group_by of [
          'product',
          'product,repository',
          'actor_kind,product',
          'product,workflow',
          'pull_request_state,product',
        ]) {
          const sums = Object.values<number>(await costsOf(organization, { group_by }));
          assert.equal(
            sums.reduce((sum, value) => sum + Math.round(value * 1e9), 0),
            expected,
            group_by,
          );
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('says which amount is wrong, and refuses runs of others and tokens that may not report', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf());
  const other = await testApp.newOrganization();
  assertProblem(await put(other, [credits(1)]), 404, 'run_not_found');
  assertProblem(await put(organization, [credits(1)], {}, 'run_api_8'), 404, 'run_not_found');
  assertProblem(await put(organization, [credits(1e-10)]), 400, 'invalid_request', ['body.amounts[0].cost']);
  assertProblem(await put(organization, [{ product: 'compute', cost: 1 }]), 400, 'invalid_request', [
    'body.amounts[0].product',
  ]);
  const viewer = await organization.newToken('viewer', ['costs:read']);
  const answer = await organization.send('PUT', '/api/v1/runs/run_api_7/amounts', { amounts: [] }, viewer);
  assert.equal(answer.status, 403);
  const wrong = await organization.send('POST', '/api/v1/runs', {
    runs: [runOf({ amounts: [credits(1e-10)] })],
  });
  assertProblem(wrong, 400, 'invalid_request', ['body.runs[0].amounts[0].cost']);
});
