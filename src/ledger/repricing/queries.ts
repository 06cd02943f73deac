import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { PricedFacts } from './pricedFacts.ts';

export type JobKey = { runId: string; attempt: number; jobId: string };
export type LoggedChange = JobKey & { before: PricedFacts; after: PricedFacts };

/** How many jobs are paid on these days, by the sums. */
export async function countPaidJobs(db: Database, orgId: string, from: Day, to: Day): Promise<number> {
  const { rows } = await sql<{ jobs: bigint }>`
    select coalesce(sum(jobs), 0)::int8 as jobs from organization_days
    where org_id = ${orgId} and day between ${from} and ${to}
  `.execute(db);
  return Number(rows[0]!.jobs);
}

/** Changes of a reprice, in the order of runs, attempts and jobs. */
export async function findChanges(
  db: Database,
  orgId: string,
  repriceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<LoggedChange[]> {
  const rows = await db
    .selectFrom('repriceChanges')
    .select(['runId', 'attempt', 'jobId', 'before', 'after'])
    .where('orgId', '=', orgId)
    .where('repriceId', '=', repriceId)
    .orderBy('runId')
    .orderBy('attempt')
    .orderBy('jobId')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as LoggedChange[];
}
