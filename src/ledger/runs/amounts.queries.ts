import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { plannedEachTime } from '../../platform/db/prepared.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import type { StoredAmount } from './tables.ts';

/** Replaces what an earlier report of the same attempt and key said; no amounts remove it. */
export type AmountsReport = AmountsKey & { amounts: StoredAmount[] };
export type AmountsKey = { runId: string; attempt: number; key: string };

const columns = { runId: 'text', attempt: 'integer', key: 'text', amounts: 'jsonb' } as const;

/** The reports that would be more than this many of their run. */
export async function findExcess(
  db: Database,
  orgId: string,
  reports: readonly AmountsReport[],
  max: number,
): Promise<AmountsKey[]> {
  const { rows } = await sql<AmountsKey>`
    select run_id, attempt, key from (
      select row.*, row_number() over (partition by row.run_id order by row.attempt, row.key) as place
      from ${unnested(reports, columns)}
      where row.amounts <> '[]' and not exists (
        select from run_amounts a
        where a.org_id = ${orgId} and a.run_id = row.run_id and a.attempt = row.attempt and a.key = row.key
      )
    ) added
    where place + (select count(*) from run_amounts a where a.org_id = ${orgId} and a.run_id = added.run_id) > ${max}
  `.execute(db);
  return rows;
}

/** Returns how many of the reports are of recorded runs. Others are not stored. */
export async function mergeAmounts(
  tx: Transaction,
  orgId: string,
  reports: readonly AmountsReport[],
  now: Date,
): Promise<number> {
  const { rows } = await sql`
    insert into run_amounts
      (org_id, run_id, attempt, key, day, provider, repository, workflow_id, amounts, reported_at)
    select r.org_id, r.id, row.attempt, row.key, ${utcDay(sql`r.created_at`)}, r.provider, r.repository, r.workflow_id,
      row.amounts::jsonb, ${now}
    from ${unnested(reports, columns)} join runs r on r.org_id = ${orgId} and r.id = row.run_id
    -- Always in the same order, so that two reports of the same runs never deadlock.
    order by row.run_id, row.attempt, row.key
    on conflict (org_id, run_id, attempt, key) do update set
      day = excluded.day, repository = excluded.repository, workflow_id = excluded.workflow_id,
      amounts = excluded.amounts, reported_at = excluded.reported_at
    returning run_id
  `.execute(tx);
  const emptied = reports.filter(({ amounts }) => amounts.length === 0).map(({ runId }) => runId);
  if (emptied.length > 0)
    await sql`
      delete from run_amounts
      where org_id = ${orgId} and run_id = any(${emptied}::text[]) and amounts = '[]'::jsonb
    `.execute(tx);
  return rows.length;
}

/** A later report can say that a run was created on another day. */
export const moveAmounts = plannedEachTime(
  (orgId: string, runIds: readonly string[]) => sql`
    update run_amounts a set day = ${utcDay(sql`r.created_at`)}, repository = r.repository, workflow_id = r.workflow_id
    from runs r
    where a.org_id = ${orgId} and a.run_id = any(${runIds}::text[]) and r.org_id = a.org_id and r.id = a.run_id
  `,
);

export async function findAmountsOfRuns(
  db: Database,
  orgId: string,
  runIds: readonly string[],
): Promise<StoredAmount[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<{ amounts: StoredAmount[] }>`
    select amounts from run_amounts
    where org_id = ${orgId} and run_id = any(${[...runIds]}::text[])
    order by run_id, attempt, key
  `.execute(db);
  return rows.flatMap(({ amounts }) => amounts);
}
