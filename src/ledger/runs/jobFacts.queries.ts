import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { organizationsOf } from '../../platform/work/claims.ts';
import { factNames } from './jobFacts.ts';
import type { PricedJob } from './queries.ts';

/** Ignores deleted organizations, whose jobs will be removed anyway. */
export async function findOrganizationWithoutFacts(db: Database): Promise<string | undefined> {
  const [orgId] = await organizationsOf(
    db,
    sql`
      select org_id from organizations o
      where deleted_at is null and exists (select from jobs where org_id = o.org_id and labels is not null)
      limit 1
    `,
  );
  return orgId;
}

export async function findJobsWithoutFacts(
  tx: Transaction,
  orgId: string,
  limit: number,
): Promise<PricedJob[]> {
  const { rows } = await sql<PricedJob>`
    select run_id, attempt, job_id, billed_minutes, cost_nanos, ${sql.join(factNames.map((name) => sql.ref(name)))}
    from jobs
    where org_id = ${orgId} and labels is not null
    limit ${limit}
  `.execute(tx);
  return rows;
}
