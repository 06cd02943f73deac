import type { Nanos } from '../lib/money.ts';

/** Billionths of a decimal number, and whether it had more than nine decimals. */
export type Decimal = { nanos: Nanos; isRounded: boolean };

const form = /^([+-]?)\$?(\d{0,30})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?$/i;

/**
 * Reads a decimal such as `0.336`, `-1.5` or `3E-05`; null where the text is none. What is beyond nine decimals is
 * rounded, half to even.
 */
export function readDecimal(text: string): Decimal | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(text.trim()) ?? [];
  if (sign === undefined || whole + fraction === '') return null;
  const digits = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent) - 9;
  const { quotient, isRounded } =
    places <= 0
      ? { quotient: digits * 10n ** BigInt(-places), isRounded: false }
      : dividedHalfEven(digits, 10n ** BigInt(places));
  return { nanos: sign === '-' ? -quotient : quotient, isRounded };
}

function dividedHalfEven(dividend: bigint, divisor: bigint): { quotient: bigint; isRounded: boolean } {
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  const isUp = rest * 2n > divisor || (rest * 2n === divisor && quotient % 2n === 1n);
  return { quotient: isUp ? quotient + 1n : quotient, isRounded: rest !== 0n };
}

const nanosPerUnit = 1_000_000_000n;

/** `a × b`, both in billionths, in billionths, rounded half to even. */
export function product(a: bigint, b: bigint): bigint {
  return share(a * b, 1n, nanosPerUnit);
}

/** `whole × part / of`, rounded half to even; `of` above 0. */
export function share(whole: bigint, part: bigint, of: bigint): bigint {
  const dividend = whole * part;
  const { quotient } = dividedHalfEven(dividend < 0n ? -dividend : dividend, of);
  return dividend < 0n ? -quotient : quotient;
}
