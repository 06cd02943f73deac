import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

export type DayRuns = { day: Day; runs: bigint; completedRuns: bigint };

/** Runs of the organization by the day on which they were created, for each day of the window that has any. */
export function findDayRuns(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayRuns[]> {
  return db
    .selectFrom('organizationDays')
    .select(['day', 'runs', 'completedRuns'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .where('runs', '>', 0n)
    .orderBy('day')
    .execute();
}

export type FlaggedJobs = { runsExamined: number; counts: Map<string, number> };

/** Jobs by flag, of the `most` newest runs of the window: no index leads to flagged jobs. */
export async function countFlaggedJobs(
  db: Database,
  orgId: string,
  { start, end }: Window,
  most: number,
): Promise<FlaggedJobs> {
  const { rows } = await sql<{ flag: string | null; count: bigint }>`
    with newest as materialized (
      select id from runs
      where org_id = ${orgId}
        and created_at >= ${startOfDay(start)} and created_at < ${startOfDay(addDays(end, 1))}
      order by created_at desc, id desc
      limit ${most}
    )
    select f.flag, count(*) as count
    from newest
    cross join lateral (
      select flags from jobs where org_id = ${orgId} and run_id = newest.id and flags <> '{}'
    ) j
    cross join lateral unnest(j.flags) f (flag)
    group by f.flag
    union all
    select null, count(*) from newest
  `.execute(db);
  const counts = new Map(rows.map(({ flag, count }) => [flag, Number(count)]));
  const runsExamined = counts.get(null) ?? 0;
  counts.delete(null);
  return { runsExamined, counts: counts as Map<string, number> };
}

/** When something was last heard from a CI system: by a source's events, or by the newest run's latest report. */
export async function findLastEventAt(db: Database, orgId: string): Promise<Date | null> {
  const { rows } = await sql<{ lastEventAt: Date | null }>`
    select greatest(
      (select max(last_event_at) from sources where org_id = ${orgId}),
      (select reported_at from runs where org_id = ${orgId} order by created_at desc, id desc limit 1)
    ) as last_event_at
  `.execute(db);
  return rows[0]?.lastEventAt ?? null;
}
