import { formatNanos, parseUsd } from './money.ts';
import type { UnitName } from './units.ts';

export function toBillionths(decimal: string): bigint {
  return decimal.startsWith('-') ? -parseUsd(decimal.slice(1)) : parseUsd(decimal);
}

/** Dollars to the cent, such as `$1,284.55`. Amounts below a cent get enough digits to differ from 0. */
export function dollars(billionths: bigint): string {
  return inDollars(roundApart(billionths, [0n]), 2);
}

export function exactDollars(billionths: bigint): string {
  return inDollars(billionths, 2);
}

/** `$6,400` or `$0.65`, already rounded to what its range supports. The pages' `figures.ts` does the same. */
export function forecastDollars(rounded: bigint): string {
  return dollars(rounded).replace(/\.00$/, '');
}

const dollarNanos = 1_000_000_000n;

/** For the ends of a range: cents would be more precise than they are. */
export function roughDollars(nanos: bigint): string {
  if (nanos < 100n * dollarNanos) return dollars(nanos);
  return dollars(((nanos + dollarNanos / 2n) / dollarNanos) * dollarNanos).replace(/\.00$/, '');
}

export function dollarsApartFrom(billionths: bigint, other: bigint): string {
  return inDollars(roundApart(billionths, [0n, other]), 2);
}

export function signedDollars(billionths: bigint): string {
  return billionths > 0n ? `+${dollars(billionths)}` : dollars(billionths);
}

/** Rounds steps that lead away from `start` so that the rounded amounts add up to the last digit that is shown. */
export function inCents(start: bigint, steps: readonly bigint[]): bigint[] {
  let [reached, shown] = [start, roundTo(start, cent)];
  return steps.map((step) => {
    reached += step;
    const before = shown;
    shown = roundTo(reached, cent);
    return shown - before;
  });
}

const cent = 10_000_000n;

export function exactPercent(billionths: bigint): string {
  return `${grouped(billionths, 0)}%`;
}

/** A value of this unit, rounded. */
export function amountText(unit: UnitName, billionths: bigint): string {
  return unit === 'usd' ? dollars(billionths) : exactPercent(roundTo(billionths, onePercent / 10n));
}

const onePercent = 1_000_000_000n;

/** A value below 100% or over `other` never reads as equal: it gets more decimals if it must. */
export function percentApartFrom(billionths: bigint, other: bigint): string {
  const others = [0n, 100n * onePercent, other];
  const step = onePercent / 10n;
  const nearest = roundTo(billionths, step);
  const fitting = [nearest, nearest + step, nearest - step].find((value) =>
    hasSameOrder(value, billionths, others),
  );
  return exactPercent(fitting ?? roundApart(billionths, others));
}

/** Rounds to hundredths, or to the first digit that keeps the order relative to `others`. */
function roundApart(billionths: bigint, others: readonly bigint[]): bigint {
  for (let step = 10_000_000n; step > 1n; step /= 10n) {
    const rounded = roundTo(billionths, step);
    if (hasSameOrder(rounded, billionths, others)) return rounded;
  }
  return billionths;
}

function hasSameOrder(rounded: bigint, exact: bigint, others: readonly bigint[]): boolean {
  return others.every((other) => order(rounded, other) === order(exact, other));
}

function roundTo(value: bigint, step: bigint): bigint {
  return value < 0n ? -roundTo(-value, step) : ((value + step / 2n) / step) * step;
}

function order(left: bigint, right: bigint): number {
  return Number(left > right) - Number(left < right);
}

function inDollars(billionths: bigint, minDecimals: number): string {
  return billionths < 0n ? `−${inDollars(-billionths, minDecimals)}` : `$${grouped(billionths, minDecimals)}`;
}

function grouped(billionths: bigint, minDecimals: number): string {
  const [whole = '0', fraction = ''] = formatNanos(billionths).split('.');
  const decimals = fraction.padEnd(minDecimals, '0');
  const wholeGrouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? wholeGrouped : `${wholeGrouped}.${decimals}`;
}
