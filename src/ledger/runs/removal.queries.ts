import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day } from '../../platform/lib/days.ts';

/** Which runs: those that fit everything that is given. Days are those on which a run was created, both included. */
export type RunsToRemove = {
  ids?: string[];
  provider?: string;
  workflowIds?: string[];
  from?: Day;
  to?: Day;
};

export type RemovalCount = { runs: number; jobs: number; costNanos: bigint };

/** How many runs it is about, with how many jobs, and what they cost. */
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

/** The first `limit` of them, oldest first, each with how many jobs it has. */
export async function findRunsToRemove(
  db: Database,
  orgId: string,
  which: RunsToRemove,
  limit: number,
): Promise<{ id: string; jobs: number }[]> {
  const { rows } = await sql<{ id: string; jobs: bigint }>`
    select chosen.id, (select count(*) from jobs where org_id = ${orgId} and run_id = chosen.id) as jobs
    from (
      select id, created_at from runs where ${conditionsOf(orgId, which)}
      order by created_at, id
      limit ${limit}
    ) chosen
    order by chosen.created_at, chosen.id
  `.execute(db);
  return rows.map(({ id, jobs }) => ({ id, jobs: Number(jobs) }));
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

/** All that the organization's rollups count. */
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
