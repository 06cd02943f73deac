import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueNode } from 'kysely';
import { request, sharedTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { buildServer } from '../../server.ts';

const testApp = await sharedTestApp();

test('recent runs come newest first, with null for unknown values', async () => {
  const organization = await testApp.newOrganization();
  const started_at = '2026-03-17T08:00:00.000Z';
  const completed_at = '2026-03-17T08:01:30.000Z';
  await submit(
    organization,
    newRun({
      run_id: 'old',
      created_at: started_at,
      started_at,
      jobs: [newJob({ started_at, completed_at })],
    }),
    newRun({
      run_id: 'new',
      run_number: 1204,
      branch: 'main',
      status: 'queued',
      conclusion: undefined,
      started_at: undefined,
      jobs: [],
    }),
  );
  const { runs } = (await organization.get('/api/v1/dashboard/recent-runs')).body;
  const common = { workflow_id: runs[0].workflow_id, workflow_name: 'Build', repo_name: 'acme/api' };
  const unknown = { conclusion: null, cost: 0, duration_seconds: 0, started_at: null, completed_at: null };
  assert.deepEqual(runs, [
    {
      id: 'run_api_new',
      ...common,
      ...unknown,
      branch: 'main',
      run_number: 1204,
      status: 'queued',
      created_at: '2026-03-18T10:00:00.000Z',
    },
    {
      id: 'run_api_old',
      ...common,
      branch: null,
      run_number: null,
      status: 'completed',
      conclusion: 'success',
      cost: 0.016,
      duration_seconds: 90,
      created_at: started_at,
      started_at,
      completed_at,
    },
  ]);
});

test('the latest runs are looked up only where they matter, and only of workflows with sums', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ workflow_name: 'Old', jobs: [], created_at: '2026-01-02T08:00:00.000Z' }),
    newRun({ workflow_name: 'New' }),
  );
  const lookedUp: unknown[][] = [];
  const { app } = testApp;
  const watching = await buildServer({
    ...app,
    db: app.db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === 'RawNode' && node.sqlFragments.some((each) => each.includes('cross join lateral')))
          lookedUp.push(node.parameters.flatMap((each) => (each as ValueNode).value));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }),
  });
  const headers = { authorization: `Bearer ${organization.token}` };
  const countOf = async (part: string) => {
    lookedUp.length = 0;
    const url = `/api/v1/dashboard/${part}org_id=${organization.orgId}`;
    assert.equal((await request(watching, { method: 'GET', url, headers })).status, 200);
    return lookedUp.length;
  };
  assert.deepEqual([await countOf('top-workflows?'), await countOf('workflows/summary?')], [0, 0]);
  assert.equal(await countOf('workflows/summary?status=success&'), 1);
  assert.equal(await countOf('workflows?'), 1);
  const ids = lookedUp.flat().filter((each) => String(each).startsWith('wf_'));
  assert.equal(ids.length, 1);
  await watching.close();
});
