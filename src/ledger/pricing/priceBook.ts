import type { Day } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import { parseUsd, type Nanos } from '../../platform/lib/money.ts';
import type { LaterRates, StoredPrice } from './tables.ts';

export type PriceBook = {
  id: string;
  name: string;
  /** By runner kind, oldest price first. */
  prices: Readonly<Record<string, readonly DatedPrice[]>>;
  /** Set if a published list has been replaced: its last day, and the shipped list that replaces it. */
  end?: { lastDay: Day; nextBookId: string };
  /** Whether it has each price of its provider's lists from the day it took effect. */
  isByDate?: true;
};

export type DatedPrice = { effectiveFrom: Day; nanosPerMinute: Nanos };

export function priceAt(book: PriceBook, kind: string, day: Day): DatedPrice | null {
  return priceOn(book.prices[kind] ?? [], day);
}

/** The last price that starts on the day or before it. */
export function priceOn(prices: readonly DatedPrice[], day: Day): DatedPrice | null {
  return prices.findLast(({ effectiveFrom }) => effectiveFrom <= day) ?? null;
}

/** Oldest first. */
export function readLaterRates(stored: LaterRates | null): DatedPrice[] {
  return Object.entries(stored ?? {})
    .map(([effectiveFrom, nanos]) => ({ effectiveFrom, nanosPerMinute: BigInt(nanos) }))
    .toSorted((a, b) => compare(a.effectiveFrom, b.effectiveFrom));
}

export function storedLaterRates(rates: readonly DatedPrice[]): LaterRates | null {
  if (rates.length === 0) return null;
  return Object.fromEntries(
    rates.map(({ effectiveFrom, nanosPerMinute }) => [effectiveFrom, String(nanosPerMinute)]),
  );
}

export const defaultBookId = 'github_2025';

/** In US dollars per minute. With higher prices, sums could exceed their column. */
export const maxRate = 100;
export const maxLaterRates = 100;

export const beginning: Day = '1970-01-01';

export function always(dollars: string): readonly DatedPrice[] {
  return [{ effectiveFrom: beginning, nanosPerMinute: parseUsd(dollars) }];
}

export function readCustomBook(
  { id, name, prices }: { id: string; name: string; prices: readonly StoredPrice[] },
  kinds: readonly string[],
): PriceBook {
  // Ignores runner kinds that a later version added.
  const byKind = Map.groupBy(prices, ({ runnerKind }) => runnerKind);
  const datedPrices = (kind: string) =>
    (byKind.get(kind) ?? [])
      .toSorted((a, b) => compare(a.effectiveFrom, b.effectiveFrom))
      .map(({ effectiveFrom, nanosPerMinute }) => ({
        effectiveFrom,
        nanosPerMinute: BigInt(nanosPerMinute),
      }));
  return { id, name, prices: Object.fromEntries(kinds.map((kind) => [kind, datedPrices(kind)])) };
}
