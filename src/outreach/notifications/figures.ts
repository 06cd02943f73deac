import { formatNanos, parseUsd } from '../../platform/lib/money.ts';

/** Billionths of an exact decimal such as `"-0.008"`; throws a `RangeError` for anything else. */
export function toBillionths(decimal: string): bigint {
  return decimal.startsWith('-') ? -parseUsd(decimal.slice(1)) : parseUsd(decimal);
}

/** Dollars to the cent: `$1,284.55`. Below a cent as many digits as it takes to differ from nothing. */
export function dollars(billionths: bigint): string {
  return inDollars(roundApart(billionths, [0n]), 2);
}

/** Dollars with all their digits, as somebody has set them: `$1,000.00`, `$0.125`. */
export function exactDollars(billionths: bigint): string {
  return inDollars(billionths, 2);
}

/** Dollars to the cent, and further where the amount would otherwise read as `other` or on its other side. */
export function dollarsApartFrom(billionths: bigint, other: bigint): string {
  return inDollars(roundApart(billionths, [0n, other]), 2);
}

/** A change in dollars with its sign: `+$12.00`, `-$3.50`. */
export function signedDollars(billionths: bigint): string {
  return billionths > 0n ? `+${dollars(billionths)}` : dollars(billionths);
}

/** Percent with all their digits, as somebody has set them. */
export function exactPercent(billionths: bigint): string {
  return `${grouped(billionths, 0)}%`;
}

/** Percent with two decimals at most, and further where they would otherwise read as `other` or on its other side. */
export function percentApartFrom(billionths: bigint, other: bigint): string {
  return exactPercent(roundApart(billionths, [0n, other]));
}

/** Rounded to hundredths, or to the first digit from there on that keeps the order to `others`. */
function roundApart(billionths: bigint, others: readonly bigint[]): bigint {
  for (let step = 10_000_000n; step > 1n; step /= 10n) {
    const rounded = roundTo(billionths, step);
    if (others.every((other) => order(rounded, other) === order(billionths, other))) return rounded;
  }
  return billionths;
}

function roundTo(value: bigint, step: bigint): bigint {
  return value < 0n ? -roundTo(-value, step) : ((value + step / 2n) / step) * step;
}

function order(left: bigint, right: bigint): number {
  return Number(left > right) - Number(left < right);
}

function inDollars(billionths: bigint, minDecimals: number): string {
  return billionths < 0n ? `-${inDollars(-billionths, minDecimals)}` : `$${grouped(billionths, minDecimals)}`;
}

function grouped(billionths: bigint, minDecimals: number): string {
  const [whole = '0', fraction = ''] = formatNanos(billionths).split('.');
  const decimals = fraction.padEnd(minDecimals, '0');
  const wholeGrouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? wholeGrouped : `${wholeGrouped}.${decimals}`;
}
