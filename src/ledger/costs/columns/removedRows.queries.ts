import { sql } from 'kysely';
import type { Transaction } from '../../../platform/db/database.ts';
import { unnestRows } from '../../../platform/db/unnestRows.ts';
import { utcDay } from '../../../platform/db/utcDay.ts';
import type { Day } from '../../../platform/lib/days.ts';
import { placeColumn, type RowKind } from './dayColumns.queries.ts';

/** A part without one of the columns is older than that column. Without names, only the positions are read. */
export type RemovedColumn = {
  day: Day;
  part: number;
  rows: number;
  places: Buffer;
  name: string | null;
  data: Buffer | null;
};

export async function findRemovedColumns(
  tx: Transaction,
  orgId: string,
  { rowKind, names, days }: { rowKind: RowKind; names: readonly string[]; days: readonly Day[] },
): Promise<RemovedColumn[]> {
  if (days.length === 0) return [];
  const { rows } = await sql<RemovedColumn>`
    select p.day, p.part, p.rows, p.data as places, k.name, k.data
    from kept_columns p
    left join kept_columns k on k.org_id = p.org_id and k.facts = p.facts and k.day = p.day and k.part = p.part
      and k.name = any(${[...names]}::text[])
    where p.org_id = ${orgId} and p.facts = ${rowKind} and p.day = any(${[...days]}::date[]) and p.name = ${placeColumn}
    order by p.day, p.part
  `.execute(tx);
  return rows;
}

export async function addRemovedColumns(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  { day, rows, columns }: { day: Day; rows: number; columns: ReadonlyMap<string, Buffer> },
): Promise<void> {
  const parts = await sql<{ next: number }>`
    select coalesce(max(part), 0) + 1 as next from kept_columns
    where org_id = ${orgId} and facts = ${rowKind} and day = ${day}
  `.execute(tx);
  const part = parts.rows[0]!.next;
  const added = [...columns].map(([name, data]) => ({ facts: rowKind, day, part, name, rows, data }));
  const types = {
    facts: 'text',
    day: 'date',
    part: 'integer',
    name: 'text',
    rows: 'integer',
    data: 'bytea',
  } as const;
  await sql`
    insert into kept_columns (org_id, facts, day, part, name, rows, data) ${unnestRows(orgId, added, types)}
  `.execute(tx);
}

/**
 * Removes the columns of the days of these runs. Call it before deleting the runs: it locks the days, so that nobody
 * saves outdated columns until the deletion ends.
 */
export async function removeColumns(
  tx: Transaction,
  orgId: string,
  runIds: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ day: Day }>`
    select day from organization_days where org_id = ${orgId} and day in (
      select ${utcDay(sql`completed_at`)} from jobs where org_id = ${orgId} and run_id = any(${runIds}::text[])
      union
      select ${utcDay(sql`created_at`)} from runs where org_id = ${orgId} and id = any(${runIds}::text[])
    )
    order by day
    for update
  `.execute(tx);
  const days = rows.map(({ day }) => day);
  await sql`delete from day_columns where org_id = ${orgId} and day = any(${days}::date[])`.execute(tx);
}
