import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/waste';

/** A run with failed jobs of these minutes. */
function runOf(workflow_name: string, minutes: number[], fields: object = {}) {
  const started_at = '2026-03-17T10:00:00Z';
  const ended = (count: number) => new Date(Date.parse(started_at) + count * 60_000).toISOString();
  const jobs = minutes.map((count, index) =>
    newJob({
      name: `job ${index}`,
      conclusion: 'failure',
      started_at,
      completed_at: ended(count),
      ...fields,
    }),
  );
  return newRun({ workflow_name, created_at: started_at, started_at, jobs });
}

async function ask(organization: TestOrganization, query: Record<string, string | number>) {
  const { body } = await organization.get(path, query);
  const { workflows, ...sums } = body.data;
  const names = workflows.map(({ name }: { name: string }) => name);
  return { names, sums, pagination: body.pagination };
}

test('a category lists all its workflows, largest amount first, with the sums of all', async () => {
  const organization = await testApp.newOrganization();
  const useful = { conclusion: 'success' };
  await submit(
    organization,
    runOf('low', [1]),
    runOf('high', [9]),
    runOf('middle', [4]),
    runOf('none', [60], useful),
  );
  const first = await ask(organization, { category: 'failed', per_page: 2 });
  assert.deepEqual(first.names, ['high', 'middle']);
  assert.deepEqual(first.pagination, { total: 3, page: 1, per_page: 2 });
  assert.deepEqual((await ask(organization, { category: 'failed', page: 2, per_page: 2 })).names, ['low']);
  assert.deepEqual((await ask(organization, { category: 'rerun' })).names, []);
  assert.deepEqual(first.sums, (await ask(organization, {})).sums);
});

test('ties are ordered by the number of jobs', async () => {
  const organization = await testApp.newOrganization();
  const free = { labels: ['self-hosted'] };
  await submit(organization, runOf('a few', [1], free), runOf('many', [1, 1], free));
  const { names, sums } = await ask(organization, { category: 'failed' });
  assert.deepEqual([names, sums.waste_cost], [['many', 'a few'], 0]);
});

test('refuses an unknown category', async () => {
  const organization = await testApp.newOrganization();
  assertProblem(await organization.get(path, { category: 'x' }), 400, 'invalid_request', ['query.category']);
});
