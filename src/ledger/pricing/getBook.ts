import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { getPriceSettings } from '../../tenancy/organizations/organizations.ts';
import { findBookRow, findBookRows, type BookRow } from './books.queries.ts';
import { readCustomBook } from './customBook.ts';
import { shippedBooks, type PriceBook } from './priceBook.ts';

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
