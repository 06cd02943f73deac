import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../../test/harness/submission.ts';
import { inSnapshot } from '../../../platform/db/database.ts';
import { windowBetween } from '../../../platform/lib/days.ts';
import { readRollups } from './readDays.ts';
import type { RollupName } from './rollups.queries.ts';

const testApp = await sharedTestApp();
const runners = ['linux_2_core', 'windows_2_core', 'linux_4_core'];

/** Included minutes and discounts that divide no job's cost evenly. */
async function newCompany(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  const terms = [{ provider: 'github', included_minutes: { minutes: 47 }, discount_percent: 33.33 }];
  assert.equal((await organization.send('PUT', '/api/v1/pricing/terms', { terms })).status, 200);
  const runs = Array.from({ length: 24 }, (_, index) => {
    const created = Date.parse('2026-02-01T10:00:00Z') + index * 150_000_000;
    const [created_at, completed_at] = [new Date(created), new Date(created + (index % 9) * 61_000)];
    const jobs = Array.from({ length: index % 4 }, (__, place) =>
      newJob({ runner: runners[(index + place) % 3], started_at: created_at, completed_at }),
    );
    const unpriced = newJob({ labels: ['gpu'], started_at: created_at, completed_at });
    return newRun({
      provider: index % 5 === 0 ? 'gitlab' : 'github',
      workflow_name: `Workflow ${index % 3}`,
      created_at,
      started_at: created_at,
      jobs: index % 7 === 0 ? [...jobs, unpriced] : jobs,
    });
  });
  await submit(organization, ...runs);
  return organization;
}

type Point = { value: number; previous_value: number | null };
type Costs = { total: Point & { series: Point[] }; groups: (Point & { by: unknown; series: Point[] })[] };

describe('questions that ask for no single job or run', () => {
  const asked = ['cost', 'net_cost', 'minutes', 'jobs', 'runs'].flatMap((metric) => {
    const groups = ['', 'workflow', 'day', 'weekday,workflow'];
    if (metric === 'cost' || metric === 'minutes' || metric === 'jobs')
      groups.push('runner', 'provider,workflow');
    return groups.map((group_by) => ({ metric, group_by, days: 45, granularity: 'week' }));
  });

  test('are answered from rollups: no columns are made', async () => {
    const organization = await newCompany();
    for (const query of asked)
      assert.equal((await organization.get('/api/v1/costs', query)).status, 200, JSON.stringify(query));
    for (const path of [
      'summary',
      'trends',
      'top-workflows',
      'workflows',
      'workflows/summary',
      'days/2026-03-01',
    ])
      assert.equal((await organization.get(`/api/v1/dashboard/${path}`)).status, 200);
    const made = await testApp.app.db
      .selectFrom('dayColumns')
      .select('name')
      .where('orgId', '=', organization.orgId)
      .execute();
    assert.deepEqual(made, []);
  });

  test('read only the columns that they need, in the same order at any time', async () => {
    const { orgId } = await newCompany();
    const window = windowBetween('2026-02-01', '2026-02-20');
    const read = (names: readonly RollupName[]) =>
      inSnapshot(testApp.app.db, (tx) =>
        readRollups(tx, orgId, { rowKind: 'jobs', grain: 'workflow', names, window }),
      );
    const [first] = await read(['costNanos']);
    assert.ok(first!.rows > 0);
    assert.equal(first!.column('provider'), undefined);
    const [second] = await read(['costNanos', 'provider']);
    assert.equal(second!.column('costNanos'), first!.column('costNanos'));
    assert.equal(second!.column('provider').codes.length, first!.rows);
  });

  test('have the same answer as from the single ones', async () => {
    const organization = await newCompany();
    for (const query of asked) {
      const compare = query.group_by.includes('day') ? 'none' : 'previous_period';
      const of = async (filter: object) => {
        const { status, body, text } = await organization.get('/api/v1/costs', {
          ...query,
          compare,
          ...filter,
        });
        assert.equal(status, 200, text);
        const { total, groups } = body.data as Costs;
        return [
          total,
          ...groups.map(({ by, value, previous_value, series }) => [by, value, previous_value, series]),
        ];
      };
      // No event has this name, but only single runs know their events.
      assert.deepEqual(await of({}), await of({ event: '!none of them' }), JSON.stringify(query));
    }
  });
});
