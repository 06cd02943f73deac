import { sql, type RawBuilder } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import type { Day, TimeSlice } from '../../platform/lib/days.ts';

/** Paid jobs that rollups do not distinguish. Null fields mean that the run is missing. */
type JobGroup = {
  day: Day;
  workflowId: string | null;
  provider: string | null;
  isPrivate: boolean | null;
  workflowPath: string | null;
  runnerKind: string;
  isUnpriced: boolean;
  jobs: bigint;
  minutes: bigint;
  costNanos: bigint;
};

const isPaid = sql`j.status = 'completed' and not j.is_carried_over`;

function paidJobs(orgId: string, { from, until }: TimeSlice): RawBuilder<unknown> {
  return sql`j.org_id = ${orgId} and j.completed_at >= ${from} and j.completed_at < ${until} and ${isPaid}`;
}

export async function sumJobs(tx: Transaction, orgId: string, slice: TimeSlice): Promise<JobGroup[]> {
  const { rows } = await sql<JobGroup>`
    select ${utcDay(sql`j.completed_at`)} as day, r.workflow_id, r.provider, r.is_private, r.workflow_path,
      coalesce(j.runner_kind, 'unpriced') as runner_kind, j.is_unpriced, count(*) as jobs,
      sum(j.billed_minutes) as minutes, sum(j.cost_nanos)::int8 as cost_nanos
    from recorded_jobs j
    left join runs r on r.org_id = j.org_id and r.id = j.run_id
    where ${paidJobs(orgId, slice)}
    group by 1, 2, 3, 4, 5, 6, 7
  `.execute(tx);
  return rows;
}

type UnpricedGroup = {
  day: Day;
  labels: string[];
  runnerGroup: string | null;
  jobs: bigint;
  minutes: bigint;
};

export async function sumUnpricedJobs(
  tx: Transaction,
  orgId: string,
  slice: TimeSlice,
): Promise<UnpricedGroup[]> {
  const { rows } = await sql<UnpricedGroup>`
    with grouped as materialized (
      select ${utcDay(sql`j.completed_at`)} as day, j.facts_id, j.labels, j.runner_group, count(*) as jobs,
        sum(j.billed_minutes) as minutes
      from jobs j
      where ${paidJobs(orgId, slice)} and case
        when j.labels is not null then j.is_unpriced
        else j.facts_id in (select id from job_facts where org_id = ${orgId} and is_unpriced)
      end
      group by 1, 2, 3, 4
    )
    select g.day, coalesce(g.labels, f.labels) as labels,
      case when g.labels is null then f.runner_group else g.runner_group end as runner_group, g.jobs, g.minutes
    from grouped g
    left join lateral (
      select labels, runner_group from job_facts where org_id = ${orgId} and id = g.facts_id limit 1
    ) f on g.labels is null
  `.execute(tx);
  return rows;
}

type RunGroup = {
  day: Day;
  workflowId: string;
  runs: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  durationSeconds: bigint;
};

export async function sumRuns(
  tx: Transaction,
  orgId: string,
  { from, until }: TimeSlice,
): Promise<RunGroup[]> {
  const { rows } = await sql<RunGroup>`
    select ${utcDay(sql`created_at`)} as day, workflow_id, count(*) as runs,
      count(*) filter (where status = 'completed') as completed_runs,
      count(*) filter (where conclusion = 'skipped') as skipped_runs,
      count(*) filter (where conclusion = 'success') as successful_runs, sum(duration_seconds) as duration_seconds
    from runs
    where org_id = ${orgId} and created_at >= ${from} and created_at < ${until}
    group by 1, 2
  `.execute(tx);
  return rows;
}

export async function findExtent(tx: Transaction, orgId: string): Promise<{ first: Day; last: Day } | null> {
  const { rows } = await sql<{ first: Day | null; last: Day | null }>`
    select min(day)::date as first, max(day)::date as last
    from (
      select day from organization_days where org_id = ${orgId}
      union all select day from workflow_days where org_id = ${orgId}
      union all select day from runner_days where org_id = ${orgId}
      union all select day from charge_days where org_id = ${orgId}
      union all select day from unpriced_days where org_id = ${orgId}
      union all select ${utcDay(sql`min(created_at)`)} from runs where org_id = ${orgId}
      union all select ${utcDay(sql`max(created_at)`)} from runs where org_id = ${orgId}
      union all select ${utcDay(sql`min(j.completed_at)`)} from jobs j where j.org_id = ${orgId} and ${isPaid}
      union all select ${utcDay(sql`max(j.completed_at)`)} from jobs j where j.org_id = ${orgId} and ${isPaid}
    ) days
  `.execute(tx);
  const { first, last } = rows[0]!;
  return first === null || last === null ? null : { first, last };
}

export type RollupName = 'organizationDays' | 'workflowDays' | 'runnerDays' | 'chargeDays' | 'unpricedDays';

export async function findRollupRows(
  tx: Transaction,
  table: RollupName,
  orgId: string,
  { first, last }: { first: Day; last: Day },
): Promise<Record<string, unknown>[]> {
  return tx
    .selectFrom(table)
    .selectAll()
    .where('orgId', '=', orgId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute();
}

export async function findRemovedDays(
  tx: Transaction,
  orgId: string,
  { first, last }: { first: Day; last: Day },
): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`
    select distinct day from kept_columns where org_id = ${orgId} and day between ${first} and ${last}
  `.execute(tx);
  return rows.map(({ day }) => day);
}

export async function findRunIds(
  tx: Transaction,
  orgId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await tx
    .selectFrom('runs')
    .select('id')
    .where('orgId', '=', orgId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
