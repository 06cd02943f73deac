import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type SavedViewRow = Selectable<Tables['savedViews']>;

export function findViews(db: Database, orgId: string): Promise<SavedViewRow[]> {
  return db.selectFrom('savedViews').selectAll().where('orgId', '=', orgId).execute();
}

export function findViewToChange(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<SavedViewRow | undefined> {
  return tx
    .selectFrom('savedViews')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function countViewsOf(
  tx: Transaction,
  orgId: string,
  { author, memberId }: Pick<SavedViewRow, 'author' | 'memberId'>,
): Promise<number> {
  const views = tx.selectFrom('savedViews').where('orgId', '=', orgId);
  const ofAuthor =
    memberId === null
      ? views.where('memberId', 'is', null).where('author', '=', author)
      : views.where('memberId', '=', memberId);
  const { count } = await ofAuthor
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertView(tx: Transaction, row: SavedViewRow): Promise<void> {
  await tx.insertInto('savedViews').values(row).execute();
}

export async function replaceView(tx: Transaction, { orgId, id, ...changes }: SavedViewRow): Promise<void> {
  await tx.updateTable('savedViews').set(changes).where('orgId', '=', orgId).where('id', '=', id).execute();
}

export async function removeView(
  tx: Transaction,
  { orgId, id }: Pick<SavedViewRow, 'orgId' | 'id'>,
): Promise<void> {
  await tx.deleteFrom('savedViews').where('orgId', '=', orgId).where('id', '=', id).execute();
}
