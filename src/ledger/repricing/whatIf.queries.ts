import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Providers } from '../pricing/provider.ts';
import type { TimeSlice } from '../runs/slices.ts';
import { countsSeconds, paidJobsOf, runnerName } from './paidJobs.queries.ts';
import type { JobGroup, SecondsCount } from './priceGroups.ts';

/**
 * The paid jobs that completed in the slice, those of a day together that any price list prices alike. Seconds beyond
 * whole minutes are kept apart where they may count. Nobody may have told the database yet how large its tables are, so it
 * is given no choice: each run is looked up once by its key, and a full join does not compare every job with every run.
 */
export async function findJobGroups(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  seconds: SecondsCount,
  providers: Providers,
): Promise<JobGroup[]> {
  const { rows } = await sql<JobGroup>`
    with paid as materialized (
      select (j.completed_at at time zone 'UTC')::date as day, j.run_id, j.labels, j.runner_group,
        ${runnerName(providers)} as runner_name, j.billed_minutes, j.cost_nanos, j.is_unpriced,
        case when j.billed_minutes > 0 then ceil(extract(epoch from j.completed_at - j.started_at))::int8 else 0 end
          as seconds
      from jobs j
      where ${paidJobsOf(orgId, slice)}
    ),
    run as materialized (
      select each.run_id, r.workflow_id, r.provider, r.is_private
      from (select distinct run_id from paid) each
      cross join lateral (
        select workflow_id, provider, is_private from runs where org_id = ${orgId} and id = each.run_id limit 1
      ) r
    )
    select j.day, r.workflow_id, r.provider, r.is_private, j.labels, j.runner_group, j.runner_name,
      case when ${countsSeconds(seconds)} then (j.seconds % 60)::integer end as seconds_beyond,
      sum(j.seconds / 60)::int8 as whole_minutes,
      count(*) as jobs,
      sum(j.billed_minutes)::int8 as billed_minutes,
      sum(j.cost_nanos)::int8 as cost_nanos,
      coalesce(sum(j.billed_minutes) filter (where j.is_unpriced), 0)::int8 as unpriced_minutes
    from paid j full join run r on r.run_id = j.run_id
    group by 1, 2, 3, 4, 5, 6, 7, 8
  `.execute(db);
  return rows;
}

export function findWorkflowNames(
  db: Database,
  orgId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; repository: string }[]> {
  return db
    .selectFrom('workflows')
    .select(['id', 'name', 'repository'])
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}
