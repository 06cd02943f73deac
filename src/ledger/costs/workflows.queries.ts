import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Window } from '../../platform/lib/days.ts';

export type WorkflowTotals = {
  workflowId: string;
  workflowName: string;
  repository: string;
  costNanos: bigint;
  runs: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  durationSeconds: bigint;
};

export type ListedWorkflow = WorkflowTotals & { lastRunAt: Date | null };

function totalsByWorkflow(orgId: string, { start, end }: Window): RawBuilder<unknown> {
  return sql`
    select
      w.id as workflow_id, w.name as workflow_name, w.repository, s.*
    from (
      select
        workflow_id as id,
        sum(cost_nanos)::int8 as cost_nanos,
        sum(runs)::int8 as runs,
        sum(completed_runs)::int8 as completed_runs,
        sum(skipped_runs)::int8 as skipped_runs,
        sum(successful_runs)::int8 as successful_runs,
        sum(duration_seconds)::int8 as duration_seconds
      from workflow_days
      where org_id = ${orgId} and day between ${start} and ${end}
      group by workflow_id
      having sum(runs) > 0 or sum(jobs) > 0
    ) s
    join workflows w on w.org_id = ${orgId} and w.id = s.id
  `;
}

/** Sorts by lowercase text, then by bytes, independent of the database's collation. */
const byName = sql`lower(repository) collate "C", repository collate "C", lower(workflow_name) collate "C", workflow_name collate "C"`;

export async function findTopWorkflows(
  db: Database,
  orgId: string,
  window: Window,
  limit: number,
): Promise<WorkflowTotals[]> {
  const { rows } = await sql<WorkflowTotals>`
    select * from (${totalsByWorkflow(orgId, window)}) t order by cost_nanos desc, ${byName} limit ${limit}
  `.execute(db);
  return rows;
}

type WorkflowSort = 'cost' | 'runs' | 'duration' | 'name' | 'success_rate' | 'last_run';

export type WorkflowConditions = {
  repo: string | undefined;
  search: string | undefined;
  status: string | undefined;
};

export type WorkflowFilter = WorkflowConditions & {
  sortBy: WorkflowSort;
  sortOrder: 'asc' | 'desc';
  limit: number;
  offset: number;
};

const sortKeys: Record<WorkflowSort, RawBuilder<unknown>> = {
  cost: sql`cost_nanos`,
  runs: sql`runs`,
  duration: sql`case when completed_runs = 0 then 0 else (2 * duration_seconds + completed_runs) / (2 * completed_runs) end`,
  name: sql`lower(workflow_name) collate "C"`,
  success_rate: sql`case when completed_runs = skipped_runs then 0 else successful_runs::numeric / (completed_runs - skipped_runs) end`,
  last_run: sql`last_run_at`,
};

export async function findWorkflows(
  db: Database,
  orgId: string,
  window: Window,
  filter: WorkflowFilter,
): Promise<{ workflows: ListedWorkflow[]; total: number }> {
  const listed = sql`
    select t.*, r.created_at as last_run_at
    from (${totalsByWorkflow(orgId, window)}) t
    left join lateral (${latestRun(orgId, window)}) r on true
    where ${conditionsOf(filter)}
  `;
  const direction = filter.sortOrder === 'asc' ? sql`asc nulls first` : sql`desc nulls last`;
  const { rows } = await sql<ListedWorkflow & { total: bigint }>`
    select *, count(*) over () as total from (${listed}) l
    order by ${sortKeys[filter.sortBy]} ${direction}, ${byName}
    limit ${filter.limit} offset ${filter.offset}
  `.execute(db);
  if (rows.length > 0 || filter.offset === 0) return { workflows: rows, total: Number(rows[0]?.total ?? 0n) };
  const counted = await sql<{ total: bigint }>`select count(*) as total from (${listed}) l`.execute(db);
  return { workflows: [], total: Number(counted.rows[0]!.total) };
}

function latestRun(orgId: string, { start, end }: Window): RawBuilder<unknown> {
  return sql`
    select created_at, status, conclusion from runs
    where org_id = ${orgId} and workflow_id = t.workflow_id
      and created_at >= ${startOfDay(start)} and created_at < ${startOfDay(addDays(end, 1))}
    order by created_at desc, id desc
    limit 1
  `;
}

/** Searches with `position`, so that `%` and `_` are literal. */
function conditionsOf({ repo, search, status }: WorkflowConditions): RawBuilder<unknown> {
  const conditions = [sql`true`];
  if (repo !== undefined) {
    conditions.push(sql`lower(${repo}) in (lower(repository), lower(split_part(repository, '/', -1)))`);
  }
  if (search !== undefined) {
    conditions.push(
      sql`(position(lower(${search}) in lower(workflow_name)) > 0 or position(lower(${search}) in lower(repository)) > 0)`,
    );
  }
  if (status !== undefined) conditions.push(sql`${status} in (r.status, r.conclusion)`);
  return sql.join(conditions, sql` and `);
}

export type WorkflowsOverview = {
  workflows: bigint;
  runs: bigint;
  costNanos: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  mostExpensiveWorkflow: string | null;
  mostActiveRepo: string | null;
};

export async function findWorkflowsOverview(
  db: Database,
  orgId: string,
  window: Window,
  conditions: WorkflowConditions,
): Promise<WorkflowsOverview> {
  const { rows } = await sql<WorkflowsOverview>`
    with t as materialized (${matching(orgId, window, conditions)})
    select
      count(*) as workflows,
      coalesce(sum(runs), 0)::int8 as runs,
      coalesce(sum(cost_nanos), 0)::int8 as cost_nanos,
      coalesce(sum(completed_runs), 0)::int8 as completed_runs,
      coalesce(sum(skipped_runs), 0)::int8 as skipped_runs,
      coalesce(sum(successful_runs), 0)::int8 as successful_runs,
      (select workflow_name from t order by cost_nanos desc, ${byName} limit 1) as most_expensive_workflow,
      (
        select min(repository collate "C") from t group by lower(repository)
        order by sum(runs) desc, lower(repository) collate "C" limit 1
      ) as most_active_repo
    from t
  `.execute(db);
  return rows[0]!;
}

/** Rollups have all sums. Only the filter by status reads runs. */
function matching(orgId: string, window: Window, conditions: WorkflowConditions): RawBuilder<unknown> {
  const withLatestRun =
    conditions.status === undefined ? sql`` : sql`left join lateral (${latestRun(orgId, window)}) r on true`;
  return sql`
    select t.* from (${totalsByWorkflow(orgId, window)}) t ${withLatestRun} where ${conditionsOf(conditions)}
  `;
}

export async function findWorkflowIds(
  db: Database,
  orgId: string,
  window: Window,
  conditions: WorkflowConditions,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select workflow_id as id from (${matching(orgId, window, conditions)}) t
  `.execute(db);
  return rows.map(({ id }) => id);
}

export async function findWorkflowNames(
  db: Database,
  orgId: string,
): Promise<Map<string, { name: string; repository: string }>> {
  const workflows = await db
    .selectFrom('workflows')
    .select(['id', 'name', 'repository'])
    .where('orgId', '=', orgId)
    .execute();
  return new Map(workflows.map(({ id, ...names }) => [id, names]));
}
