import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import { sliceOfDays, type Day, type TimeSlice } from '../../platform/lib/days.ts';
import type { BillableJob } from '../pricing/cost.ts';
import type { PaidJob } from '../runs/contributions.ts';
import type { JobKey, JobPrice, StoredRun } from '../runs/history.ts';
import { factNames } from '../runs/jobFacts.ts';

export function paidJobsOf(orgId: string, { from, until }: TimeSlice) {
  return sql`j.org_id = ${orgId} and j.completed_at >= ${from} and j.completed_at < ${until}
    and j.status = 'completed' and not j.is_carried_over`;
}

export async function countPaidJobs(db: Database, orgId: string, from: Day, to: Day): Promise<number> {
  const { rows } = await sql<{ jobs: bigint }>`
    select coalesce(sum(jobs), 0)::int8 as jobs from organization_days
    where org_id = ${orgId} and day between ${from} and ${to}
  `.execute(db);
  return Number(rows[0]!.jobs);
}

/** `facts` is a digest of what decides its price. `completedAtText` keeps the microseconds. */
export type RecordedJob = JobKey &
  JobPrice &
  BillableJob &
  Omit<PaidJob, 'isFree'> &
  Pick<StoredRun, 'isPrivate' | 'workflowPath'> & { facts: string; completedAtText: string };

const factsDigest = sql`md5(row(
  j.labels, j.runner_name, j.runner_group, j.status, j.raw_conclusion, j.ran, j.is_carried_over,
  extract(epoch from j.started_at), extract(epoch from j.completed_at))::text)`;

const recordedJob = sql`
  r.workflow_id, r.provider, r.is_private, r.workflow_path, j.labels, j.runner_name, j.runner_group, j.status, j.raw_conclusion, j.ran, j.started_at,
  j.completed_at, j.completed_at::text as completed_at_text, ${factsDigest} as facts, j.runner_kind, j.runner_rule,
  j.billed_minutes, j.rounding, j.price_book_id, j.price_rule_id, j.is_unpriced, j.flags, j.nanos_per_minute,
  j.cost_nanos`;

/** As in the view `recorded_jobs`. */
const factsOfPage = sql.join(
  factNames.map((name) => {
    const [own, shared] = [sql.ref(`p.${name}`), sql.ref(`f.${name}`)];
    return sql`case when p.labels is not null then ${own} else ${shared} end as ${sql.ref(name)}`;
  }),
);

type Page<Place> = { after: Place | null; limit: number };

export type JobPlace = JobKey & { completedAt: string };

export async function findPaidJobs(
  tx: Transaction,
  orgId: string,
  { from, to, after, limit }: { from: Day; to: Day } & Page<JobPlace>,
): Promise<RecordedJob[]> {
  const isAfter = after
    ? sql`and (j.completed_at, j.run_id, j.attempt, j.job_id) >
        (${after.completedAt}::timestamptz, ${after.runId}, ${after.attempt}::integer, ${after.jobId})`
    : sql``;
  const { rows } = await sql<RecordedJob>`
    select j.run_id, j.attempt, j.job_id, ${recordedJob}
    from (
      -- The page first: the planner misjudges how many rows a join with facts has.
      select p.run_id, p.attempt, p.job_id, p.runner_name, p.status, p.is_carried_over, p.started_at,
        p.completed_at, p.billed_minutes, p.cost_nanos, ${factsOfPage}
      from (
        select * from jobs j
        where ${paidJobsOf(orgId, sliceOfDays(from, to))} ${isAfter}
        order by completed_at, run_id, attempt, job_id
        limit ${limit}
      ) p
      left join job_facts f on f.org_id = ${orgId} and f.id = p.facts_id
    ) j
    join runs r on r.org_id = ${orgId} and r.id = j.run_id
    order by j.completed_at, j.run_id, j.attempt, j.job_id
  `.execute(tx);
  return rows;
}

export type LoggedPrice = Omit<JobPrice, 'nanosPerMinute' | 'costNanos'> & {
  nanosPerMinute: string;
  costNanos: string;
};

export type LoggedChange = JobKey & { before: LoggedPrice; after: LoggedPrice };

export async function logChanges(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  changes: readonly (LoggedChange & { facts: string })[],
): Promise<void> {
  const rows = changes.map((change) => ({ ...change, repriceId: id }));
  await sql`
    insert into reprice_changes (org_id, reprice_id, run_id, attempt, job_id, facts, before, after)
    ${unnestRows(orgId, rows, changeColumns)}
  `.execute(tx);
}

const changeColumns = {
  repriceId: 'text',
  runId: 'text',
  attempt: 'integer',
  jobId: 'text',
  facts: 'text',
  before: 'jsonb',
  after: 'jsonb',
} as const;

export async function findLoggedJobs(
  tx: Transaction,
  orgId: string,
  { repriceId, after, limit }: { repriceId: string } & Page<JobKey>,
): Promise<(LoggedChange & RecordedJob & { hasSameFacts: boolean })[]> {
  const isAfter = after
    ? sql`and (run_id, attempt, job_id) > (${after.runId}, ${after.attempt}::integer, ${after.jobId})`
    : sql``;
  const { rows } = await sql<LoggedChange & RecordedJob & { hasSameFacts: boolean }>`
    select c.run_id, c.attempt, c.job_id, c.before, c.after,
      coalesce(c.facts = ${factsDigest}, false) as has_same_facts, ${recordedJob}
    from (
      select * from reprice_changes
      where org_id = ${orgId} and reprice_id = ${repriceId} ${isAfter}
      order by run_id, attempt, job_id
      limit ${limit}
    ) c
    left join recorded_jobs j
      on j.org_id = ${orgId} and j.run_id = c.run_id and j.attempt = c.attempt and j.job_id = c.job_id
    left join runs r on r.org_id = ${orgId} and r.id = c.run_id
    order by c.run_id, c.attempt, c.job_id
  `.execute(tx);
  return rows;
}

export async function findChanges(
  db: Database,
  orgId: string,
  repriceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<LoggedChange[]> {
  const rows = await db
    .selectFrom('repriceChanges')
    .select(['runId', 'attempt', 'jobId', 'before', 'after'])
    .where((all) => all.and({ orgId, repriceId }))
    .orderBy('runId')
    .orderBy('attempt')
    .orderBy('jobId')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as LoggedChange[];
}

export async function removeChanges(
  tx: Transaction,
  orgId: string,
  { repriceIds, runIds }: { repriceIds: readonly string[]; runIds: readonly string[] },
): Promise<void> {
  await sql`
    delete from reprice_changes c
    using unnest(${[...repriceIds]}::text[]) reprice (id), unnest(${[...runIds]}::text[]) run (id)
    where c.org_id = ${orgId} and c.reprice_id = reprice.id and c.run_id = run.id
  `.execute(tx);
}
