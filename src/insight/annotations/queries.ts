import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export type NoteRow = Selectable<Tables['annotations']>;

/** Notes that cover any of the days, earliest first. */
export function findNotes(
  db: Database,
  orgId: string,
  { start, end }: { start: Day; end: Day },
): Promise<NoteRow[]> {
  return db
    .selectFrom('annotations')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('startDay', '<=', end)
    .where('endDay', '>=', start)
    .orderBy('startDay')
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function findNoteToChange(tx: Transaction, orgId: string, id: string): Promise<NoteRow | undefined> {
  return tx
    .selectFrom('annotations')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function countNotes(tx: Transaction, orgId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('annotations')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertNote(tx: Transaction, row: NoteRow): Promise<void> {
  await tx
    .insertInto('annotations')
    .values({ ...row, scope: scopeText(row) })
    .execute();
}

export async function replaceNote(tx: Transaction, { orgId, id, ...changes }: NoteRow): Promise<void> {
  await tx
    .updateTable('annotations')
    .set({ ...changes, scope: scopeText(changes) })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

function scopeText({ scope }: Pick<NoteRow, 'scope'>): string | null {
  return scope && JSON.stringify(scope);
}

export async function removeNote(
  tx: Transaction,
  { orgId, id }: Pick<NoteRow, 'orgId' | 'id'>,
): Promise<void> {
  await tx.deleteFrom('annotations').where('orgId', '=', orgId).where('id', '=', id).execute();
}
