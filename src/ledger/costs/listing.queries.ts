import { sql, type RawBuilder } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import type { Tables } from '../../tables.ts';
import { actorOfJob, starterOfRun, timesOf, type RowKind } from './columns/dayColumns.queries.ts';

type RunRow = Pick<
  Tables['runs'],
  | 'workflowId'
  | 'repository'
  | 'provider'
  | 'branch'
  | 'event'
  | 'actor'
  | 'startedBy'
  | 'workflowPath'
  | 'pullRequest'
  | 'conclusion'
> & {
  runId: string;
  workflowName: string;
  attempt: number;
  startedAt: Date | null;
  durationMilliseconds: string | null;
  queueMilliseconds: string | null;
  billedMinutes: bigint;
  costNanos: bigint;
};

export type FoundRun = RunRow &
  Pick<Tables['runs'], 'status' | 'createdAt' | 'completedAt' | 'runNumber' | 'commit'> & {
    jobCount: bigint;
  };

export type FoundJob = RunRow &
  Pick<
    Tables['recordedJobs'],
    'jobId' | 'name' | 'labels' | 'runnerName' | 'runnerGroup' | 'runnerKind' | 'rawConclusion' | 'createdAt'
  > &
  Pick<Tables['runs'], 'commit'> & { completedAt: Date };

/** Distinguishes rows of the same instant. The rows of a day are in this order. */
const keysOf = {
  jobs: {
    columns: sql`run_id, attempt, job_id`,
    values: ([runId, attempt, jobId]: RowKey) => sql`${runId}::text, ${attempt}::integer, ${jobId}::text`,
  },
  runs: { columns: sql`id`, values: ([id]: RowKey) => sql`${id}::text` },
};

export type RowKey = readonly (string | number)[];

function rowsAt(orgId: string, rowKind: RowKind, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return rowKind === 'jobs'
    ? sql`select * from recorded_jobs where org_id = ${orgId} and completed_at = ${at} and status = 'completed' and not is_carried_over`
    : sql`select * from runs where org_id = ${orgId} and created_at = ${at}`;
}

/** How many rows of the instant come before the one with this key, excluding and including it. */
export async function countBefore(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  { at, key }: { at: Date; key: RowKey },
): Promise<{ before: number; upTo: number }> {
  const { columns, values } = keysOf[rowKind];
  const { rows } = await sql<{ before: bigint; upTo: bigint }>`
    select
      count(*) filter (where (${columns}) < (${values(key)})) as before,
      count(*) filter (where (${columns}) <= (${values(key)})) as up_to
    from (${rowsAt(orgId, rowKind, sql`${at}`)}) t
  `.execute(tx);
  return { before: Number(rows[0]!.before), upTo: Number(rows[0]!.upTo) };
}

/** `place` is the number of rows of the same instant before this one. */
export type Place = { at: Date; place: number };

const runColumns = sql`
  r.id as run_id, r.workflow_id, coalesce(r.workflow_name, w.name) as workflow_name, r.repository, r.provider, r.branch,
  r.event, r.workflow_path, ${starterOfRun} as started_by, r.pull_request, r.conclusion`;

const workflowOfRun = (orgId: string) =>
  sql`join workflows w on w.org_id = ${orgId} and w.id = r.workflow_id`;

function numbered(places: readonly Place[]): RawBuilder<unknown> {
  const rows = places.map((place, number) => ({ ...place, number }));
  return unnested(rows, { number: 'integer', at: 'timestamptz', place: 'integer' });
}

function rowAtPlace(orgId: string, rowKind: RowKind): RawBuilder<unknown> {
  return sql`${rowsAt(orgId, rowKind, sql`row.at`)} order by ${keysOf[rowKind].columns} offset row.place limit 1`;
}

export async function findJobsAt(
  tx: Transaction,
  orgId: string,
  places: readonly Place[],
): Promise<FoundJob[]> {
  const { durationMilliseconds, queueMilliseconds } = timesOf.jobs;
  const { rows } = await sql<FoundJob>`
    select
      ${runColumns}, r.commit, ${actorOfJob} as actor, j.job_id, j.attempt, j.name, j.labels, j.runner_name, j.runner_group, j.runner_kind,
      j.raw_conclusion, j.created_at, j.started_at, j.completed_at, j.cost_nanos, j.billed_minutes::int8,
      ${durationMilliseconds} as duration_milliseconds, ${queueMilliseconds} as queue_milliseconds
    from ${numbered(places)}
    cross join lateral (${rowAtPlace(orgId, 'jobs')}) j
    join runs r on r.org_id = ${orgId} and r.id = j.run_id ${workflowOfRun(orgId)}
    order by row.number
  `.execute(tx);
  return rows;
}

export async function findRunsAt(
  tx: Transaction,
  orgId: string,
  places: readonly Place[],
): Promise<FoundRun[]> {
  const { durationMilliseconds, queueMilliseconds } = timesOf.runs(orgId);
  const { rows } = await sql<FoundRun>`
    select
      ${runColumns}, r.actor, r.run_number, r.commit, r.attempt, r.status, r.created_at, r.started_at, r.completed_at, r.cost_nanos,
      s.billed_minutes, s.job_count,
      ${durationMilliseconds} as duration_milliseconds, ${queueMilliseconds} as queue_milliseconds
    from ${numbered(places)}
    cross join lateral (${rowAtPlace(orgId, 'runs')}) r
    ${workflowOfRun(orgId)}
    cross join lateral (
      select coalesce(sum(k.billed_minutes), 0)::int8 as billed_minutes, count(*) as job_count
      from jobs k where k.org_id = ${orgId} and k.run_id = r.id
    ) s
    order by row.number
  `.execute(tx);
  return rows;
}
