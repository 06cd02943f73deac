import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import type { Day, TimeSlice } from '../../platform/lib/days.ts';

/** A job over its time limit is billed by whole minutes. */
const billedSeconds = sql`least(ceil(extract(epoch from j.completed_at - j.started_at)), j.billed_minutes * 60)`;

export type KnownWorkflow = { id: string; provider: string; firstRunAt: Date };

/** The repository's workflows that have runs of the provider or of its self-hosted servers. */
export async function findRepositoryWorkflows(
  db: Database,
  orgId: string,
  { repository, provider }: { repository: string; provider: string },
): Promise<KnownWorkflow[]> {
  const { rows } = await sql<KnownWorkflow>`
    select w.id, first.provider, first.created_at as first_run_at
    from workflows w
    cross join lateral (
      select provider, created_at from runs
      where org_id = ${orgId} and workflow_id = w.id
      order by created_at
      limit 1
    ) first
    where w.org_id = ${orgId} and lower(w.repository) = lower(${repository})
      and split_part(first.provider, '.', 1) = ${provider}
  `.execute(db);
  return rows;
}

const maxNames = 2_000;

/** All repositories of the organization, to suggest one for a mistyped name. */
export async function findRepositoryNames(db: Database, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select distinct repository from workflows where org_id = ${orgId} order by repository limit ${maxNames}
  `.execute(db);
  return rows.map(({ repository }) => repository);
}

type OfDay = {
  day: Day;
  /** A copy for a day that is left out, which is no recorded one. */
  isStandIn?: true;
};

type OfWorkflow = OfDay & {
  workflowId: string;
  workflowPath: string | null;
  workflowName: string | null;
  event: string | null;
};

/** Similar billed jobs of one day. */
export type JobCell = OfWorkflow & {
  /** The day of the cost. `day` is that of the run's start. */
  costDay: Day;
  name: string;
  labels: string[];
  runnerGroup: string | null;
  runnerKind: string | null;
  rounding: 'minute' | 'second';
  jobs: number;
  /** The number of these jobs from later attempts. */
  repeatedJobs: number;
  minutes: bigint;
  seconds: bigint;
};

export type RunCell = OfWorkflow & { runs: number };

export type StartCell = OfDay & { event: string; branch: string | null; starts: number };

type Asked = { slice: TimeSlice; workflowIds: readonly string[] };

/** Groups of completed jobs, from runs that were created in the slice. */
export async function findJobCells(
  db: Database,
  orgId: string,
  { slice, workflowIds }: Asked,
): Promise<JobCell[]> {
  const { rows } = await sql<JobCell>`
    with run as materialized (
      select id, ${utcDay(sql`created_at`)} as day, workflow_id, workflow_path, workflow_name, event
      from runs
      where org_id = ${orgId} and workflow_id = any(${workflowIds}::text[])
        and created_at >= ${slice.from} and created_at < ${slice.until}
    )
    select r.day, ${utcDay(sql`j.completed_at`)} as cost_day, r.workflow_id, r.workflow_path, r.workflow_name, r.event,
      coalesce(j.name, '') as name, j.labels, j.runner_group, j.runner_kind, j.rounding,
      count(*)::integer as jobs,
      (count(*) filter (where j.attempt > 1))::integer as repeated_jobs,
      sum(j.billed_minutes)::int8 as minutes,
      sum(${billedSeconds})::int8 as seconds
    from run r
    cross join lateral (
      -- Run by run: a join may read all jobs that there are.
      select name, attempt, labels, runner_group, runner_kind, rounding, billed_minutes, started_at, completed_at
      from recorded_jobs
      where org_id = ${orgId} and run_id = r.id and status = 'completed' and not is_carried_over
        and billed_minutes > 0
      offset 0
    ) j
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  `.execute(db);
  return rows;
}

export async function findRunCells(
  db: Database,
  orgId: string,
  { slice, workflowIds }: Asked,
): Promise<RunCell[]> {
  const { rows } = await sql<RunCell>`
    select ${utcDay(sql`created_at`)} as day, workflow_id, workflow_path, workflow_name, event, count(*)::integer as runs
    from runs
    where org_id = ${orgId} and workflow_id = any(${workflowIds}::text[])
      and created_at >= ${slice.from} and created_at < ${slice.until} and conclusion is distinct from 'skipped'
    group by 1, 2, 3, 4, 5
  `.execute(db);
  return rows;
}

/** How often each event occurred, however many workflows it started: commits, or else average runs. */
export async function findStartCells(
  db: Database,
  orgId: string,
  { slice, workflowIds }: Asked,
): Promise<StartCell[]> {
  const { rows } = await sql<StartCell>`
    select ${utcDay(sql`created_at`)} as day, event, case when event = 'push' then branch end as branch,
      (case
        when event ~ '^(push$|pull_request|merge_)' then count(distinct coalesce(commit, id))
        else ceil(count(*)::numeric / count(distinct workflow_id))
      end)::integer as starts
    from runs
    where org_id = ${orgId} and workflow_id = any(${workflowIds}::text[]) and event is not null
      and created_at >= ${slice.from} and created_at < ${slice.until}
    group by 1, 2, 3
  `.execute(db);
  return rows;
}

export type JobSums = {
  repository: string;
  workflowPath: string | null;
  workflowName: string | null;
  name: string;
  runnerKind: string;
  jobs: number;
  minutes: bigint;
  seconds: bigint;
};

/** Billed jobs of the whole organization by name and runner, largest groups first. */
export async function findJobSums(
  db: Database,
  orgId: string,
  { from, until }: TimeSlice,
  limit: number,
): Promise<JobSums[]> {
  const { rows } = await sql<JobSums>`
    select r.repository, r.workflow_path, r.workflow_name, j.name, j.runner_kind,
      count(*)::integer as jobs,
      sum(j.billed_minutes)::int8 as minutes,
      sum(${billedSeconds})::int8 as seconds
    from (
      select run_id, name, runner_kind, billed_minutes, started_at, completed_at
      from recorded_jobs
      where org_id = ${orgId} and completed_at >= ${from} and completed_at < ${until}
        and status = 'completed' and not is_carried_over and billed_minutes > 0
        and name is not null and runner_kind is not null
    ) j
    cross join lateral (
      -- Run by run: a join may read all runs that there are.
      select repository, workflow_path, workflow_name from runs where org_id = ${orgId} and id = j.run_id limit 1
    ) r
    group by 1, 2, 3, 4, 5
    order by count(*) desc
    limit ${limit}
  `.execute(db);
  return rows;
}
