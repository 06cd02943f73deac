import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnested, type Columns } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import { addDays, startOfDay, type Day } from '../../platform/lib/days.ts';
import type { RollupChanges } from './contributions.ts';
import type { StoredRun } from './history.ts';
import {
  addToRollups,
  chargeDaysTable,
  organizationDaysTable,
  runnerDaysTable,
  unpricedDaysTable,
  workflowDaysTable,
} from './queries.ts';
import type { RecordedTable } from './upserts.queries.ts';

export type RunsToRemove = {
  ids?: string[];
  provider?: string;
  workflowIds?: string[];
  from?: Day;
  to?: Day;
};

type RemovalCount = { runs: number; jobs: number; costNanos: bigint };

export async function countRunsToRemove(
  db: Database,
  orgId: string,
  which: RunsToRemove,
): Promise<RemovalCount> {
  const { rows } = await sql<{ runs: bigint; jobs: bigint; costNanos: bigint }>`
    with chosen as materialized (select id, cost_nanos from runs where ${conditionsOf(orgId, which)})
    select count(*) as runs, coalesce(sum(cost_nanos), 0)::int8 as cost_nanos,
      (select count(*) from jobs where org_id = ${orgId} and run_id in (select id from chosen)) as jobs
    from chosen
  `.execute(db);
  const { runs, jobs, costNanos } = rows[0]!;
  return { runs: Number(runs), jobs: Number(jobs), costNanos };
}

export async function findRunIds(db: Database, orgId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('orgId', '=', orgId)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findRunsToRemove(
  db: Database,
  orgId: string,
  which: RunsToRemove,
  limit: number,
): Promise<{ id: string; day: Day; jobs: number }[]> {
  const { rows } = await sql<{ id: string; day: Day; jobs: bigint }>`
    select chosen.id, ${utcDay(sql`chosen.created_at`)} as day, (select count(*) from jobs where org_id = ${orgId} and run_id = chosen.id) as jobs
    from (
      select id, created_at from runs where ${conditionsOf(orgId, which)}
      order by created_at, id
      limit ${limit}
    ) chosen
    order by chosen.created_at, chosen.id
  `.execute(db);
  return rows.map(({ id, day, jobs }) => ({ id, day, jobs: Number(jobs) }));
}

function conditionsOf(
  orgId: string,
  { ids, provider, workflowIds, from, to }: RunsToRemove,
): RawBuilder<unknown> {
  const conditions = [sql`org_id = ${orgId}`];
  if (ids !== undefined) conditions.push(sql`id = any(${ids}::text[])`);
  if (provider !== undefined) conditions.push(sql`provider = ${provider}`);
  if (workflowIds !== undefined) conditions.push(sql`workflow_id = any(${workflowIds}::text[])`);
  if (from !== undefined) conditions.push(sql`created_at >= ${startOfDay(from)}`);
  if (to !== undefined) conditions.push(sql`created_at < ${startOfDay(addDays(to, 1))}`);
  return sql.join(conditions, sql` and `);
}

export async function sumOrganizationDays(
  db: Database,
  orgId: string,
): Promise<{ runs: bigint; jobs: bigint; costNanos: bigint }> {
  const { rows } = await sql<{ runs: bigint; jobs: bigint; costNanos: bigint }>`
    select coalesce(sum(runs), 0)::int8 as runs, coalesce(sum(jobs), 0)::int8 as jobs,
      coalesce(sum(cost_nanos), 0)::int8 as cost_nanos
    from organization_days where org_id = ${orgId}
  `.execute(db);
  return rows[0]!;
}

export async function deleteStoredRuns(
  tx: Transaction,
  orgId: string,
  { ids, rollups }: { ids: string[]; rollups: RollupChanges },
): Promise<void> {
  await addToRollups(tx, orgId, rollups);
  await removeEmptySums(tx, orgId, workflowDaysTable, rollups.workflowDays);
  await removeEmptySums(tx, orgId, organizationDaysTable, rollups.organizationDays);
  await removeEmptySums(tx, orgId, unpricedDaysTable, rollups.unpricedDays);
  await removeEmptySums(tx, orgId, runnerDaysTable, rollups.runnerDays);
  await removeEmptySums(tx, orgId, chargeDaysTable, rollups.chargeDays);
  await tx.deleteFrom('jobs').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runAmounts').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runCompletions').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runs').where('orgId', '=', orgId).where('id', 'in', ids).execute();
}

async function removeEmptySums<Row extends object>(
  tx: Transaction,
  orgId: string,
  table: RecordedTable<Row>,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const isKey = (name: string) => (table.key as readonly string[]).includes(name);
  const columns = Object.entries<Columns[string]>(table.columns);
  const keyColumns = Object.fromEntries(columns.filter(([name]) => isKey(name)));
  const keys = Object.keys(keyColumns).map((name) => sql.ref(name));
  const isEmpty = columns.filter(([, type]) => type === 'bigint').map(([name]) => sql`${sql.ref(name)} = 0`);
  await sql`
    delete from ${sql.table(table.name)}
    where org_id = ${orgId} and (${sql.join(keys)}) in (select * from ${unnested(rows, keyColumns)})
      and ${sql.join(isEmpty, sql` and `)}
  `.execute(tx);
}

/**
 * Deletes workflows that one of the deleted runs may have named, and returns the latest remaining run of each, to
 * name it again. Workflows without runs stay deleted.
 */
export async function unnameWorkflows(
  tx: Transaction,
  orgId: string,
  gone: Pick<StoredRun, 'workflowId' | 'createdAt'>[],
): Promise<StoredRun[]> {
  const { rows } = await sql<StoredRun & { orgId: string }>`
    with unnamed as (
      delete from workflows w
      using ${unnested(gone, { workflowId: 'text', createdAt: 'timestamptz' })}
      where w.org_id = ${orgId} and w.id = row.workflow_id
        and (w.named_at <= row.created_at or not exists (
          select from runs where org_id = ${orgId} and workflow_id = w.id
        ))
        -- Removed runs left costs under this name.
        and (exists (select from runs where org_id = ${orgId} and workflow_id = w.id) or not exists (
          select from workflow_days where org_id = ${orgId} and workflow_id = w.id
        ))
      returning w.id
    )
    select latest.* from unnamed
    cross join lateral (
      select * from runs where org_id = ${orgId} and workflow_id = unnamed.id
      order by created_at desc
      fetch first 1 rows with ties
    ) latest
  `.execute(tx);
  return rows.map(({ orgId: _, ...run }) => run);
}
