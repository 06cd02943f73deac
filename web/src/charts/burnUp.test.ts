import assert from 'node:assert/strict';
import { test } from 'node:test';
import { burnUpOf } from './burnUp.ts';

const day = (date: string, cost: number | null, projected: number | null) => ({ date, cost, projected });
const forecast = {
  spent: 5,
  projected: 10,
  low: 8,
  high: 14,
  daily: [
    day('2026-11-01', 4, null),
    day('2026-11-02', 1, 2),
    day('2026-11-03', null, 2),
    day('2026-11-04', null, 2),
  ],
};
const noon = new Date('2026-11-02T12:00:00Z');

test('the line goes up to what is spent now, and on to what is expected', () => {
  const { spent, expected } = burnUpOf(forecast, 9, noon);
  assert.deepEqual(spent, [
    [0, 0],
    [0.25, 4],
    [0.375, 5],
  ]);
  assert.deepEqual(expected, [
    [0.375, 5],
    [0.5, 6],
    [0.75, 8],
    [1, 10],
  ]);
});

test('the likely range opens from now to the end of the period', () => {
  const { band, highest } = burnUpOf(forecast, 9, noon);
  assert.deepEqual(band[0], [0.375, 5]);
  assert.deepEqual(
    [band[3], band[4]],
    [
      [1, 14],
      [1, 8],
    ],
  );
  assert.ok(highest > 14);
  assert.deepEqual(burnUpOf({ ...forecast, low: null, high: null }, 9, noon).band, []);
});
