import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { plannedEachTime } from '../../platform/db/prepared.ts';
import { arraysOf, unnestedArrays } from '../../platform/db/unnestRows.ts';
import {
  runIdOf,
  type CountedJob,
  type RunHistory,
  type StoredJob,
  type StoredRun,
  type JobKey,
} from './history.ts';
import { jobsTable, runsTable } from './queries.ts';
import type { JobReport, RunReport } from './report.ts';

/** With the jobs that the reports can change. The database sums up all other jobs. */
export async function findReported(
  tx: Transaction,
  orgId: string,
  reports: readonly RunReport[],
): Promise<Map<string, RunHistory>> {
  const histories = await findRunRows(tx, orgId, [...new Set(reports.map(runIdOf))]);
  const reported = reports
    .flatMap((report) => report.jobs.map((job) => ({ ...job, runId: runIdOf(report) })))
    .filter(({ runId }) => histories.has(runId));
  const rerun = rerunIds(histories, reported);
  const once = [...histories.keys()].filter((id) => !rerun.has(id));
  const [jobs, others] = await Promise.all([
    findReportedJobs(tx, orgId, reported),
    countOthers(tx, orgId, once, reported),
  ]);
  const ofRerun = [...reported, ...jobs].filter(({ runId }) => rerun.has(runId));
  const repeated = await findJobsOfTimes(tx, orgId, [...rerun], ofRerun);
  const read = new Map([...jobs, ...repeated].map((job) => [keyOf(job), job]));
  for (const job of read.values()) histories.get(job.runId)!.jobs.push(job);
  const othersOfRerun = await countOthers(tx, orgId, [...rerun], [...read.values()]);
  for (const { runId, ...job } of [...others, ...othersOfRerun]) histories.get(runId)!.otherJobs.push(job);
  return histories;
}

export async function findHistories(
  tx: Database,
  orgId: string,
  ids: string[],
): Promise<Map<string, RunHistory>> {
  if (ids.length === 0) return new Map();
  const histories = await findRunRows(tx, orgId, ids);
  if (histories.size === 0) return histories;
  const jobs = await tx
    .selectFrom('recordedJobs')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('runId', 'in', [...histories.keys()])
    .orderBy('runId')
    .orderBy('attempt')
    .orderBy('jobId')
    .execute();
  for (const { orgId: _, ...job } of jobs) histories.get(job.runId)?.jobs.push(job);
  return histories;
}

async function findRunRows(tx: Database, orgId: string, ids: string[]): Promise<Map<string, RunHistory>> {
  const { rows } = await tx.executeQuery(runsById(orgId, ids));
  return new Map(rows.map((run) => [run.id, { run, jobs: [], otherJobs: [] }]));
}

const runsById = plannedEachTime(
  (orgId: string, ids: string[]) => sql<StoredRun>`
    select ${columnsOf(runsTable)} from runs where org_id = ${orgId} and id = any(${ids}::text[])
  `,
);

function columnsOf({ columns }: { columns: object }) {
  return sql.join(Object.keys(columns).map((name) => sql.ref(name)));
}

function keyOf({ runId, attempt, jobId }: JobKey): string {
  return JSON.stringify([runId, attempt, jobId]);
}

const keyColumns = { runId: 'text', attempt: 'integer', jobId: 'text' } as const;

async function findReportedJobs(
  tx: Transaction,
  orgId: string,
  reported: readonly JobKey[],
): Promise<StoredJob[]> {
  if (reported.length === 0) return [];
  const { rows } = await tx.executeQuery(jobsByKey(...arraysOf(reported, keyColumns), orgId));
  return rows;
}

/** Looks up each job by its key. Any other plan would scan a long run once per job. */
const jobsByKey = plannedEachTime(
  (...[runIds, attempts, jobIds, orgId]: unknown[]) => sql<StoredJob>`
    select job.* from ${unnestedArrays([runIds, attempts, jobIds] as unknown[][], keyColumns)}
    cross join lateral (
      select ${columnsOf(jobsTable)} from recorded_jobs
      where org_id = ${orgId} and run_id = row.run_id and attempt = row.attempt and job_id = row.job_id
      limit 1
    ) job
  `,
);

/** Runs with several attempts. Only they can have carried-over jobs. */
function rerunIds(
  histories: ReadonlyMap<string, RunHistory>,
  reported: readonly (JobReport & { runId: string })[],
): Set<string> {
  const known = [...histories.values()].map(({ run: { id: runId, attempt } }) => ({ runId, attempt }));
  return new Set([...known, ...reported].filter(({ attempt }) => attempt > 1).map(({ runId }) => runId));
}

/** Jobs of these runs with the same start and end as one of `jobs`. They may be the same execution. */
async function findJobsOfTimes(
  tx: Transaction,
  orgId: string,
  runIds: string[],
  jobs: readonly Pick<JobReport, 'startedAt' | 'completedAt'>[],
): Promise<StoredJob[]> {
  const ended = jobs.filter(({ startedAt, completedAt }) => startedAt && completedAt);
  if (ended.length === 0) return [];
  const rows = await tx
    .selectFrom('recordedJobs')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('runId', '=', sql<string>`any(${runIds})`)
    .where('startedAt', '=', sql<Date>`any(${ended.map(({ startedAt }) => startedAt)}::timestamptz[])`)
    .where('completedAt', '=', sql<Date>`any(${ended.map(({ completedAt }) => completedAt)}::timestamptz[])`)
    .execute();
  return rows.map(({ orgId: _, ...job }) => job);
}

async function countOthers(
  tx: Transaction,
  orgId: string,
  runIds: string[],
  read: readonly JobKey[],
): Promise<(CountedJob & { runId: string })[]> {
  if (runIds.length === 0) return [];
  const { rows } = await tx.executeQuery(othersByRun(orgId, runIds, ...arraysOf(read, keyColumns)));
  return rows;
}

const othersByRun = plannedEachTime(
  (orgId: string, runIds: string[], ...read: unknown[][]) => sql<CountedJob & { runId: string }>`
    select run_id, attempt, status, raw_conclusion, is_carried_over,
      min(coalesce(created_at, observed_at)) as created_at, min(observed_at) as observed_at,
      min(started_at) as started_at, max(completed_at) as completed_at,
      max(billed_minutes) as billed_minutes, sum(cost_nanos)::int8 as cost_nanos
    from recorded_jobs
    where org_id = ${orgId} and run_id = any(${runIds}::text[])
      and (run_id, attempt, job_id) not in (select * from ${unnestedArrays(read, keyColumns)})
    group by run_id, attempt, status, raw_conclusion, is_carried_over
  `,
);

export type NamedRun = Omit<StoredRun, 'workflowName'> & { workflowName: string };

export function findRun(db: Database, orgId: string, id: string): Promise<NamedRun | undefined> {
  return db
    .selectFrom('runs')
    .innerJoin('workflows', (join) =>
      join.onRef('workflows.orgId', '=', 'runs.orgId').onRef('workflows.id', '=', 'runs.workflowId'),
    )
    .selectAll('runs')
    .select((run) => run.fn.coalesce('runs.workflowName', 'workflows.name').as('workflowName'))
    .select(sql<string | null>`starter_of_run(started_by, attempt, actor)`.as('startedBy'))
    .where((all) => all.and({ 'runs.orgId': orgId, 'runs.id': id }))
    .executeTakeFirst();
}

export async function findJobs(
  db: Database,
  orgId: string,
  runId: string,
  limit: number,
): Promise<{ jobs: StoredJob[]; jobCount: number }> {
  const rows = await db
    .selectFrom('recordedJobs as j')
    .innerJoin('runs as r', (join) => join.onRef('r.orgId', '=', 'j.orgId').onRef('r.id', '=', 'j.runId'))
    .selectAll('j')
    .select(
      sql<string | null>`actor_of_job(j.actor, j.attempt, r.actor, r.attempt_actors, r.started_by)`.as(
        'actor',
      ),
    )
    .select(sql<bigint>`count(*) over ()`.as('jobCount'))
    .where((all) => all.and({ 'j.orgId': orgId, 'j.runId': runId }))
    .orderBy('j.attempt')
    .orderBy('j.startedAt', (order) => order.asc().nullsLast())
    .orderBy(sql`j.name collate "C"`)
    .orderBy(sql`j.job_id collate "C"`)
    .limit(limit)
    .execute();
  const jobs = rows.map(({ orgId: _, jobCount: __, ...job }) => job);
  return { jobs, jobCount: Number(rows[0]?.jobCount ?? 0n) };
}
