import type { Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { readCustomBook } from './books.ts';
import { defaultBookId, type PriceBook } from './priceBook.ts';
import { createPriceList, type PriceList, type PriceRule } from './priceList.ts';
import type { Providers } from './provider.ts';
import { findPriceListRow, type PriceListRow, type StoredRule } from './queries.ts';

/** A price list as JSON, for work that is to go on with the one it began with. */
export type StoredPriceList = PriceListRow;

/** What prices the organization's jobs now: the book it chose, and its rules. */
export async function findPriceList(
  { db, providers }: Pick<Program, 'db' | 'providers'>,
  orgId: string,
): Promise<PriceList> {
  return readPriceList(await findStoredPriceList(db, orgId), providers);
}

/** The same, to be kept. */
export async function findStoredPriceList(db: Database, orgId: string): Promise<StoredPriceList> {
  return (await findPriceListRow(db, orgId)) ?? { priceBookId: defaultBookId, book: null, rules: [] };
}

export function readPriceList(stored: StoredPriceList, providers: Providers): PriceList {
  const rules = stored.rules.map((rule) => readRule(rule, providers));
  return createPriceList(bookOf(stored, providers), rules, providers);
}

function bookOf({ priceBookId: id, book }: StoredPriceList, { books, kindIds }: Providers): PriceBook {
  const shipped = books.find((each) => each.id === id);
  if (shipped) return shipped;
  return book ? readCustomBook({ ...book, id }, kindIds) : books[0]!;
}

function readRule({ runnerKind, nanosPerMinute, ...rule }: StoredRule, providers: Providers): PriceRule {
  return {
    ...rule,
    runnerKind: knownKind(runnerKind, providers),
    nanosPerMinute: nanosPerMinute === null ? null : BigInt(nanosPerMinute),
  };
}

/** Null for none, and for one of a later version of the program. */
export function knownKind(id: string | null, providers: Providers): string | null {
  return id === null ? null : (providers.kind(id)?.id ?? null);
}
