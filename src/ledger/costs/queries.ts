import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import { minTimeLimitMinutes } from '../pricing/cost.ts';
import { labelOfJob } from './columns/dayColumns.queries.ts';

type DayTotal = { day: Day; costNanos: bigint };

export function findDayTotals(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayTotal[]> {
  return db
    .selectFrom('organizationDays')
    .select(['day', 'costNanos'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .orderBy('day')
    .execute();
}

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

export async function findRunnerUse(
  db: Database,
  orgId: string,
  { windows, parts, workflowIds }: UseAsked,
): Promise<RunnerUse[]> {
  const inWindows = windows.map(({ start, end }) => sql`day between ${start} and ${end}`);
  const ofWorkflows = workflowIds ? sql`workflow_id = any(${[...workflowIds]}::text[])` : sql`true`;
  const { rows } = await sql<RunnerUse>`
    select s.*, w.name as workflow_name, w.repository
    from (
      select workflow_id, runner_kind,
        sum(jobs)::int8 as jobs, sum(minutes)::int8 as minutes, sum(cost_nanos)::int8 as cost_nanos
      from (
        select workflow_id, runner_kind, jobs, minutes, cost_nanos
        from runner_days
        where org_id = ${orgId} and (${sql.join([sql`false`, ...inWindows], sql` or `)}) and ${ofWorkflows}
        union all
        select r.workflow_id, coalesce(j.runner_kind, 'unpriced'), 1, j.billed_minutes, j.cost_nanos
        from ${jobsOfParts(orgId, parts)}
        join runs r on r.org_id = ${orgId} and r.id = j.run_id
        where ${ofWorkflows}
      ) u
      group by workflow_id, runner_kind
    ) s
    join workflows w on w.org_id = ${orgId} and w.id = s.workflow_id
  `.execute(db);
  return rows;
}

/** Versions of days. Each change of a day's jobs or runs gives the day a new version. */
export async function findDayVersions(
  db: Database,
  orgId: string,
  days: readonly Day[],
): Promise<ReadonlyMap<Day, string>> {
  const rows = await db
    .selectFrom('organizationDays')
    .select(['day', 'version'])
    .where('orgId', '=', orgId)
    .where('day', '=', sql<Day>`any(${[...days]}::date[])`)
    .execute();
  return new Map(rows.map(({ day, version }) => [day, version]));
}

type UseAsked = {
  windows: readonly Window[];
  parts: readonly PartOfDay[];
  workflowIds?: readonly string[] | undefined;
};

/** From midnight up to and including an instant of that day. */
export type PartOfDay = { day: Day; until: Date };

export async function findPartCosts(
  db: Database,
  orgId: string,
  parts: readonly PartOfDay[],
): Promise<DayTotal[]> {
  const { rows } = await sql<DayTotal>`
    select p.day, sum(j.cost_nanos)::int8 as cost_nanos
    from ${jobsOfParts(orgId, parts)}
    group by p.day
  `.execute(db);
  return rows;
}

export type PartUse = Omit<RunnerUse, 'workflowName'> & {
  day: Day;
  branch: string | null;
  label: string | null;
};

export async function findPartUse(
  db: Database,
  orgId: string,
  parts: readonly PartOfDay[],
  which: 'all' | 'over_time_limit' = 'all',
): Promise<PartUse[]> {
  const { rows } = await sql<PartUse>`
    select p.day, r.repository, r.workflow_id, r.branch, coalesce(j.runner_kind, 'unpriced') as runner_kind,
      ${labelOfJob} as label,
      count(*)::int8 as jobs, sum(j.billed_minutes)::int8 as minutes, sum(j.cost_nanos)::int8 as cost_nanos
    from ${jobsOfParts(orgId, parts, which === 'all' ? sql`true` : isOverTimeLimit)}
    join runs r on r.org_id = ${orgId} and r.id = j.run_id
    group by 1, 2, 3, 4, 5, 6
  `.execute(db);
  return rows;
}

export async function findWorkflowCosts(
  db: Database,
  orgId: string,
  workflowIds: readonly string[],
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<{ workflowId: string; day: Day; costNanos: bigint }[]> {
  return db
    .selectFrom('workflowDays')
    .select(['workflowId', 'day', 'costNanos'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .where('workflowId', '=', sql<string>`any(${[...workflowIds]}::text[])`)
    .where('costNanos', '<>', 0n)
    .execute();
}

/** Paid jobs `j` in the parts of days `p`. The join is lateral, so that each part reads the index on completion. */
function jobsOfParts(
  orgId: string,
  parts: readonly PartOfDay[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const days = parts.map(({ day }) => day);
  return sql`
    unnest(${days}::date[], ${days.map(startOfDay)}::timestamptz[], ${parts.map(({ until }) => until)}::timestamptz[])
      as p (day, since, until)
    cross join lateral (
      select run_id, runner_kind, labels, billed_minutes, cost_nanos from recorded_jobs
      where org_id = ${orgId} and completed_at >= p.since and completed_at <= p.until
        and status = 'completed' and not is_carried_over and ${condition}
    ) j`;
}

const isOverTimeLimit = sql`completed_at - started_at > interval ${sql.lit(`${minTimeLimitMinutes} minutes`)}
  and 'over_time_limit' = any(flags)`;

export type RecentRun = {
  id: string;
  workflowId: string;
  workflowName: string;
  repository: string;
  branch: string | null;
  runNumber: number | null;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  costNanos: bigint;
  durationSeconds: number;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
};

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
      'runs.branch',
      'runs.runNumber',
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

export type DayRuns = { day: Day; runs: bigint; completedRuns: bigint };

export function findDayRuns(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayRuns[]> {
  return db
    .selectFrom('organizationDays')
    .select(['day', 'runs', 'completedRuns'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .where('runs', '>', 0n)
    .orderBy('day')
    .execute();
}

export type FlaggedJobs = { runsExamined: number; counts: Map<string, number> };

/** Counts jobs by flag among the last `maxJobs` that completed in the window, because no index finds flagged jobs. */
export async function countFlaggedJobs(
  db: Database,
  orgId: string,
  { start, end }: Window,
  maxJobs: number,
): Promise<FlaggedJobs> {
  const { rows } = await sql<{ flag: string | null; count: bigint }>`
    with newest as materialized (
      select run_id, facts_id, labels, flags from jobs
      where org_id = ${orgId}
        and completed_at >= ${startOfDay(start)} and completed_at < ${startOfDay(addDays(end, 1))}
        and status = 'completed' and not is_carried_over
      order by completed_at desc
      limit ${maxJobs}
    )
    select f.flag, sum(g.jobs)::int8 as count
    from (
      select facts_id, labels is null as has_facts, flags, count(*) as jobs from newest group by 1, 2, 3
    ) g
    cross join lateral unnest(case when g.has_facts
      then (select flags from job_facts where org_id = ${orgId} and id = g.facts_id)
      else g.flags
    end) f (flag)
    group by f.flag
    union all
    select null, count(distinct run_id) from newest
  `.execute(db);
  const counts = new Map(rows.map(({ flag, count }) => [flag, Number(count)]));
  const runsExamined = counts.get(null) ?? 0;
  counts.delete(null);
  return { runsExamined, counts: counts as Map<string, number> };
}

export async function findLastEventAt(db: Database, orgId: string): Promise<Date | null> {
  const { rows } = await sql<{ lastEventAt: Date | null }>`
    select greatest(
      (select max(last_event_at) from sources where org_id = ${orgId}),
      (select reported_at from runs where org_id = ${orgId} order by created_at desc, id desc limit 1)
    ) as last_event_at
  `.execute(db);
  return rows[0]?.lastEventAt ?? null;
}
