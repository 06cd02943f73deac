import { dollars, usd, withMinus } from '../../../ui/figures.ts';

const exact = usd({ minimumFractionDigits: 3, maximumFractionDigits: 9 });

/** US dollars with all digits, so that a column can be added up by hand. */
export function receiptDollars(amount: number): string {
  return amount === 0 ? dollars(0) : withMinus(exact.format(amount));
}

const nanosPerDollar = 1_000_000_000;

/** The exact sum of amounts in US dollars, to nine decimals. */
export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((nanos, amount) => nanos + Math.round(amount * nanosPerDollar), 0) / nanosPerDollar;
}
