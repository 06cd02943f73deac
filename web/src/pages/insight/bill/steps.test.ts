import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { monthsOf } from './filter.ts';
import type { Sums } from './queries.ts';
import { agreedOf, comparisonOf, isLarge, towardBill, wordsIn } from './steps.ts';

const nanosOf = (dollars: number) => BigInt(Math.round(dollars * 1e9));
const dollarsOf = (nanos: bigint) => Number(nanos) / 1e9;
const anyNanos = fc.oneof(fc.constant(0n), fc.bigInt(-(10n ** 14n), 10n ** 14n));

const names = ['public_repository', 'included_minutes', 'other_discount', 'missing_deliveries', 'rounding'];
const words = wordsIn({
  causes: [...names, 'unexplained'].map((cause, index) => {
    return { cause, title: cause.replace('_', ' '), about: '', is_agreed: index < 3 };
  }),
});
const anyParts = fc.array(anyNanos, { minLength: names.length, maxLength: names.length });

/** Sums as the API answers them: the parts and the rest add up to the difference. */
const anySums = fc
  .record({ bill: anyNanos, rest: anyNanos, parts: anyParts })
  .map(({ bill, rest, parts }) => {
    const difference = parts.reduce((sum, part) => sum + part, rest);
    const explained = Object.fromEntries(names.map((name, index) => [name, dollarsOf(parts[index]!)]));
    const common = { our_cost: dollarsOf(bill + difference), bill_net: dollarsOf(bill) };
    return {
      ...common,
      difference: dollarsOf(difference),
      explained,
      unexplained: dollarsOf(rest),
      our_net: common.our_cost,
      net_difference: dollarsOf(difference),
      net_explained: explained,
      net_unexplained: dollarsOf(rest),
    } as unknown as Sums;
  });

test('the steps lead from our amount to the bill at list and at net prices', () => {
  fc.assert(
    fc.property(anySums, fc.constantFrom('cost', 'net_cost'), (sums, measure) => {
      const { ours, billed, steps, unmatched } = comparisonOf(sums, measure, words);
      const reached = steps.reduce((sum, { amount }) => sum + nanosOf(amount), nanosOf(ours));
      assert.equal(reached, nanosOf(billed));
      assert.ok(unmatched.every(({ key }) => steps.some((step) => step.key === key)));
    }),
  );
});

test('what was agreed comes first, and is no fault', () => {
  const sums = {
    our_cost: 10,
    bill_net: 5,
    unexplained: 1,
    explained: { included_minutes: 2, missing_deliveries: -3, rounding: 0, other_discount: 5 },
  } as unknown as Sums;
  const { steps, unmatched } = comparisonOf(sums, 'cost', words);
  assert.deepEqual(
    steps.map(({ key, amount }) => [key, amount]),
    [
      ['other_discount', -5],
      ['included_minutes', -2],
      ['missing_deliveries', 3],
      ['unexplained', -1],
    ],
  );
  assert.deepEqual(
    unmatched.map(({ key }) => key),
    ['missing_deliveries', 'unexplained'],
  );
});

test('less than a cent that did not match is no match', () => {
  const sums = {
    our_cost: 10.004,
    bill_net: 10,
    explained: { rounding: 0.004 },
    unexplained: 0,
  } as unknown as Sums;
  assert.deepEqual(
    comparisonOf(sums, 'cost', words).unmatched.map(({ key, amount }) => [key, amount]),
    [['rounding', -0.004]],
  );
});

test('a difference is large above a dollar and a twentieth of the bill', () => {
  const marked = (net_difference: number, bill_net: number) => isLarge({ net_difference, bill_net } as Sums);
  assert.deepEqual(
    [marked(6, 100), marked(-6, 100), marked(5, 100), marked(0.9, 1), marked(2, 0), marked(0, 0)],
    [true, true, false, false, true, false],
  );
});

test('months are those of the bill, the newest first, none ahead and none over a year old', () => {
  const billed = ['2024-05', '2025-02', '2025-03', '2026-01', '2026-02', '2026-03', '2031-01'].map(
    (month) => ({ month }),
  );
  assert.deepEqual(monthsOf(billed, '2026-03-15'), ['2026-03', '2026-02', '2026-01', '2025-03']);
});

test('what was agreed has the name of its step, if it is one', () => {
  const nameOf = (explained: object, agreed: number) =>
    agreedOf({ explained: explained as Sums['explained'], our_cost: 10, our_net: 10 - agreed }, words).name;
  assert.equal(
    nameOf({ included_minutes: 2, public_repository: 0, other_discount: 0 }, 2),
    'included minutes',
  );
  assert.equal(
    nameOf({ included_minutes: 2, public_repository: 0, other_discount: 1 }, 3),
    'Agreed discounts',
  );
  // Deductions from costs that Runcost has not recorded.
  assert.equal(
    nameOf({ included_minutes: 0, public_repository: 0, other_discount: 2 }, 0),
    'Agreed discounts',
  );
});

test('more on the bill is positive, and nothing has no sign', () => {
  assert.deepEqual([-3, 0, 2].map(towardBill), [3, 0, -2]);
});
