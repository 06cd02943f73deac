import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetStatus } from './budgets.ts';
import { changeSteps } from './changeSteps.ts';

function statusOf(spent: number, projected: number, over_on: string | null) {
  const forecast = { spent, projected, over_on, period: { end: '2026-11-30' } };
  return budgetStatus({ alert: { threshold_amount: 1_000 }, forecast });
}

test('a budget says how much of it is used, and when it is over', () => {
  assert.deepEqual(statusOf(920, 1_300, '2026-11-25'), {
    text: '92%, over on Nov 25; about $1.3K (130%) by Nov 30',
    isOver: true,
  });
  assert.deepEqual(statusOf(1_204, 1_300, '2026-11-20'), {
    text: '120%, over since Nov 20; about $1.3K (130%) by Nov 30',
    isOver: true,
  });
  assert.deepEqual(statusOf(400, 995, null), {
    text: '40% so far, about $995 (99%) by Nov 30',
    isOver: false,
  });
});

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
