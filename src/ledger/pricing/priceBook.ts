import type { Day } from '../../platform/lib/days.ts';
import { parseUsd, type Nanos } from '../../platform/lib/money.ts';
import type { StoredPrice } from './tables.ts';

/** Prices per minute, in nano-dollars, each with the day from which it holds. */
export type PriceBook = {
  /** Stored with each job that is priced with the book. */
  id: string;
  /** As receipts show it. */
  name: string;
  /** By kind of runner, the oldest price first. */
  prices: Readonly<Record<string, readonly DatedPrice[]>>;
  /** The last day of a published list that has been replaced, and the shipped book to use since. */
  end?: { lastDay: Day; nextBookId: string };
};

export type DatedPrice = { effectiveFrom: Day; nanosPerMinute: Nanos };

/** The price of a kind of runner on a day; null for days before the book's first price of it. */
export function priceAt(book: PriceBook, kind: string, day: Day): DatedPrice | null {
  return book.prices[kind]?.findLast(({ effectiveFrom }) => effectiveFrom <= day) ?? null;
}

/** The book of an organization that has chosen none, as the database has it. */
export const defaultBookId = 'github_2025';

/** US dollars a minute that no price exceeds: sums of what is dearer could become too large to be kept. */
export const highestRate = 100;

/** Early enough for every job there is: the book is meant for all of history. */
export const beginning: Day = '1970-01-01';

/** A price that holds for all of history, from dollars per minute. */
export function always(dollars: string): readonly DatedPrice[] {
  return [{ effectiveFrom: beginning, nanosPerMinute: parseUsd(dollars) }];
}

/** A book of an organization: kinds that it names no price for have none. `kinds` are all, in the order of the book. */
export function readCustomBook(
  { id, name, prices }: { id: string; name: string; prices: readonly StoredPrice[] },
  kinds: readonly string[],
): PriceBook {
  // A kind of a later version is of no use to this one, so only those that are known are looked up.
  const byKind = Map.groupBy(prices, ({ runnerKind }) => runnerKind);
  const datedPrices = (kind: string) =>
    (byKind.get(kind) ?? [])
      .toSorted((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1))
      .map(({ effectiveFrom, nanosPerMinute }) => ({
        effectiveFrom,
        nanosPerMinute: BigInt(nanosPerMinute),
      }));
  return { id, name, prices: Object.fromEntries(kinds.map((kind) => [kind, datedPrices(kind)])) };
}
