import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gaugeOf, productGaugeOf } from './gauge.ts';

const minutesOf = (minutes: number) => ({
  github_plan: null,
  unit: 'minutes' as 'minutes' | 'usd',
  minutes,
  usd: null as number | null,
  draw: 'list_price_ratio' as const,
});
const found = {
  included_minutes: minutesOf(50_000),
  used_minutes: 36_100.67,
  used_usd: null as number | null,
  is_exhausted: false,
  exhausted_on: '2026-11-24' as string | null,
};

test('the gauge says how much is used and how long the rest lasts', () => {
  const words = (fields: Partial<typeof found>) => {
    const gauge = gaugeOf({ ...found, ...fields })!;
    return `${gauge.amount} ${gauge.of}, ${gauge.left} left, ${gauge.until}`;
  };
  assert.equal(words({}), '36,100 of 50,000, 13,900 left, until Nov 24');
  assert.equal(words({ exhausted_on: null }), '36,100 of 50,000, 13,900 left, lasts the month');
  assert.equal(
    words({ used_minutes: 61_000, is_exhausted: true }),
    '61,000 of 50,000, 0 left, used up on Nov 24',
  );
});

test('an allowance in dollars is shown in dollars', () => {
  const included_minutes = { ...minutesOf(8_333), unit: 'usd' as const, usd: 50 };
  const gauge = gaugeOf({ ...found, included_minutes, used_usd: 36.1 })!;
  assert.deepEqual([gauge.title, gauge.amount, gauge.of], ['Included usage', '$36.10', 'of $50']);
  assert.deepEqual([gauge.used, gauge.most], [36.1, 50]);
});

test('there is no gauge without an allowance', () => {
  assert.equal(gaugeOf({ ...found, included_minutes: null }), null);
  assert.equal(gaugeOf({ ...found, included_minutes: minutesOf(0) }), null);
});

test('storage is in GB-hours, and without a bill or an allowance there is none', () => {
  const storage = {
    product: 'artifacts' as const,
    title: 'Artifact storage',
    unit: 'gb_hours' as const,
    month: { start: '2026-03-01', end: '2026-03-31' },
    included: 1_488 as number | null,
    used: 1_116.9,
    counted_until: '2026-03-10' as string | null,
    is_exhausted: false,
    exhausted_on: '2026-03-14' as string | null,
    repositories: [],
  };
  const { amount, of, until } = productGaugeOf(storage)!;
  assert.equal(`${amount} ${of}, ${until}`, '1,116 of 1,488 GB-hours, until Mar 14');
  const credits = { ...storage, unit: 'credits' as const, exhausted_on: null };
  assert.equal(productGaugeOf(credits)!.of, 'of 1,488');
  assert.equal(productGaugeOf({ ...storage, included: null }), null);
  assert.equal(productGaugeOf({ ...storage, counted_until: null }), null);
});
