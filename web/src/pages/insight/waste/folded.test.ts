import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded } from './folded.ts';

const cases: [savings: number[], total: number, small: number[]][] = [
  [[90, 9, 0.5, 0.4, 0], 100, [0.5, 0.4, 0]],
  [[90, 1, 1], 100, []],
  [[90, 9, 0.5], 100, []],
  [[0.5, 0.4], 100, []],
  [[2, 0, 0], 0, []],
  [[], 0, []],
];

for (const [savings, total, expected] of cases)
  test(`of fixes that save ${savings.join()} of ${total}, ${expected.length} are folded`, () => {
    const fixes = savings.map((saving_per_month) => ({ saving_per_month }));
    const { large, small } = folded(fixes, total);
    assert.deepEqual(
      small.map(({ saving_per_month: saving }) => saving),
      expected,
    );
    assert.deepEqual([...large, ...small], fixes);
  });
