import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { receiptDollars, sumOf } from './receiptDollars.ts';

test('amounts show all digits, and three decimals or more unless they are zero', () => {
  assert.equal(receiptDollars(0), '$0.00');
  assert.equal(receiptDollars(0.006), '$0.006');
  assert.equal(receiptDollars(0.000000001), '$0.000000001');
  assert.equal(receiptDollars(1_234.5), '$1,234.500');
  assert.equal(receiptDollars(-2), '−$2.000');
});

test('sums are exact where floating point is not', () => {
  assert.notEqual(0.1 + 0.2, 0.3);
  assert.equal(sumOf([0.1, 0.2]), 0.3);
  assert.equal(sumOf([0.3, -0.1, -0.2]), 0);
  assert.equal(sumOf([]), 0);
});

test('any sum of whole nano-dollars is exact', () => {
  const nanos = fc.array(fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(nanos, (amounts) => {
      const expected = amounts.reduce((sum, amount) => sum + amount, 0) / 1e9;
      assert.equal(sumOf(amounts.map((amount) => amount / 1e9)), expected + 0);
    }),
  );
});
