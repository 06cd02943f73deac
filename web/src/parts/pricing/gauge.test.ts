import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gaugeOf } from './gauge.ts';

const found = {
  included_minutes: { github_plan: null, minutes: 50_000 },
  used_minutes: 36_100.67,
  is_exhausted: false,
  exhausted_on: '2026-11-24' as string | null,
};

test('the gauge says how much is used and how long the rest lasts', () => {
  const words = (fields: Partial<typeof found>) => {
    const gauge = gaugeOf({ ...found, ...fields })!;
    return `${gauge.amount}, ${gauge.until}`;
  };
  assert.equal(words({}), '36,100 of 50,000 included minutes, until Nov 24 at this pace');
  assert.equal(
    words({ exhausted_on: null }),
    '36,100 of 50,000 included minutes, lasts to the end of the month',
  );
  assert.equal(
    words({ used_minutes: 61_000, is_exhausted: true }),
    '61,000 of 50,000 included minutes, used up on Nov 24',
  );
});

test('there is no gauge without an allowance', () => {
  assert.equal(gaugeOf({ ...found, included_minutes: null }), null);
  assert.equal(gaugeOf({ ...found, included_minutes: { github_plan: null, minutes: 0 } }), null);
});
