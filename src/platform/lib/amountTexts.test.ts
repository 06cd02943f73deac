import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dollars,
  dollarsApartFrom,
  exactDollars,
  exactPercent,
  percentApartFrom,
  signedDollars,
  toBillionths,
} from './amountTexts.ts';
import { formatNanos } from './money.ts';

const amounts = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const b = toBillionths;

test('shows amounts to the cent, with commas', () => {
  assert.equal(dollars(b('1284.5512')), '$1,284.55');
  assert.equal(dollars(b('1000000000')), '$1,000,000,000.00');
  assert.equal(dollars(b('999.995')), '$1,000.00');
  assert.equal(dollars(b('0')), '$0.00');
  assert.equal(dollars(b('-3.5')), '−$3.50');
  assert.equal(dollars(b('-1234.5')), '−$1,234.50');
});

test('an amount below a cent does not read as 0', () => {
  assert.equal(dollars(b('0.004')), '$0.004');
  assert.equal(dollars(b('0.000123')), '$0.0001');
  assert.equal(dollars(b('0.000000001')), '$0.000000001');
  assert.equal(dollars(b('-0.0004')), '−$0.0004');
});

test('shows a threshold with all its digits', () => {
  assert.equal(exactDollars(b('1000')), '$1,000.00');
  assert.equal(exactDollars(b('0.125')), '$0.125');
  assert.equal(exactPercent(b('50')), '50%');
  assert.equal(exactPercent(b('12.3456')), '12.3456%');
});

test('an amount over a threshold by less than a cent does not read as the threshold', () => {
  assert.equal(dollarsApartFrom(b('1000.004'), b('1000')), '$1,000.004');
  assert.equal(dollarsApartFrom(b('1000.000000001'), b('1000')), '$1,000.000000001');
  assert.equal(dollarsApartFrom(b('0.12346'), b('0.12345')), '$0.1235');
  assert.equal(dollarsApartFrom(b('1000'), b('1000')), '$1,000.00');
  assert.equal(dollarsApartFrom(b('1284.5512'), b('1000')), '$1,284.55');
});

test('shows percent with one decimal, apart from the threshold and from 100%', () => {
  assert.equal(percentApartFrom(b('182.734512345'), b('50')), '182.7%');
  assert.equal(percentApartFrom(b('1250'), b('50')), '1,250%');
  assert.equal(percentApartFrom(b('50.5'), b('50')), '50.5%');
  assert.equal(percentApartFrom(b('50.000000001'), b('50')), '50.1%');
  assert.equal(percentApartFrom(b('33.244000001'), b('33.244')), '33.3%');
  assert.equal(percentApartFrom(b('99.999999999'), b('50')), '99.9%');
  assert.equal(percentApartFrom(b('100'), b('50')), '100%');
  assert.equal(percentApartFrom(b('100.000000001'), b('100')), '100.1%');
  assert.equal(percentApartFrom(b('99.97'), b('99.95')), '99.97%');
  assert.equal(percentApartFrom(b('-12.5'), b('50')), '-12.5%');
});

test('shows a change with its sign', () => {
  assert.equal(signedDollars(b('312.4')), '+$312.40');
  assert.equal(signedDollars(b('-5')), '−$5.00');
  assert.equal(signedDollars(b('0')), '$0.00');
});

test('keeps the order to the threshold', () => {
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: -100_000_000n, max: 100_000_000n }), (threshold, difference) => {
      const shown = dollarsApartFrom(threshold + difference, threshold)
        .replace(/[$,]/g, '')
        .replace('−', '-');
      const order = Math.sign(Number(toBillionths(shown) - threshold));
      assert.equal(order, Math.sign(Number(difference)));
    }),
  );
});

test('reads decimals exactly, and nothing else', () => {
  fc.assert(fc.property(amounts, (amount) => assert.equal(toBillionths(formatNanos(amount)), amount)));
  for (const text of ['', '1e3', '--1', '0.1234567891', '$1']) {
    assert.throws(() => toBillionths(text), RangeError);
  }
});
