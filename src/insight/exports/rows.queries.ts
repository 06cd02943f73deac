import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type ExportScope = { orgId: string; from: Date; to: Date };

export type Cursor = string[];

export type Page<Row> = { rows: Row[]; cursor: Cursor | null };

/** Text, because a `Date` drops microseconds. */
type Positioned = { position: string };

type Run = Selectable<Tables['runs']>;
type Job = Selectable<Tables['recordedJobs']>;

type OfRun = 'provider' | 'workflowId' | 'repository' | 'isPrivate' | 'event' | 'branch' | 'actor';
type Numbered = 'startedBy' | 'workflowPath' | 'pullRequest' | 'runNumber' | 'commit';
type RunFields = Pick<Run, OfRun | Numbered> & { workflowName: string };

type OfJob = 'runId' | 'attempt' | 'jobId' | 'labels' | 'rawConclusion' | 'createdAt' | 'startedAt';
type OfRunner = 'runnerName' | 'runnerGroup' | 'runnerKind' | 'runnerRule';
type OfCost = 'billedMinutes' | 'nanosPerMinute' | 'costNanos' | 'isUnpriced' | 'flags';

export type JobRow = RunFields &
  Pick<Job, OfJob | OfRunner | OfCost> & {
    jobName: string | null;
    runConclusion: string | null;
    completedAt: Date;
  };

export async function findJobPage(
  db: Database,
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<JobRow>> {
  const { rows } = await jobsAfter({ orgId, from, to }, after, limit).execute(db);
  return pageWithCursor(rows, placeOfJob);
}

function placeOfJob({
  position,
  runId,
  attempt,
  jobId,
}: Positioned & Pick<JobRow, 'runId' | 'attempt' | 'jobId'>) {
  return [position, runId, String(attempt), jobId];
}

/** The fields that FOCUS needs of a job. Reading only these saves a tenth of the time. */
const chargeFields = [
  ...(['runId', 'attempt', 'jobId', 'jobName', 'workflowId', 'workflowName', 'repository'] as const),
  ...(['provider', 'event', 'branch', 'actor', 'startedBy', 'workflowPath', 'runnerKind'] as const),
  ...(['startedAt', 'completedAt'] as const),
  ...(['billedMinutes', 'nanosPerMinute', 'costNanos', 'isUnpriced'] as const),
] as const;

export type ChargeRow = Pick<JobRow, (typeof chargeFields)[number]>;

export async function findChargePage(
  db: Database,
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<ChargeRow>> {
  const { rows } = await sql<ChargeRow & Positioned>`
    select ${sql.join([...chargeFields, 'position'].map((name) => sql.ref(name)))}
    from (${jobsAfter({ orgId, from, to }, after, limit)}) job
    order by completed_at, run_id, attempt, job_id
  `.execute(db);
  return pageWithCursor(rows, placeOfJob);
}

export function jobsAfter(
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): RawBuilder<JobRow & Positioned> {
  const start = after
    ? sql`(completed_at, run_id, attempt, job_id) > (${after[0]}::timestamptz, ${after[1]}, ${after[2]}::integer, ${after[3]})`
    : sql`completed_at >= ${from}`;
  return selectJobs(orgId, { where: sql`completed_at < ${to} and ${start}`, limit });
}

export async function findJobsOfRuns(
  db: Database,
  orgId: string,
  runIds: readonly string[],
): Promise<JobRow[]> {
  const chosen = { where: sql`run_id = any(${[...runIds]}::text[])`, limit: null };
  return (await selectJobs(orgId, chosen).execute(db)).rows;
}

type Chosen = { where: RawBuilder<unknown>; limit: number | null };

/** Selects the jobs first, because the planner misjudges the number of rows of a join with their facts. */
function selectJobs(orgId: string, { where, limit }: Chosen): RawBuilder<JobRow & Positioned> {
  return sql<JobRow & Positioned>`
    select
      j.run_id, j.attempt, j.job_id, j.name as job_name, ${facts}, j.runner_name, j.created_at, j.started_at, j.completed_at,
      j.billed_minutes, j.cost_nanos, j.completed_at::text as position, r.*,
      actor_of_job(j.actor, j.attempt, r.run_actor, r.attempt_actors, r.run_started_by) as actor,
      coalesce(r.own_name, w.name) as workflow_name
    from (
      select * from jobs
      where org_id = ${orgId} and status = 'completed' and not is_carried_over and ${where}
      order by completed_at, run_id, attempt, job_id
      limit ${limit}
    ) j
    left join job_facts f on f.org_id = ${orgId} and f.id = j.facts_id
    ${runOf(orgId, sql`j.run_id`)}
    ${workflowOf(orgId, sql`r.workflow_id`)}
    order by j.completed_at, j.run_id, j.attempt, j.job_id
  `;
}

/** As in the view `recorded_jobs`. */
const facts = sql.join(
  [
    'labels',
    'runner_group',
    'runner_kind',
    'runner_rule',
    'raw_conclusion',
    'nanos_per_minute',
    'is_unpriced',
    'flags',
  ].map((name) => {
    const [own, shared] = [sql.ref(`j.${name}`), sql.ref(`f.${name}`)];
    return sql`case when j.labels is not null then ${own} else ${shared} end as ${sql.ref(name)}`;
  }),
);

const starter = sql`starter_of_run(started_by, attempt, actor)`;

/** One lookup per row: without statistics, the planner may scan all runs for each row. */
function runOf(orgId: string, runId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select
        provider, workflow_id, workflow_path, repository, is_private, event, branch, pull_request, run_number, commit,
        actor as run_actor, attempt_actors, started_by as run_started_by, ${starter} as started_by,
        workflow_name as own_name, conclusion as run_conclusion
      from runs where org_id = ${orgId} and id = ${runId} offset 0
    ) r`;
}

function workflowOf(orgId: string, workflowId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select name, repository from workflows where org_id = ${orgId} and id = ${workflowId} offset 0
    ) w`;
}

type Outcome = 'attempt' | 'status' | 'conclusion' | 'rawConclusion' | 'durationSeconds' | 'costNanos';
export type RunRow = RunFields & Pick<Run, Outcome | 'id' | 'createdAt' | 'startedAt' | 'completedAt'>;

export async function findRunPage(
  db: Database,
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<RunRow>> {
  const { rows } = await runsAfter({ orgId, from, to }, after, limit).execute(db);
  return pageWithCursor(rows, ({ position, id }) => [position, id]);
}

export function runsAfter(
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): RawBuilder<RunRow & Positioned> {
  const start = after
    ? sql`(created_at, id) > (${after[0]}::timestamptz, ${after[1]})`
    : sql`created_at >= ${from}`;
  return selectRuns(orgId, { where: sql`created_at < ${to} and ${start}`, limit });
}

export async function findRunsById(db: Database, orgId: string, ids: readonly string[]): Promise<RunRow[]> {
  const chosen = { where: sql`id = any(${[...ids]}::text[])`, limit: null };
  return (await selectRuns(orgId, chosen).execute(db)).rows;
}

function selectRuns(orgId: string, { where, limit }: Chosen): RawBuilder<RunRow & Positioned> {
  return sql<RunRow & Positioned>`
    select r.*, r.created_at::text as position, coalesce(r.own_name, w.name) as workflow_name
    from (
      select
        id, provider, workflow_id, workflow_path, repository, is_private, workflow_name as own_name, event, branch, actor,
        ${starter} as started_by, pull_request, run_number, commit, attempt, status, conclusion, raw_conclusion, created_at, started_at,
        completed_at, duration_seconds, cost_nanos
      from runs
      where org_id = ${orgId} and ${where}
      order by created_at, id
      limit ${limit}
    ) r
    ${workflowOf(orgId, sql`r.workflow_id`)}
    order by r.created_at, r.id
  `;
}

export type DayRow = Omit<Selectable<Tables['workflowDays']>, 'orgId' | 'version'> &
  Pick<RunFields, 'workflowName' | 'repository'>;

export async function findDayPage(
  db: Database,
  { orgId, from, to }: ExportScope,
  after: Cursor | null,
  limit: number,
): Promise<Page<DayRow>> {
  const start = after ? sql`(d.day, d.workflow_id) > (${after[0]}::date, ${after[1]})` : sql`true`;
  const { rows } = await sql<DayRow>`
    select d.*, w.name as workflow_name, w.repository
    from (
      select * from workflow_days d
      where ${daysInScope({ orgId, from, to })} and ${start}
      order by d.day, d.workflow_id
      limit ${limit}
    ) d
    ${workflowOf(orgId, sql`d.workflow_id`)}
    order by d.day, d.workflow_id
  `.execute(db);
  return pageWithCursor(rows, ({ day, workflowId }) => [day, workflowId]);
}

function daysInScope({ orgId, from, to }: ExportScope): RawBuilder<unknown> {
  return sql`
    d.org_id = ${orgId} and d.day >= ${from.toISOString().slice(0, 10)}::date
    and d.day < ${to.toISOString().slice(0, 10)}::date and (d.jobs <> 0 or d.runs <> 0)`;
}

function pageWithCursor<Row>(rows: Row[], cursorOf: (row: Row) => Cursor): Page<Row> {
  const last = rows.at(-1);
  return { rows, cursor: last ? cursorOf(last) : null };
}

export async function countByDays(
  db: Database,
  scope: ExportScope,
): Promise<{ jobs: bigint; runs: bigint; days: bigint }> {
  const { rows } = await sql<{ jobs: bigint; runs: bigint; days: bigint }>`
    select coalesce(sum(d.jobs), 0)::int8 as jobs, coalesce(sum(d.runs), 0)::int8 as runs, count(*) as days
    from workflow_days d
    where ${daysInScope(scope)}
  `.execute(db);
  return rows[0]!;
}
