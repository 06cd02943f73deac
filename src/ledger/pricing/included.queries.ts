import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';

export type IncludedDay = { day: Day; runnerKind: string; minutes: bigint };

/**
 * Minutes of each day on these kinds, of the workflows at GitHub whose repository is not known to be public, and without
 * GitHub's own for Dependabot and Pages, which are free as well. A workflow's latest run tells.
 */
export async function findIncludedDays(
  db: Database,
  orgId: string,
  { start, end }: { start: Day; end: Day },
  kinds: readonly string[],
): Promise<IncludedDay[]> {
  const { rows } = await sql<IncludedDay>`
    with used as (
      select day, workflow_id, runner_kind, minutes from runner_days
      where org_id = ${orgId} and day between ${start} and ${end} and runner_kind = any(${kinds}) and minutes > 0
    ), billed as (
      select w.workflow_id from (select distinct workflow_id from used) w
      cross join lateral (
        select provider, is_private, workflow_path from runs r
        where r.org_id = ${orgId} and r.workflow_id = w.workflow_id
        order by r.created_at desc, r.id desc
        limit 1
      ) latest
      where latest.provider = 'github' and latest.is_private is distinct from false
        and coalesce(latest.workflow_path, '') !~ '^dynamic/(dependabot|pages)/'
    )
    select day, runner_kind, sum(minutes)::int8 as minutes
    from used join billed using (workflow_id)
    group by day, runner_kind
    order by day, runner_kind
  `.execute(db);
  return rows;
}
