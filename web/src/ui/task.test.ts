import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentDone } from './task.ts';

test('percentDone is a whole percentage, and null while the total is unknown', () => {
  assert.equal(percentDone({ progress: { done: 0, total: null } }), null);
  assert.equal(percentDone({ progress: { done: 0, total: 0 } }), 100);
  assert.equal(percentDone({ progress: { done: 2, total: 3 } }), 66);
  assert.equal(percentDone({ progress: { done: 5, total: 3 } }), 100);
});
