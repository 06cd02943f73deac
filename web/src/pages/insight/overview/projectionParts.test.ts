import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineOf, partsOf } from './projectionParts.ts';
import type { Projection } from './queries.ts';

/** A month of four days, the second of which is today. */
function monthOf(changes: Partial<Projection> = {}): Projection {
  const day = (cost: number | null, projected: number | null) =>
    ({ cost, projected }) as Projection['daily'][0];
  return {
    spent: 6,
    projected: 15,
    usual_pace: 13,
    low: 12,
    high: 20,
    days_elapsed: 2,
    days_in_month: 4,
    daily: [day(4, null), day(2, 3), day(null, 5), day(null, 3)],
    ...changes,
  } as Projection;
}

test('what is spent, the rest of today and the days to come add up to the forecast', () => {
  assert.deepEqual(partsOf(monthOf()), { restOfToday: 1, daysToCome: 2, ofDaysToCome: 8, correction: 2 });
});

test('the headline is the middle of the range, rounded to what is known', () => {
  const headline = (projected: number, rounded: number) =>
    headlineOf(monthOf({ projected, rounded, confidence: 'good' }));
  assert.equal(headline(6_412.33, 6_400), 'about $6.4K');
  assert.equal(headline(6_412.33, 6_410), 'about $6.41K');
  assert.equal(headline(641.23, 640), 'about $640');
  assert.equal(headline(1_234_567, 1_200_000), 'about $1.2M');
  assert.equal(headline(6.41, 6.4), 'about $6.40');
  assert.equal(headline(6_412.33, 6_412.33), '$6,412.33');
  assert.equal(headlineOf(monthOf({ confidence: 'none' })), 'Too early');
});
