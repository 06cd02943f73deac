import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { getPriceSettings } from '../../tenancy/organizations/organizations.ts';
import { findBookRow, findBookRows, type BookRow } from './books.queries.ts';
import type { PriceBook } from './priceBook.ts';
import type { Providers } from './provider.ts';
import { findBookNames } from './queries.ts';
import type { StoredPrice } from './tables.ts';

/** A price book as people see it: one that comes with the program, or the organization's own. */
export type Book = {
  book: PriceBook;
  isShipped: boolean;
  /** Whether it prices the jobs that come now. */
  isChosen: boolean;
  basedOn: string | null;
  createdAt: Date | null;
  updatedAt: Date | null;
};

type Reader = Pick<Context, 'db' | 'actor' | 'providers'>;

/** All books the organization can choose from: first those that come with the program. */
export async function listBooks({ db, actor, providers }: Reader): Promise<Book[]> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const own = await findBookRows(db, actor.orgId);
  return [
    ...providers.books.map((book) => shippedView(book, priceBookId)),
    ...own.map((row) => ownView(row, priceBookId, providers)),
  ];
}

/** One of them; throws `not_found`. */
export async function getBook({ db, actor, providers }: Reader, id: string): Promise<Book> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const shipped = providers.books.find((book) => book.id === id);
  if (shipped) return shippedView(shipped, priceBookId);
  const row = await findBookRow(db, actor.orgId, id);
  if (!row) throw noSuchBook();
  return ownView(row, priceBookId, providers);
}

/** The prices of a book by its id; null where the organization has no such book. */
export async function findBook(
  { db, providers }: Pick<Context, 'db' | 'providers'>,
  orgId: string,
  id: string,
): Promise<PriceBook | null> {
  const shipped = providers.books.find((book) => book.id === id);
  if (shipped) return shipped;
  const row = await findBookRow(db, orgId, id);
  return row ? readCustomBook(row, providers.kindIds) : null;
}

function shippedView(book: PriceBook, chosenId: string): Book {
  const none = { basedOn: null, createdAt: null, updatedAt: null };
  return { book, isShipped: true, isChosen: book.id === chosenId, ...none };
}

function ownView(row: BookRow, chosenId: string, { kindIds }: Providers): Book {
  const { id, basedOn, createdAt, updatedAt } = row;
  const book = readCustomBook(row, kindIds);
  return { book, isShipped: false, isChosen: id === chosenId, basedOn, createdAt, updatedAt };
}

export function noSuchBook(): PublicError {
  const message = 'There is no such price book in this organization.';
  return new PublicError('not_found', 'price_book_not_found', message);
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

/** What price books are called, by their ids. */
export type BookNames = ReadonlyMap<string, string>;

/** The names of the books that the jobs were priced with, whether they are still there or not. */
export async function nameBooks(
  { db, providers }: { db: Database; providers: Providers },
  orgId: string,
  jobs: readonly { priceBookId: string }[],
): Promise<BookNames> {
  const shipped = new Map(providers.books.map(({ id, name }) => [id, name]));
  const others = [...new Set(jobs.map(({ priceBookId }) => priceBookId))].filter((id) => !shipped.has(id));
  const rows = others.length === 0 ? [] : await findBookNames(db, orgId, others);
  return new Map([...shipped, ...rows.map(({ id, name }) => [id, name] as const)]);
}
