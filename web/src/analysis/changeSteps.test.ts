import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeSteps } from './changeSteps.ts';

test('the parts of a change are the largest first, and what is new or gone is not volume twice', () => {
  const total = { volume: 30, duration: -12, price: 0, mix: 0.001 };
  const steps = changeSteps({ total, new: { groups: 2, change: 25 }, vanished: { groups: 1, change: -3 } });
  assert.deepEqual(
    steps.map(({ label, amount }) => [label, amount]),
    [
      ['New workflows', 25],
      ['Shorter jobs', -12],
      ['More jobs', 8],
      ['Removed workflows', -3],
    ],
  );
});

test('what net cost has beyond list cost is a step of its own', () => {
  const total = { volume: 30, duration: 0, price: 0, mix: 0 };
  const labels = (deducted: number) => changeSteps({ total }, deducted).map(({ label }) => label);
  assert.deepEqual(labels(-40), ['Larger deductions', 'More jobs']);
  assert.deepEqual(labels(4), ['More jobs', 'Smaller deductions']);
  assert.deepEqual(labels(0), ['More jobs']);
});
