import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { inSnapshot } from '../../platform/db/database.ts';
import { createScopeReader } from './scopes.ts';

const testApp = await sharedTestApp();

test('a part of a day is read by its cost center, too', async () => {
  const organization = await testApp.newOrganization();
  const times = { started_at: '2026-03-18T08:00:00Z', completed_at: '2026-03-18T08:05:00Z' };
  for (const repo_name of ['acme/api', 'acme/web'])
    await submit(organization, newRun({ repo_name, run_id: repo_name, jobs: [newJob(times)] }));
  for (const [kind, owner] of [
    ['team', 'Web'],
    ['cost_center', 'CC-7'],
  ] as const)
    await organization.send('POST', '/api/v1/ownership/rules', { kind, owner, repository: 'acme/web' });
  const costs = await inSnapshot(testApp.app.db, (tx) =>
    createScopeReader(tx, organization.orgId, testApp.app.providers).costsByTime(
      [
        { dimension: 'costCenter', values: ['CC-7'] },
        { dimension: 'team', values: ['Web'] },
      ],
      ['2026-03-18'],
      new Date('2026-03-18T12:00:00Z'),
    ),
  );
  assert.deepEqual([...costs], [['2026-03-18', 40_000_000n]]);
});
