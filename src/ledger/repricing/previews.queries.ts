import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import type { Providers } from '../pricing/provider.ts';
import { sliceOfDays, type TimeSlice } from '../runs/periods.ts';
import { paidJobsOf } from './queries.ts';

/** Jobs of one day that a price list prices alike, added up. */
export type JobGroup = {
  day: Day;
  workflowId: string;
  provider: string;
  isPrivate: boolean | null;
  labels: string[];
  runnerGroup: string | null;
  runnerName: string | null;
  /** Seconds of each job beyond its whole minutes; null where only minutes can count. */
  secondsBeyond: number | null;
  /** The whole minutes of all of them. */
  wholeMinutes: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  /** What they have cost. */
  costNanos: bigint;
  unpricedMinutes: bigint;
};

/** Which jobs any of some price lists may bill by the second: these must be grouped by their seconds. */
export type SecondsCount = {
  /** A rule may bill any job by the second. */
  always: boolean;
  /** Providers that bill by the second, and the kinds of their runners. */
  providers: readonly string[];
  kinds: readonly string[];
};

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

/** Of the runner's name of a job `j` only what may decide its kind: whether it is one of a provider's own. */
function runnerName({ hostedNames }: Providers) {
  const hosted = hostedNames.map(
    ({ pattern, example }) => sql`when lower(j.runner_name) ~ ${pattern} then ${example}`,
  );
  return sql`case
    when coalesce(j.runner_name, '') = '' then null
    ${sql.join(hosted, sql` `)}
    else 'another'
  end`;
}

/** Whether each second of the job `j` of the run `r` may count; minutes do otherwise. */
function countsSeconds({ always, providers, kinds }: SecondsCount) {
  return sql`(${always}::boolean or split_part(r.provider, '.', 1) = any(${providers}::text[])
    or lower(j.labels[1]) = any(${kinds}::text[]))`;
}

/** What a minute on a kind of runner costs from a day on, until the day before another. */
export type PriceRow = { runnerKind: string; from: Day; before: Day; nanosPerMinute: bigint };

/**
 * What the jobs of the window cost as recorded, and with these prices: whole minutes by the daily sums, and the few jobs
 * of such runners that are billed by the second one by one. Kinds without a price here keep their cost.
 */
export async function sumByOtherPrices(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
  prices: readonly PriceRow[],
): Promise<{ nowNanos: bigint; thenNanos: bigint }> {
  const columns = { runnerKind: 'text', from: 'date', before: 'date', nanosPerMinute: 'bigint' } as const;
  const { rows } = await sql<{ nowNanos: bigint; thenNanos: bigint }>`
    with price as materialized (
      select runner_kind, "from", before, nanos_per_minute as rate from ${unnested(prices, columns)}
    ),
    by_minute as (
      select coalesce(sum(d.cost_nanos), 0) as now,
        coalesce(sum(coalesce(d.minutes * p.rate, d.cost_nanos)), 0) as later
      from (
        select day, runner_kind, sum(minutes) as minutes, sum(cost_nanos) as cost_nanos from runner_days
        where org_id = ${orgId} and day between ${start} and ${end}
        group by day, runner_kind
      ) d
      left join price p on p.runner_kind = d.runner_kind and d.day >= p."from" and d.day < p.before
    ),
    by_second as (
      select coalesce(sum((j.seconds * p.rate + 30) / 60 - j.billed_minutes * p.rate), 0) as more
      from (
        select (j.completed_at at time zone 'UTC')::date as day, j.runner_kind, j.billed_minutes,
          case when j.billed_minutes > 0 then ceil(extract(epoch from j.completed_at - j.started_at))::int8 else 0 end
            as seconds
        from jobs j
        where ${paidJobsOf(orgId, sliceOfDays(start, end))}
          -- As the index on them has it.
          and j.rounding = 'second' and j.runner_kind ~ '^(linux|windows|macos)_'
      ) j
      join price p on p.runner_kind = j.runner_kind and j.day >= p."from" and j.day < p.before
    )
    select now::int8 as now_nanos, (later + more)::int8 as then_nanos from by_minute, by_second
  `.execute(db);
  return rows[0]!;
}
