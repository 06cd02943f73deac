import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';
import type { StoredPrice } from './tables.ts';

export type BookRow = Omit<Selectable<Tables['priceBooks']>, 'prices'> & { prices: StoredPrice[] };
type BookChanges = Partial<Pick<BookRow, 'name' | 'prices' | 'updatedAt' | 'deletedAt'>>;

/** The organization's own books that are not deleted, oldest first. */
export async function findBookRows(db: Database, orgId: string): Promise<BookRow[]> {
  const rows = await db
    .selectFrom('priceBooks')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows as BookRow[];
}

export async function findBookRow(db: Database, orgId: string, id: string): Promise<BookRow | undefined> {
  const row = await db
    .selectFrom('priceBooks')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row as BookRow | undefined;
}

export async function insertBook(tx: Transaction, row: BookRow): Promise<void> {
  await tx
    .insertInto('priceBooks')
    .values({ ...row, prices: JSON.stringify(row.prices) })
    .execute();
}

export async function changeBook(
  tx: Transaction,
  orgId: string,
  id: string,
  { prices, ...changes }: BookChanges,
): Promise<void> {
  await tx
    .updateTable('priceBooks')
    .set({ ...changes, ...(prices && { prices: JSON.stringify(prices) }) })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}
