import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetStatus, byStanding, headingOf, percentOf, standingOf } from './budgets.ts';
import type { ListedAlert } from './types.ts';

const forecastOf = (spent: number, projected: number, over_on: string | null, step = 10) => ({
  spent,
  projected,
  over_on,
  rounded: step * Math.round(projected / step),
  period: { end: '2026-11-30' },
});

test('a budget says how much of it is used, and when it is over', () => {
  assert.deepEqual(budgetStatus(1_000, forecastOf(920, 1_300, '2026-11-25')), {
    text: '92%, over on Nov 25; about $1,300 (130%) by Nov 30',
    isOver: true,
  });
  assert.deepEqual(budgetStatus(1_000, forecastOf(1_204, 1_300, '2026-11-20')), {
    text: '120%, over since Nov 20; about $1,300 (130%) by Nov 30',
    isOver: true,
  });
  assert.deepEqual(budgetStatus(1_000, forecastOf(400, 995, null)), {
    text: '40% so far, about $995 (99.5%) by Nov 30',
    isOver: false,
  });
  assert.equal(headingOf(1_000, forecastOf(920, 1_300, '2026-11-25')), 'over on Nov 25');
});

test('an expected amount is on the same side of the budget as its share', () => {
  const texts = [1_060, 1_080, 1_090, 1_140].map((projected) =>
    headingOf(1_080, forecastOf(0, projected, null, 100)),
  );
  assert.deepEqual(texts, [
    'about $1,060 (98%) by Nov 30',
    'about $1,080 (100%) by Nov 30',
    'about $1,100 (101%) by Nov 30',
    'about $1,100 (106%) by Nov 30',
  ]);
  assert.equal(headingOf(1_120, forecastOf(0, 1_140, null, 100)), 'about $1,140 (102%) by Nov 30');
});

test('a percentage has separators, and reads as 100% only if it is', () => {
  const texts = [0, 0.5, 99.6, 456, 999.6, 1_000, 1_000.1, 12_344].map((amount) => percentOf(amount, 1_000));
  assert.deepEqual(texts, ['0%', '0.1%', '10%', '46%', '99.9%', '100%', '100.1%', '1,234%']);
});

const alert = (name: string, fields: Partial<ListedAlert> = {}) =>
  ({ name, enabled: true, state: 'ok', reaches: [{ to: 'mona' }], ...fields }) as ListedAlert;
const measured = (current_value: number, over_on: string | null = null, insufficient_data = false) => ({
  current_value,
  insufficient_data,
  threshold_value: 100,
  forecast: forecastOf(current_value, current_value, over_on),
});

test('alerts stand over, close, fine, or off, by what is measured, and are not fine if they reach nobody', () => {
  const standing = (...args: Parameters<typeof standingOf>) => standingOf(...args);
  assert.equal(standing(alert(''), measured(100.01)), 'over');
  assert.equal(standing(alert('', { state: 'triggered' }), measured(10)), 'over');
  assert.equal(standing(alert(''), measured(100)), 'close');
  assert.equal(standing(alert(''), measured(90)), 'close');
  assert.equal(standing(alert(''), measured(20, '2026-11-29')), 'close');
  assert.equal(standing(alert(''), measured(89)), 'fine');
  assert.equal(standing(alert(''), measured(0, null, true)), 'unknown');
  assert.equal(standing(alert('', { enabled: false }), undefined), 'off');
  assert.equal(standing(alert(''), undefined), 'fine');
  assert.equal(standing(alert('', { reaches: [] }), measured(89)), 'silent');
  assert.equal(standing(alert('', { reaches: [] }), measured(100.01)), 'over');
});

test('those over come first, then the closest, then those that are off', () => {
  const rows = [
    { alert: alert('off', { enabled: false }), measured: undefined },
    { alert: alert('new'), measured: measured(0, null, true) },
    { alert: alert('fine 10'), measured: measured(5) },
    { alert: alert('fine 9'), measured: measured(5) },
    { alert: alert('heading over'), measured: measured(50, '2026-11-29') },
    { alert: alert('nearly'), measured: measured(95) },
    { alert: alert('over'), measured: measured(300) },
  ];
  assert.deepEqual(
    byStanding(rows).map((row) => row.alert.name),
    ['over', 'nearly', 'heading over', 'fine 9', 'fine 10', 'new', 'off'],
  );
});
