import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export const noteRows = rowsIn('annotations');

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

export async function insertNote(tx: Transaction, row: NoteRow): Promise<void> {
  await noteRows.insert(tx, { ...row, scope: scopeText(row) });
}

export async function replaceNote(tx: Transaction, row: NoteRow): Promise<void> {
  await noteRows.change(tx, row, { ...row, scope: scopeText(row) });
}

function scopeText({ scope }: Pick<NoteRow, 'scope'>): string | null {
  return scope && JSON.stringify(scope);
}
