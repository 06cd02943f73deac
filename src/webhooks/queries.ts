import type { Insertable } from 'kysely';
import type { Transaction } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

export async function insertEvent(tx: Transaction, row: Insertable<Tables['events']>): Promise<void> {
  await tx.insertInto('events').values(row).execute();
}
