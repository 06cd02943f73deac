import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { daily } from '../../../test/harness/ciHistory.ts';
import { ci, estimatesOf } from '../../../test/harness/estimates.ts';

const { organizationWith, estimate } = estimatesOf(await sharedTestApp());

const testOn = (runner: string) => ci(`  test: { runs-on: ${runner} }\n`);
const [small, large] = [testOn('ubuntu-latest'), testOn('ubuntu-latest-4-cores')];

const everyDay = daily('2025-12-24', '2026-03-17', { jobs: [{ name: 'test', minutes: 4 }] });
const onLarge = (last: string) =>
  daily(
    '2026-03-01',
    last,
    {
      event: 'workflow_dispatch',
      jobs: [
        {
          name: 'test',
          minutes: 3,
          labels: ['ubuntu-latest-4-cores'],
          group: 'Default Larger Runners',
        },
      ],
    },
    '11:00',
  );

test('a job on another runner takes as long as it was measured there, and the assumptions say so', async () => {
  const found = await estimate(
    await organizationWith([...everyDay, ...onLarge('2026-03-06')]),
    [small],
    [large],
  );
  // 30 days of 4 minutes at $0.008, and of 3 minutes at $0.016.
  assert.equal(found.base.monthly_cost, 0.96);
  assert.equal(found.head.monthly_cost, 1.44);
  assert.ok(
    found.assumptions.includes(
      'Another runner (test): takes 0.75 times as long, as measured (0.75 to 0.75, from 60 and 6 runs).',
    ),
    found.assumptions.join('\n'),
  );
});

test('four runs are too few: it takes as long as before', async () => {
  const found = await estimate(
    await organizationWith([...everyDay, ...onLarge('2026-03-04')]),
    [small],
    [large],
  );
  assert.equal(found.head.monthly_cost, 1.92);
  assert.ok(found.assumptions.includes('Another runner (1 job): expected to take as long as before.'));
});
