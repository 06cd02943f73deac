import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { getPriceSettings } from '../../tenancy/organizations/organizations.ts';
import { findBookRow, findBookRows, type BookRow } from './books.queries.ts';
import { shippedBooks, type PriceBook, type DatedPrice } from './priceBook.ts';
import { findBookNames } from './queries.ts';
import { isRunnerKind, runnerKinds, type RunnerKind } from './runnerKind.ts';
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

type Reader = Pick<Context, 'db' | 'actor'>;

/** All books the organization can choose from: first those that come with the program. */
export async function listBooks({ db, actor }: Reader): Promise<Book[]> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const own = await findBookRows(db, actor.orgId);
  return [
    ...shippedBooks.map((book) => shippedView(book, priceBookId)),
    ...own.map((row) => ownView(row, priceBookId)),
  ];
}

/** One of them; throws `not_found`. */
export async function getBook({ db, actor }: Reader, id: string): Promise<Book> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const shipped = shippedBooks.find((book) => book.id === id);
  if (shipped) return shippedView(shipped, priceBookId);
  const row = await findBookRow(db, actor.orgId, id);
  if (!row) throw noSuchBook();
  return ownView(row, priceBookId);
}

/** The prices of a book by its id; null where the organization has no such book. */
export async function findBook(db: Database, orgId: string, id: string): Promise<PriceBook | null> {
  const shipped = shippedBooks.find((book) => book.id === id);
  if (shipped) return shipped;
  const row = await findBookRow(db, orgId, id);
  return row ? readCustomBook(row.id, row.name, row.prices) : null;
}

/** A book of an organization: kinds that it names no price for have none. */
export function readCustomBook(id: string, name: string, prices: readonly StoredPrice[]): PriceBook {
  const byKind = Object.fromEntries(runnerKinds.map((kind) => [kind, [] as DatedPrice[]])) as Record<
    RunnerKind,
    DatedPrice[]
  >;
  const oldestFirst = prices.toSorted((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1));
  for (const { runnerKind, effectiveFrom, nanosPerMinute } of oldestFirst) {
    // A kind of a later version is of no use to this one.
    if (isRunnerKind(runnerKind)) {
      byKind[runnerKind].push({ effectiveFrom, nanosPerMinute: BigInt(nanosPerMinute) });
    }
  }
  return { id, name, prices: byKind };
}

/** What price books are called, by their ids. */
export type BookNames = ReadonlyMap<string, string>;

/** The names of the books that the jobs were priced with, whether they are still there or not. */
export async function nameBooks(
  db: Database,
  orgId: string,
  jobs: readonly { priceBookId: string }[],
): Promise<BookNames> {
  const shipped = new Map(shippedBooks.map(({ id, name }) => [id, name]));
  const others = [...new Set(jobs.map(({ priceBookId }) => priceBookId))].filter((id) => !shipped.has(id));
  const rows = others.length === 0 ? [] : await findBookNames(db, orgId, others);
  return new Map([...shipped, ...rows.map(({ id, name }) => [id, name] as const)]);
}

function shippedView(book: PriceBook, chosenId: string): Book {
  const none = { basedOn: null, createdAt: null, updatedAt: null };
  return { book, isShipped: true, isChosen: book.id === chosenId, ...none };
}

function ownView({ id, name, prices, basedOn, createdAt, updatedAt }: BookRow, chosenId: string): Book {
  const book = readCustomBook(id, name, prices);
  return { book, isShipped: false, isChosen: id === chosenId, basedOn, createdAt, updatedAt };
}

export function noSuchBook(): PublicError {
  const message = 'There is no such price book in this organization.';
  return new PublicError('not_found', 'price_book_not_found', message);
}
