import type { Database } from '../../platform/db/database.ts';
import { readCustomBook } from './books.ts';
import { defaultBook, shippedBooks, type PriceBook } from './priceBook.ts';
import { createPriceList, type PriceList, type PriceRule } from './priceList.ts';
import { findPriceListRow, type PriceListRow, type StoredRule } from './queries.ts';
import { isRunnerKind } from './runnerKind.ts';

/** A price list as JSON, for work that is to go on with the one it began with. */
export type StoredPriceList = PriceListRow;

/** What prices the organization's jobs now: the book it chose, and its rules. */
export async function findPriceList(db: Database, orgId: string): Promise<PriceList> {
  return readPriceList(await findStoredPriceList(db, orgId));
}

/** The same, to be kept. */
export async function findStoredPriceList(db: Database, orgId: string): Promise<StoredPriceList> {
  return (await findPriceListRow(db, orgId)) ?? { priceBookId: defaultBook.id, book: null, rules: [] };
}

export function readPriceList(stored: StoredPriceList): PriceList {
  return createPriceList(bookOf(stored), stored.rules.map(readRule));
}

function bookOf({ priceBookId, book }: StoredPriceList): PriceBook {
  const shipped = shippedBooks.find(({ id }) => id === priceBookId);
  if (shipped) return shipped;
  return book ? readCustomBook(priceBookId, book.name, book.prices) : defaultBook;
}

function readRule({ runnerKind, nanosPerMinute, ...rule }: StoredRule): PriceRule {
  return {
    ...rule,
    runnerKind: runnerKind !== null && isRunnerKind(runnerKind) ? runnerKind : null,
    nanosPerMinute: nanosPerMinute === null ? null : BigInt(nanosPerMinute),
  };
}
