import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import type { Day, TimeSlice } from '../../platform/lib/days.ts';

/** Billed jobs of one name, day and runner. */
export type TimedCell = {
  day: Day;
  workflowId: string;
  provider: string;
  isPrivate: boolean | null;
  /** Only of workflows that the provider runs itself, because these can be free. */
  workflowPath: string | null;
  name: string;
  labels: string[];
  runnerGroup: string | null;
  runnerKind: string | null;
  /** In milliseconds, of all jobs, and of those that succeeded, in the order of their end. */
  billed: number[];
  passed: number[];
};

/** Of runs that were created in the slice. Null means all workflows. */
export async function findTimedCells(
  db: Database,
  orgId: string,
  { slice, workflowIds }: { slice: TimeSlice; workflowIds: readonly string[] | null },
): Promise<TimedCell[]> {
  const ofWorkflows = workflowIds === null ? sql`true` : sql`workflow_id = any(${workflowIds}::text[])`;
  const { rows } = await sql<TimedCell>`
    with run as materialized (
      select id, workflow_id, provider, is_private,
        case when workflow_path like 'dynamic/%' then workflow_path end as workflow_path
      from runs
      where org_id = ${orgId} and created_at >= ${slice.from} and created_at < ${slice.until} and ${ofWorkflows}
    )
    select ${utcDay(sql`j.completed_at`)} as day, r.workflow_id, r.provider, r.is_private, r.workflow_path,
      j.name, j.labels, j.runner_group, j.runner_kind,
      array_agg(j.ms order by j.completed_at) as billed,
      coalesce(array_agg(j.ms order by j.completed_at) filter (where j.raw_conclusion = 'success' and j.ms > 0), '{}') as passed
    from run r
    cross join lateral (
      -- Run by run: a join may read all jobs that there are.
      select name, labels, runner_group, runner_kind, raw_conclusion, completed_at,
        -- A job over its time limit is billed by whole minutes.
        least(floor(extract(epoch from completed_at - started_at) * 1000), billed_minutes * 60000)::int4 as ms
      from recorded_jobs
      where org_id = ${orgId} and run_id = r.id and status = 'completed' and not is_carried_over
        and billed_minutes > 0 and name is not null
      offset 0
    ) j
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  `.execute(db);
  return rows;
}
