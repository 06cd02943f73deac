import type { Nanos } from '../../platform/lib/money.ts';

/** A decimal number as it is written, exactly: `digits / 10 ** places`. */
export type Decimal = { digits: bigint; places: number };

const form = /^([+-]?)\$?(\d{0,30})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?$/i;

/** Reads a decimal such as `0.336`, `-1.5` or `3E-05`; null where the text is none. */
export function readDecimal(text: string): Decimal | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(text.trim()) ?? [];
  if (sign === undefined || whole + fraction === '') return null;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length - Number(exponent) };
}

/** `a × b`, exactly. */
export function product(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, places: a.places + b.places };
}

/** Billionths of a number, rounded half to even where it has more than nine decimals, and whether it was. */
export function nanosOf({ digits, places }: Decimal): { nanos: Nanos; isRounded: boolean } {
  if (places <= 9) return { nanos: digits * 10n ** BigInt(9 - places), isRounded: false };
  const size = digits < 0n ? -digits : digits;
  const { quotient, isRounded } = dividedHalfEven(size, 10n ** BigInt(places - 9));
  return { nanos: digits < 0n ? -quotient : quotient, isRounded };
}

function dividedHalfEven(dividend: bigint, divisor: bigint): { quotient: bigint; isRounded: boolean } {
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  const isUp = rest * 2n > divisor || (rest * 2n === divisor && quotient % 2n === 1n);
  return { quotient: isUp ? quotient + 1n : quotient, isRounded: rest !== 0n };
}

/** `whole × part / of`, rounded half to even; `of` above 0. */
export function share(whole: bigint, part: bigint, of: bigint): bigint {
  const dividend = whole * part;
  const { quotient } = dividedHalfEven(dividend < 0n ? -dividend : dividend, of);
  return dividend < 0n ? -quotient : quotient;
}
