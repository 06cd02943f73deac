import type { Day } from '../../platform/lib/days.ts';
import { parseUsd, type Nanos } from '../../platform/lib/money.ts';

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
