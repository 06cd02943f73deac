import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Costs } from '../../../analysis/queries.ts';
import { withWholeMatrices } from './matrices.ts';

const figure = { change: null, change_percent: null };

function job(name: string, values: number[], before: number): Costs['groups'][number] {
  const value = values.reduce((sum, each) => sum + each, 0);
  return {
    by: [{ dimension: 'job', value: name, name }],
    ...figure,
    value,
    previous_value: before,
    share_percent: 0,
    series: values.map((each, index) => ({
      ...figure,
      start: `2026-11-0${index + 1}`,
      value: each,
      previous_value: before,
      is_anomalous: null,
    })),
    narrow: `/api/v1/costs?metric=cost&job=${encodeURIComponent(name)}&group_by=runner`,
  };
}

test('the jobs of a matrix are one group, which leads to all of them; others stay as they are', () => {
  const alone = [job('lint', [1, 1], 1), job('deploy (eu)', [0.3, 0], 1)];
  const costs = { groups: [job('test (18)', [0.1, 2], 3), ...alone, job('test (20)', [0.2, 4], 5)] };
  const { groups } = withWholeMatrices(costs as unknown as Costs);
  assert.deepEqual(groups.slice(1), alone);
  const [tests] = groups;
  assert.deepEqual(
    [tests!.by[0]!.name, tests!.value, tests!.previous_value, tests!.series.map(({ value }) => value)],
    ['test, 2 jobs', 6.3, 8, [0.3, 6]],
  );
  assert.equal(tests!.narrow, '/api/v1/costs?metric=cost&job=test+%2818%29&group_by=job&job=test+%2820%29');
});
