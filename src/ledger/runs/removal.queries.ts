import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import { startOfDay, type Day } from '../../platform/lib/days.ts';

export async function findRemovedIds(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from removed_runs where org_id = ${orgId} and id = any(${[...ids]}::text[])
  `.execute(tx);
  return rows.map(({ id }) => id);
}

export async function countRunsBefore(db: Database, orgId: string, day: Day): Promise<number> {
  const { rows } = await sql<{ runs: bigint }>`
    select count(*) as runs from runs where org_id = ${orgId} and created_at < ${startOfDay(day)}
  `.execute(db);
  return Number(rows[0]!.runs);
}

export async function hasRunsBefore(db: Database, orgId: string, day: Day): Promise<boolean> {
  const { rows } = await sql`
    select from runs where org_id = ${orgId} and created_at < ${startOfDay(day)} limit 1
  `.execute(db);
  return rows.length > 0;
}

/** The sums of their days stay. */
export async function removeRunRows(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  await sql`
    insert into removed_runs (org_id, id)
    ${unnestRows(
      orgId,
      ids.map((id) => ({ id })),
      { id: 'text' },
    )}
  `.execute(tx);
  await tx.deleteFrom('jobs').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runCompletions').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runs').where('orgId', '=', orgId).where('id', 'in', ids).execute();
}
