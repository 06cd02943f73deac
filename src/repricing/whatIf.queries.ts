import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { addDays, startOfDay, type Day } from '../lib/days.ts';
import type { JobGroup } from './priceGroups.ts';

/**
 * The paid jobs that completed on a day, those together that any price list prices alike. Of a runner's name only what
 * tells runners of GitHub's from others is kept. Seconds beyond whole minutes are kept apart where they may count.
 */
export async function findJobGroups(
  db: Database,
  orgId: string,
  day: Day,
  mayCountSeconds: boolean,
): Promise<JobGroup[]> {
  const { rows } = await sql<JobGroup>`
    with paid as (
      select r.workflow_id, r.provider, r.is_private, j.labels, j.runner_group,
        case
          when coalesce(j.runner_name, '') = '' then null
          when lower(j.runner_name) ~ '^(github actions |github-hosted|hosted agent)' then 'GitHub Actions 1'
          else 'another'
        end as runner_name,
        j.billed_minutes, j.cost_nanos, j.is_unpriced,
        case when j.billed_minutes > 0 then ceil(extract(epoch from j.completed_at - j.started_at))::int8 else 0 end
          as seconds,
        ${mayCountSeconds}::boolean or r.provider like 'gitlab%' or j.labels::text ilike '%gitlab\\_%' as counts_seconds
      from jobs j
      join runs r on r.org_id = j.org_id and r.id = j.run_id
      where j.org_id = ${orgId} and j.completed_at >= ${startOfDay(day)} and j.completed_at < ${startOfDay(addDays(day, 1))}
        and j.status = 'completed' and not j.is_carried_over
    )
    select workflow_id, provider, is_private, labels, runner_group, runner_name,
      case when counts_seconds then (seconds % 60)::integer end as seconds_beyond,
      sum(seconds / 60)::int8 as whole_minutes,
      count(*) as jobs,
      sum(billed_minutes)::int8 as billed_minutes,
      sum(cost_nanos)::int8 as cost_nanos,
      coalesce(sum(billed_minutes) filter (where is_unpriced), 0)::int8 as unpriced_minutes
    from paid
    group by workflow_id, provider, is_private, labels, runner_group, runner_name, seconds_beyond
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
