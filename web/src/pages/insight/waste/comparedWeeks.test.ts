import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedWeeks } from './comparedWeeks.ts';

const compared = (...weeks: (number | null)[]) =>
  comparedWeeks(weeks.map((previous_waste_cost) => ({ previous_waste_cost })));

test('a week in which the records began is not compared with', () => {
  assert.deepEqual(compared(null, null, 0.8, 64, 70), [null, null, null, 64, 70]);
  assert.deepEqual(compared(0, 3, 64, 0, 70), [null, null, 64, 0, 70]);
  assert.deepEqual(compared(60, 64, 70), [60, 64, 70]);
});

test('one week or none is no line', () => {
  assert.equal(compared(null, 0.8, 64), null);
  assert.equal(compared(null, null), null);
  assert.equal(compared(0, 0, 0), null);
  assert.equal(compared(), null);
});
