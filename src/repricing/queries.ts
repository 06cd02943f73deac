import { sql } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import { unnested } from '../db/unnestRows.ts';
import { addDays, startOfDay, type Day } from '../lib/days.ts';
import type { PricedFacts } from './pricedFacts.ts';
import type { RepriceState } from './repriceTask.ts';

export type JobKey = { runId: string; attempt: number; jobId: string };
export type LoggedChange = JobKey & { facts: string; before: PricedFacts; after: PricedFacts };
type Cursor = RepriceState['cursor'];

/** How many jobs are paid on these days, by the sums. */
export async function countPaidJobs(db: Database, orgId: string, from: Day, to: Day): Promise<number> {
  const { rows } = await sql<{ jobs: bigint }>`
    select coalesce(sum(jobs), 0)::int8 as jobs from organization_days
    where org_id = ${orgId} and day between ${from} and ${to}
  `.execute(db);
  return Number(rows[0]!.jobs);
}

/** The next paid jobs that completed on these days, in the order of their completion. */
export async function findPaidJobs(
  db: Database,
  orgId: string,
  { from, to, cursor, limit }: { from: Day; to: Day; cursor: Cursor; limit: number },
): Promise<(JobKey & { completedAt: Date })[]> {
  const after = cursor
    ? sql`and (completed_at, run_id, attempt, job_id)
        > (${cursor.completedAt}::timestamptz, ${cursor.runId}, ${cursor.attempt}, ${cursor.jobId})`
    : sql``;
  const { rows } = await sql<JobKey & { completedAt: Date }>`
    select run_id, attempt, job_id, completed_at from jobs
    where org_id = ${orgId} and completed_at >= ${startOfDay(from)} and completed_at < ${startOfDay(addDays(to, 1))}
      and status = 'completed' and not is_carried_over ${after}
    order by completed_at, run_id, attempt, job_id
    limit ${limit}
  `.execute(db);
  return rows;
}

export async function logChanges(
  tx: Transaction,
  orgId: string,
  repriceId: string,
  changes: readonly LoggedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ before, after, ...change }) => ({
    ...change,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
  }));
  await sql`
    insert into reprice_changes (org_id, reprice_id, run_id, attempt, job_id, facts, before, after)
    select ${orgId}::uuid, ${repriceId}, run_id, attempt, job_id, facts, before::jsonb, after::jsonb
    from ${unnested(rows, changeColumns)}
  `.execute(tx);
}

const changeColumns = {
  runId: 'text',
  attempt: 'integer',
  jobId: 'text',
  facts: 'text',
  before: 'text',
  after: 'text',
} as const;

/** The next changes of a reprice, in the order of runs, attempts and jobs. */
export async function findChanges(
  db: Database,
  orgId: string,
  repriceId: string,
  { after, limit, offset = 0 }: { after?: JobKey | null; limit: number; offset?: number },
): Promise<LoggedChange[]> {
  const rows = await db
    .selectFrom('repriceChanges')
    .select(['runId', 'attempt', 'jobId', 'facts', 'before', 'after'])
    .where('orgId', '=', orgId)
    .where('repriceId', '=', repriceId)
    .$if(Boolean(after), (query) =>
      query.where(
        sql<boolean>`(run_id, attempt, job_id) > (${after?.runId}, ${after?.attempt}, ${after?.jobId})`,
      ),
    )
    .orderBy('runId')
    .orderBy('attempt')
    .orderBy('jobId')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as LoggedChange[];
}
