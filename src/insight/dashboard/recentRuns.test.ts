import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

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
