import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { type Day, startOfDay } from '../../platform/lib/days.ts';

export type Narrowed = { repository?: string | undefined; limit: number };

function isNamed(column: string, part: string | undefined) {
  return part === undefined
    ? sql`true`
    : sql`position(lower(${part}::text) in lower(${sql.ref(column)})) > 0`;
}

export type OurMinutes = {
  day: Day;
  repository: string;
  runnerKind: string;
  /** From the latest run of the workflow up to that day. Null if unknown. */
  provider: string | null;
  isPrivate: boolean | null;
  minutes: bigint;
  /** Of runs whose standard runners GitHub does not bill. */
  freeMinutes: bigint;
  costNanos: bigint;
};

export async function findOurMinutes(
  db: Database,
  orgId: string,
  { start, end }: { start: Day; end: Day },
  { repository, limit }: Narrowed,
): Promise<OurMinutes[]> {
  const { rows } = await sql<OurMinutes>`
    select d.day, w.repository, d.runner_kind, r.provider, r.is_private,
      sum(d.minutes)::int8 as minutes, coalesce(sum(d.minutes) filter (where d.is_free), 0)::int8 as free_minutes,
      sum(d.cost_nanos)::int8 as cost_nanos
    from runner_days d
    join workflows w on w.org_id = d.org_id and w.id = d.workflow_id
    left join lateral (
      select provider, is_private from runs
      where org_id = ${orgId} and workflow_id = d.workflow_id
        and created_at < (d.day + 1)::timestamp at time zone 'UTC'
      order by created_at desc, id desc
      limit 1
    ) r on true
    where d.org_id = ${orgId} and d.day between ${start} and ${end} and (d.minutes <> 0 or d.cost_nanos <> 0)
      and ${isNamed('w.repository', repository)}
    group by d.day, w.repository, d.runner_kind, r.provider, r.is_private
    limit ${limit}
  `.execute(db);
  return rows;
}

export type PricedRunner = { repository: string; runnerKind: string };

/** The runners of priced jobs of all time. */
export async function findPricedRunners(db: Database, orgId: string): Promise<PricedRunner[]> {
  const { rows } = await sql<PricedRunner>`
    select distinct w.repository, d.runner_kind
    from (select distinct workflow_id, runner_kind from runner_days where org_id = ${orgId}) d
    join workflows w on w.org_id = ${orgId} and w.id = d.workflow_id
    where d.runner_kind <> 'unpriced'
  `.execute(db);
  return rows;
}

export type CrossedMinutes = { repository: string; runnerKind: string; minutes: bigint };

/** GitHub ends its jobs after six hours. */
export async function findCrossedMinutes(db: Database, orgId: string, day: Day): Promise<CrossedMinutes[]> {
  const begin = startOfDay(day);
  const sixHoursLater = new Date(begin.getTime() + 6 * 3_600_000 + 600_000);
  const { rows } = await sql<CrossedMinutes>`
    select w.repository, coalesce(j.runner_kind, 'unpriced') as runner_kind, sum(j.billed_minutes)::int8 as minutes
    from recorded_jobs j
    join runs r on r.org_id = j.org_id and r.id = j.run_id
    join workflows w on w.org_id = j.org_id and w.id = r.workflow_id
    where j.org_id = ${orgId} and j.completed_at >= ${begin} and j.completed_at < ${sixHoursLater}
      and j.started_at < ${begin} and j.status = 'completed' and not j.is_carried_over
    group by 1, 2
  `.execute(db);
  return rows;
}

export async function findFirstDay(db: Database, orgId: string): Promise<Day | null> {
  const { rows } = await sql<{ day: Day | null }>`
    select min(day) as day from runner_days where org_id = ${orgId}
  `.execute(db);
  return rows[0]?.day ?? null;
}

export async function findFigures(
  db: Database,
  orgId: string,
  { start, end }: { start: Day; end: Day },
): Promise<string | null> {
  const { rows } = await sql<{ figures: string | null }>`
    select md5(string_agg(d::text, ',' order by day)) as figures
    from organization_days d where org_id = ${orgId} and day between ${start} and ${end}
  `.execute(db);
  return rows[0]?.figures ?? null;
}

export async function findBilledPeriod(
  db: Database,
  orgId: string,
): Promise<{ start: Day; end: Day } | null> {
  const { rows } = await sql<{ start: Day | null; end: Day | null }>`
    select min(first_day) as start, max(last_day) as end
    from bill_reports where org_id = ${orgId} and imported_at is not null
  `.execute(db);
  const { start = null, end = null } = rows[0] ?? {};
  return start === null || end === null ? null : { start, end };
}
