import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualInWords, usualPeriod } from './usual.ts';

test('what a run usually costs leaves out the few highest and lowest', () => {
  const costs = Array.from({ length: 11 }, (_, index) => 1 + index / 10);
  assert.equal(usualInWords(costs), 'usually $1.100 to $1.900');
  assert.equal(usualInWords([90, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]), 'usually $2.000');
  assert.equal(usualInWords([1, 2, 3, 4]), null);
});

test('runs that ran at no cost, such as skipped ones, say nothing about what is usual', () => {
  assert.equal(usualInWords([0, 0, 0, 2, 2, 2, 2, 2]), 'usually $2.000');
  assert.equal(usualInWords([0, 0, 0, 2, 2, 2, 2]), null);
});

test('what is usual for a run is of the 30 days up to its own', () => {
  assert.deepEqual(usualPeriod('2025-03-01T23:59:59Z'), { from: '2025-01-31', to: '2025-03-01' });
});
