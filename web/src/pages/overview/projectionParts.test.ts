import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf } from './projectionParts.ts';
import type { Projection } from './queries.ts';

/** A month of four days, the second of which is today. */
function monthOf(changes: Partial<Projection> = {}): Projection {
  const day = (cost: number | null, projected: number | null) =>
    ({ cost, projected }) as Projection['daily'][0];
  return {
    ...{ spent: 6, projected: 15, low: 12, high: 20, days_elapsed: 2, days_in_month: 4 },
    daily: [day(4, null), day(2, 3), day(null, 5), day(null, 3)],
    ...changes,
  } as Projection;
}

test('what is spent, the rest of today and the days to come add up to the projection', () => {
  assert.deepEqual(partsOf(monthOf()), { restOfToday: 1, daysToCome: 2, ofDaysToCome: 8, place: null });
});

test('it is told which end of the band the projection is', () => {
  assert.equal(partsOf(monthOf({ low: 15 })).place, 'lower');
  assert.equal(partsOf(monthOf({ high: 15 })).place, 'upper');
  for (const none of [
    { low: null, high: null },
    { low: 15, high: 15 },
    { spent: 15, low: 15 },
  ]) {
    assert.equal(partsOf(monthOf(none)).place, null);
  }
});
