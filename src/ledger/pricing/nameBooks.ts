import type { Database } from '../../platform/db/database.ts';
import { shippedBooks } from './priceBook.ts';
import { findBookNames } from './queries.ts';

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
