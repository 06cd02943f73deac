import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { daily } from '../../../test/harness/ciHistory.ts';
import { ci, estimatesOf, exactly } from '../../../test/harness/estimates.ts';

const { organizationWith, estimate } = estimatesOf(await sharedTestApp());
const [start, end] = ['2025-12-24', '2026-03-17'] as const;

test('a change costs the list and the runners of the jobs that GitHub makes of a matrix', async () => {
  const organization = await organizationWith(daily(start, end, { jobs: [{ name: 'test', minutes: 4 }] }));
  const matrix = `os: [ubuntu-latest, windows-latest], node: [20, 22], include: [{ os: UBUNTU-LATEST, node: "22", extra: x }],
      exclude: [{ node: "20" }, { node: 22.0, os: Windows-Latest }]`;
  const head = ci(`  test: { runs-on: "\${{ matrix.os }}", strategy: { matrix: { ${matrix} } } }\n`);
  const found = await estimate(organization, [], [head]);
  assert.deepEqual(
    found.jobs.map((each: { job: string; runner: string }) => [each.job, each.runner]),
    [['test (ubuntu-latest, 22)', 'ubuntu-latest']],
  );
});

test('a change costs nothing for another number of shards, which share the work', async () => {
  const shards = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}/${count}`);
  const jobs = (runner: string, matrix: string) => [
    ci(`  test: { runs-on: ${runner}, strategy: { matrix: { ${matrix} } } }\n`),
  ];
  const split = (count: number, runner = 'ubuntu-latest') =>
    jobs(runner, `shard: [${shards(count).join(', ')}]`);
  const numbered = (count: number) =>
    jobs(
      'ubuntu-latest',
      `index: [${shards(count)
        .map((_, index) => index + 1)
        .join(', ')}], total: [${count}]`,
    );
  const recorded = (names: string[]) =>
    organizationWith(daily(start, end, { jobs: names.map((name) => ({ name, minutes: 4 })) }));
  const byFraction = await recorded(shards(4).map((shard) => `test (${shard})`));
  const byNumber = await recorded(shards(4).map((_, index) => `test (${index + 1}, 4)`));
  for (const count of [1, 2, 8]) {
    const fraction = await estimate(byFraction, split(4), split(count));
    assert.deepEqual([fraction.base, fraction.head], [exactly(3.84), exactly(3.84)], String(count));
    const added = fraction.jobs.find(({ status }: { status: string }) => status === 'added');
    assert.equal(added.basis, '336 recorded jobs of the 4 shards before');
    const number = await estimate(byNumber, numbered(4), numbered(count));
    assert.deepEqual([number.base, number.head], [exactly(3.84), exactly(3.84)], String(count));
  }
  const moved = await estimate(byFraction, split(4), split(8, 'macos-latest'));
  assert.deepEqual(moved.head, exactly(38.4));
  assert.match(moved.assumptions.join('\n'), /Another number of shards \(8 jobs\)/);
  // A job that is split for the first time.
  const whole = await estimate(
    await recorded(['test']),
    [ci('  test: { runs-on: ubuntu-latest }\n')],
    split(3),
  );
  assert.deepEqual([whole.base, whole.head], [exactly(0.96), exactly(0.96)]);
});

test('a change costs once what jobs of one name cost together', async () => {
  const organization = await organizationWith(
    daily(start, end, {
      jobs: [
        { name: 'e2e', minutes: 4 },
        { name: 'e2e', minutes: 2 },
      ],
    }),
  );
  const named = (values: string) => [
    ci(
      `  test: { name: "\${{ 'e2e' }}", runs-on: ubuntu-latest, strategy: { matrix: { v: [${values}] } } }\n`,
    ),
  ];
  const same = await estimate(organization, named('a, b'), named('a, b'));
  // 6 minutes a day at 0.008.
  assert.deepEqual([same.base, same.head, same.change], [exactly(1.44), exactly(1.44), exactly(0)]);
  const more = await estimate(organization, named('a, b'), named('a, b, c'));
  assert.deepEqual([more.base, more.jobs.length], [exactly(1.44), 3]);
  assert.deepEqual(more.change.monthly_cost, 0.72);
});
