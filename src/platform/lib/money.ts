declare global {
  interface JSON {
    /** A JSON text that `JSON.stringify` writes unchanged (ECMAScript "JSON.parse source text access"). */
    rawJSON(text: string): { rawJSON: string };
  }
}

/** Money in nano-dollars: 1 USD = 1,000,000,000. */
export type Nanos = bigint;

const nanosPerDollar = 1_000_000_000n;

export type DecimalNumber = { rawJSON: string };

export function magnitude(nanos: Nanos): Nanos {
  return nanos < 0n ? -nanos : nanos;
}

/** A plain decimal string without trailing zeros: `1500000000n` is `"1.5"`. */
export function formatNanos(nanos: Nanos): string {
  const sign = nanos < 0n ? '-' : '';
  const size = magnitude(nanos);
  const fraction = (size % nanosPerDollar).toString().padStart(9, '0').replace(/0+$/, '');
  const whole = size / nanosPerDollar;
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

export function usd(nanos: Nanos): DecimalNumber {
  return JSON.rawJSON(formatNanos(nanos));
}

export function usdOrNull(nanos: Nanos | null | undefined): DecimalNumber | null {
  return nanos === null || nanos === undefined ? null : usd(nanos);
}

/** For `JSON.stringify`: writes bigints as text, because JSON numbers would lose digits. */
export function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

export function parseUsd(decimal: string): Nanos {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(decimal);
  if (!match) throw new RangeError(`not a dollar amount with at most nine decimals: ${decimal}`);
  return BigInt(match[1]!) * nanosPerDollar + BigInt((match[2] ?? '').padEnd(9, '0'));
}

/** Nano-units of a JSON number; null if it is below 0 or has more than nine decimals. */
export function toNanos(value: number): Nanos | null {
  const text = String(value);
  const decimal = text.includes('e') ? value.toFixed(9) : text; // such as 1e-9
  return Number(decimal) === value && /^\d+(\.\d{1,9})?$/.test(decimal) ? parseUsd(decimal) : null;
}

/** A share in percent, to one decimal; 0 if `whole` is 0. */
export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((2_000n * part + whole) / (2n * whole)) / 10;
}

/** `dividend / divisor` rounded half to even; `dividend` is at least 0, `divisor` above 0. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const doubled = (dividend % divisor) * 2n;
  const roundUp = doubled > divisor || (doubled === divisor && quotient % 2n === 1n);
  return roundUp ? quotient + 1n : quotient;
}
