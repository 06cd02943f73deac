import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, windowEnding } from '../../platform/lib/days.ts';
import { quietDays } from './dataQuality.ts';

const today = '2026-03-18';
const window = windowEnding(today, 7);

/** Whether the day a week ago is quiet if there were runs this many weeks before it. */
function isQuiet(weeksWithRuns: number[], firstDay: string | null = '2020-01-01'): boolean {
  const day = addDays(today, -6);
  const busy = new Set(weeksWithRuns.map((weeks) => addDays(day, -7 * weeks)));
  return quietDays(window, busy, firstDay).includes(day);
}

test('a day without runs is quiet if three of four of the same weekdays before it had some', () => {
  assert.equal(isQuiet([1, 2, 3, 4, 5, 6, 7, 8]), true);
  assert.equal(isQuiet([1, 2, 4, 6, 7, 8]), true);
  assert.equal(isQuiet([1, 2, 4, 6, 7]), false);
  assert.equal(isQuiet([1, 2, 3, 4, 5, 9, 10, 11]), false);
  assert.equal(isQuiet([]), false);
});

test('a day with runs is not quiet, and neither is today', () => {
  assert.equal(isQuiet([0, 1, 2, 3, 4, 5, 6, 7, 8]), false);
  const busy = new Set([1, 2, 3, 4, 5, 6, 7, 8].map((weeks) => addDays(today, -7 * weeks)));
  assert.deepEqual(quietDays(window, busy, '2020-01-01'), []);
});

test('weeks before the first known day do not count, and fewer than three are too few', () => {
  const weeksAgo = (weeks: number) => addDays(today, -6 - 7 * weeks);
  assert.equal(isQuiet([1, 2, 3], weeksAgo(3)), true);
  assert.equal(isQuiet([1, 2, 3], addDays(weeksAgo(3), 1)), false);
  assert.equal(isQuiet([1, 2], weeksAgo(2)), false);
  assert.equal(isQuiet([], null), false);
});
