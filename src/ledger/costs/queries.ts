import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

export type RecentRun = {
  id: string;
  workflowId: string;
  workflowName: string;
  repository: string;
  branch: string | null;
  runNumber: number | null;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  costNanos: bigint;
  durationSeconds: number;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
};

export function findRecentRuns(db: Database, orgId: string, start: Day, limit: number): Promise<RecentRun[]> {
  return db
    .selectFrom('runs')
    .innerJoin('workflows', (join) =>
      join.onRef('workflows.orgId', '=', 'runs.orgId').onRef('workflows.id', '=', 'runs.workflowId'),
    )
    .select((run) => [
      'runs.id',
      'runs.workflowId',
      run.fn.coalesce('runs.workflowName', 'workflows.name').as('workflowName'),
      'runs.repository',
      'runs.branch',
      'runs.runNumber',
      'runs.status',
      'runs.conclusion',
      'runs.costNanos',
      'runs.durationSeconds',
      'runs.createdAt',
      'runs.startedAt',
      'runs.completedAt',
    ])
    .where('runs.orgId', '=', orgId)
    .where('runs.createdAt', '>=', startOfDay(start))
    .orderBy('runs.createdAt', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute();
}

export type FlaggedJobs = { runsExamined: number; counts: Map<string, number> };

/** Counts jobs by flag among the last `maxJobs` that completed in the window, because no index finds flagged jobs. */
export async function countFlaggedJobs(
  db: Database,
  orgId: string,
  { start, end }: Window,
  maxJobs: number,
): Promise<FlaggedJobs> {
  const { rows } = await sql<{ flag: string | null; count: bigint }>`
    with newest as materialized (
      select run_id, facts_id, labels, flags from jobs
      where org_id = ${orgId}
        and completed_at >= ${startOfDay(start)} and completed_at < ${startOfDay(addDays(end, 1))}
        and status = 'completed' and not is_carried_over
      order by completed_at desc
      limit ${maxJobs}
    )
    select f.flag, sum(g.jobs)::int8 as count
    from (
      select facts_id, labels is null as has_facts, flags, count(*) as jobs from newest group by 1, 2, 3
    ) g
    cross join lateral unnest(case when g.has_facts
      then (select flags from job_facts where org_id = ${orgId} and id = g.facts_id)
      else g.flags
    end) f (flag)
    group by f.flag
    union all
    select null, count(distinct run_id) from newest
  `.execute(db);
  const counts = new Map(rows.map(({ flag, count }) => [flag, Number(count)]));
  const runsExamined = counts.get(null) ?? 0;
  counts.delete(null);
  return { runsExamined, counts: counts as Map<string, number> };
}

export async function findLastEventAt(db: Database, orgId: string): Promise<Date | null> {
  const { rows } = await sql<{ lastEventAt: Date | null }>`
    select greatest(
      (select max(last_event_at) from sources where org_id = ${orgId}),
      (select reported_at from runs where org_id = ${orgId} order by created_at desc, id desc limit 1)
    ) as last_event_at
  `.execute(db);
  return rows[0]?.lastEventAt ?? null;
}
