import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineOf, partsOf } from './forecast.ts';
import type { Forecast } from './queries.ts';

/** A month of four days. The second one is today. */
function monthOf(changes: Partial<Forecast> = {}): Forecast {
  const day = (cost: number | null, projected: number | null) =>
    ({ cost, projected }) as Forecast['daily'][0];
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
  } as Forecast;
}

test('the cost so far, the rest of today and the remaining days add up to the forecast', () => {
  assert.deepEqual(partsOf(monthOf()), { restOfToday: 1, daysToCome: 2, ofDaysToCome: 8, correction: 2 });
});

test('the headline is the forecast, rounded to its certainty', () => {
  const headline = (rounded: number) => headlineOf(monthOf({ rounded, confidence: 'good' }));
  assert.equal(headline(6_400), '$6,400');
  assert.equal(headline(6_412), '$6,412');
  assert.equal(headline(6_412.3), '$6,412.30');
  assert.equal(headline(1_200_000), '$1,200,000');
  assert.equal(headline(6.4), '$6.40');
  assert.equal(headlineOf(monthOf({ confidence: 'none' })), '–');
});
