import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import { sliceOfDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

export async function findWorkflowNames(
  db: Database,
  orgId: string,
): Promise<Map<string, { name: string; repository: string }>> {
  const workflows = await db
    .selectFrom('workflows')
    .select(['id', 'name', 'repository'])
    .where('orgId', '=', orgId)
    .execute();
  return new Map(workflows.map(({ id, ...names }) => [id, names]));
}

export type LatestRun = { workflowId: string; createdAt: Date; status: string; conclusion: string | null };

/** The latest run of each of these workflows that has one in the window. Rollups and columns do not know which run is open. */
export async function findLatestRuns(
  db: Database,
  orgId: string,
  { start, end }: Window,
  workflowIds: readonly string[],
): Promise<Map<string, LatestRun>> {
  const { from, until } = sliceOfDays(start, end);
  const { rows } = await sql<LatestRun>`
    select w.id as workflow_id, r.* from unnest(${[...workflowIds]}::text[]) as w (id)
    cross join lateral (
      select created_at, status, conclusion from runs
      where org_id = ${orgId} and workflow_id = w.id and created_at >= ${from} and created_at < ${until}
      order by created_at desc, id desc
      limit 1
    ) r
  `.execute(db);
  return new Map(rows.map((run) => [run.workflowId, run]));
}

/** The last day before this one on which a job of each workflow completed. Goes back day by day, because the key of sums begins with it. */
export async function findLastDays(
  db: Database,
  orgId: string,
  workflowIds: readonly string[],
  before: Day,
): Promise<ReadonlyMap<string, Day>> {
  const { rows } = await sql<{ id: string; day: Day }>`
    select w.id, last.day from unnest(${[...workflowIds]}::text[]) as w (id)
    cross join lateral (
      select o.day from organization_days o
      cross join lateral (
        select from workflow_days
        where org_id = ${orgId} and day = o.day and workflow_id = w.id and jobs > 0
      ) d
      where o.org_id = ${orgId} and o.day < ${before}
      order by o.day desc
      limit 1
    ) last
  `.execute(db);
  return new Map(rows.map(({ id, day }) => [id, day]));
}

/** Runs that are looked through. They limit the time. */
const maxEarlierRuns = 5_000;

/** When jobs of these names last completed before a day. `isWhole` says whether no earlier job was left out. */
export async function findLastDaysOfJobs(
  db: Database,
  orgId: string,
  { workflowId, names, before }: { workflowId: string; names: readonly (string | null)[]; before: Day },
): Promise<{ lastDays: ReadonlyMap<string | null, Day>; isWhole: boolean }> {
  const start = startOfDay(before);
  const { rows } = await sql<{ names: (string | null)[]; days: Day[]; isWhole: boolean }>`
    with run as materialized (
      select id from runs
      where org_id = ${orgId} and workflow_id = ${workflowId} and created_at < ${start}
      order by created_at desc
      limit ${maxEarlierRuns}
    ), last as (
      select j.name, max(j.completed_at) as at from run
      cross join lateral (
        -- Run by run: a join may read all jobs that there are.
        select name, completed_at from jobs
        where org_id = ${orgId} and run_id = run.id and status = 'completed' and not is_carried_over
          and completed_at < ${start}
        offset 0
      ) j
      where coalesce(j.name, '') = any(${names.map((name) => name ?? '')}::text[])
      group by j.name
    )
    select array(select name from last order by name) as names,
      array(select (${utcDay(sql`at`)})::text from last order by name) as days,
      (select count(*) from run) < ${maxEarlierRuns}
        and not exists (select from kept_columns where org_id = ${orgId} and facts = 'jobs') as is_whole
  `.execute(db);
  const [found] = rows;
  return {
    lastDays: new Map(found!.names.map((name, place) => [name, found!.days[place]!])),
    isWhole: found!.isWhole,
  };
}
