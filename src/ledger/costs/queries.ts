import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

export type DayTotals = { day: Day; costNanos: bigint; runs: bigint };

/** Cost and runs of the organization on each day of the window that has any. */
export function findDayTotals(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayTotals[]> {
  return db
    .selectFrom('organizationDays')
    .select(['day', 'costNanos', 'runs'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .orderBy('day')
    .execute();
}

/** The organization's first day with a run or a cost. */
export async function findFirstDay(db: Database, orgId: string): Promise<Day | null> {
  const first = await db
    .selectFrom('organizationDays')
    .select('day')
    .where('orgId', '=', orgId)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  return first?.day ?? null;
}

export type RunnerUse = {
  workflowId: string;
  workflowName: string;
  repository: string;
  runnerKind: string;
  jobs: bigint;
  minutes: bigint;
  costNanos: bigint;
};

/** Sums per workflow and kind of runner over all days of the windows, and over those parts of days. */
export async function findRunnerUse(
  db: Database,
  orgId: string,
  windows: readonly Window[],
  parts: readonly PartOfDay[],
): Promise<RunnerUse[]> {
  const inWindows = windows.map(({ start, end }) => sql`day between ${start} and ${end}`);
  const { rows } = await sql<RunnerUse>`
    select s.*, w.name as workflow_name, w.repository
    from (
      select workflow_id, runner_kind,
        sum(jobs)::int8 as jobs, sum(minutes)::int8 as minutes, sum(cost_nanos)::int8 as cost_nanos
      from (
        select workflow_id, runner_kind, jobs, minutes, cost_nanos
        from runner_days
        where org_id = ${orgId} and (${sql.join([sql`false`, ...inWindows], sql` or `)})
        union all
        select r.workflow_id, coalesce(j.runner_kind, 'unpriced'), 1, j.billed_minutes, j.cost_nanos
        from ${jobsOfParts(orgId, parts)}
        join runs r on r.org_id = ${orgId} and r.id = j.run_id
      ) u
      group by workflow_id, runner_kind
    ) s
    join workflows w on w.org_id = ${orgId} and w.id = s.workflow_id
  `.execute(db);
  return rows;
}

/** From midnight until a moment of the day, which belongs to it. */
export type PartOfDay = { day: Day; until: Date };

/** What the parts of days cost; those without a job that ended in them are left out. */
export async function findPartCosts(
  db: Database,
  orgId: string,
  parts: readonly PartOfDay[],
): Promise<Pick<DayTotals, 'day' | 'costNanos'>[]> {
  const { rows } = await sql<Pick<DayTotals, 'day' | 'costNanos'>>`
    select p.day, sum(j.cost_nanos)::int8 as cost_nanos
    from ${jobsOfParts(orgId, parts)}
    group by p.day
  `.execute(db);
  return rows;
}

/** Paid jobs `j` of the parts of days `p`: lateral, so that the index of completions is read part by part. */
function jobsOfParts(orgId: string, parts: readonly PartOfDay[]): RawBuilder<unknown> {
  const days = parts.map(({ day }) => day);
  return sql`
    unnest(${days}::date[], ${days.map(startOfDay)}::timestamptz[], ${parts.map(({ until }) => until)}::timestamptz[])
      as p (day, since, until)
    cross join lateral (
      select run_id, runner_kind, billed_minutes, cost_nanos from jobs
      where org_id = ${orgId} and completed_at >= p.since and completed_at <= p.until
        and status = 'completed' and not is_carried_over
    ) j`;
}

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

/** Sums per workflow of the window; a workflow with neither runs nor jobs in it is left out. */
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

/** Names compare by letter without case, then by byte, whatever the database's own collation is. */
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

/** Which workflows; without any of them, all. */
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

/** A page of the workflows that fit the filter, and how many fit it in all. */
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

/** That of the workflow `t` in the window. */
function latestRun(orgId: string, { start, end }: Window): RawBuilder<unknown> {
  return sql`
    select created_at, status, conclusion from runs
    where org_id = ${orgId} and workflow_id = t.workflow_id
      and created_at >= ${startOfDay(start)} and created_at < ${startOfDay(addDays(end, 1))}
    order by created_at desc, id desc
    limit 1
  `;
}

/** Text is compared by position, so that `%` and `_` mean themselves. */
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
  // The rollups alone have the sums; only a status takes a look at runs.
  const withLatestRun =
    conditions.status === undefined ? sql`` : sql`left join lateral (${latestRun(orgId, window)}) r on true`;
  const { rows } = await sql<WorkflowsOverview>`
    with t as materialized (
      select t.* from (${totalsByWorkflow(orgId, window)}) t ${withLatestRun} where ${conditionsOf(conditions)}
    )
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

export type RecentRun = {
  id: string;
  workflowId: string;
  workflowName: string;
  repository: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  costNanos: bigint;
  durationSeconds: number;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
};

/** The runs created last since `start`, newest first. */
export function findRecentRuns(db: Database, orgId: string, start: Day, limit: number): Promise<RecentRun[]> {
  return db
    .selectFrom('runs')
    .innerJoin('workflows', (join) =>
      join.onRef('workflows.orgId', '=', 'runs.orgId').onRef('workflows.id', '=', 'runs.workflowId'),
    )
    .select((run) => [
      'runs.id',
      'runs.workflowId',
      run.fn.coalesce('runs.workflowName', 'workflows.name').as('workflowName'),
      'runs.repository',
      'runs.status',
      'runs.conclusion',
      'runs.costNanos',
      'runs.durationSeconds',
      'runs.createdAt',
      'runs.startedAt',
      'runs.completedAt',
    ])
    .where('runs.orgId', '=', orgId)
    .where('runs.createdAt', '>=', startOfDay(start))
    .orderBy('runs.createdAt', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute();
}
