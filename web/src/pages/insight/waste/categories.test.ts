import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownCosts } from './categories.ts';

test('the shown costs add up to the shown total, also where a small one shows as nothing', () => {
  const categories = Object.entries({ rounding: 10.006, failed: 0.006, superseded: 3, rerun: 0 }).map(
    ([category, cost]) => ({ category, cost }),
  ) as Parameters<typeof shownCosts>[0]['categories'];
  const shown = shownCosts({ categories, waste_cost: 13.012 });
  const dollars = ['rounding', 'superseded', 'failed', 'rerun'].map((name) => shown.get(name as 'failed'));
  assert.deepEqual(dollars, [10.01, 3, 0, 0]);
});
