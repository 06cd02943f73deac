import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import { sliceOfDays, type Day, type TimeSlice, type Window } from '../../platform/lib/days.ts';
import type { Providers } from '../pricing/provider.ts';
import { paidJobsOf } from './queries.ts';

export type JobGroup = {
  day: Day;
  workflowId: string;
  provider: string;
  isPrivate: boolean | null;
  labels: string[];
  runnerGroup: string | null;
  runnerName: string | null;
  /** The last of `cutAfterMinutes` that each job exceeds, or 0. */
  longerThanMinutes: number;
  /** Seconds of each job beyond its whole minutes. Null if only minutes can count. */
  secondsBeyond: number | null;
  wholeMinutes: bigint;
  startedMinutes: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  costNanos: bigint;
  unpricedMinutes: bigint;
};

/** What some price list may bill by more than minutes. */
export type TimeGrouping = {
  /** Where providers' time limits cut what jobs are billed; ascending. */
  cutAfterMinutes: readonly number[];
  bySecond: SecondsCount;
};

/** Which jobs some price list may bill by the second. These are grouped by seconds too. */
type SecondsCount = {
  always: boolean;
  providers: readonly string[];
  kinds: readonly string[];
};

/**
 * Groups the paid jobs of the slice, then reads the facts of each group. The planner may not know the table sizes
 * yet, so the statement forces index lookups per run and per row of facts, and joins that avoid nested loops.
 */
export async function findJobGroups(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  { cutAfterMinutes, bySecond }: TimeGrouping,
  providers: Providers,
): Promise<JobGroup[]> {
  const { rows } = await sql<JobGroup>`
    with paid as materialized (
      select ${utcDay(sql`j.completed_at`)} as day, j.run_id, j.facts_id, j.labels, j.runner_group, j.is_unpriced,
        ${runnerName(providers)} as runner_name, j.billed_minutes, j.cost_nanos,
        case when j.billed_minutes > 0 then ceil(date_part('epoch', j.completed_at - j.started_at))::int8 else 0 end
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
    ),
    fact as materialized (
      select each.facts_id, f.labels, f.runner_group, f.is_unpriced
      from (select distinct facts_id from paid) each
      cross join lateral (
        select labels, runner_group, is_unpriced from job_facts where org_id = ${orgId} and id = each.facts_id limit 1
      ) f
    )
    select g.day, g.workflow_id, g.provider, g.is_private, coalesce(g.labels, f.labels) as labels,
      case when g.labels is null then f.runner_group else g.runner_group end as runner_group,
      g.runner_name, g.longer_than_minutes, g.seconds_beyond,
      sum(g.whole_minutes)::int8 as whole_minutes,
      sum(g.started_minutes)::int8 as started_minutes,
      sum(g.jobs)::int8 as jobs,
      sum(g.billed_minutes)::int8 as billed_minutes,
      sum(g.cost_nanos)::int8 as cost_nanos,
      coalesce(sum(g.billed_minutes) filter (
        where case when g.labels is null then f.is_unpriced else g.is_unpriced end
      ), 0)::int8 as unpriced_minutes
    from (
      select j.day, r.workflow_id, r.provider, r.is_private, j.facts_id, j.labels, j.runner_group, j.is_unpriced,
        j.runner_name,
        coalesce(
          (${[...cutAfterMinutes]}::integer[])[width_bucket(j.seconds - 1, ${cutAfterMinutes.map((minutes) => minutes * 60)}::int8[])],
          0
        ) as longer_than_minutes,
        case when ${countsSeconds(bySecond)} then (j.seconds % 60)::integer end as seconds_beyond,
        sum(j.seconds / 60) as whole_minutes, sum((j.seconds + 59) / 60) as started_minutes, count(*) as jobs,
        sum(j.billed_minutes) as billed_minutes, sum(j.cost_nanos) as cost_nanos
      from paid j full join run r on r.run_id = j.run_id
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ) g
    full join fact f on f.facts_id = g.facts_id
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
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

/** Reduces runner names to what can decide the kind: whether it is a provider's hosted name. */
function runnerName({ hostedNames }: Providers) {
  const hosted = hostedNames.map(
    ({ prefixes, example }) =>
      sql`when lower(j.runner_name) ^@ any(${[...prefixes]}::text[]) then ${example}`,
  );
  return sql`case
    when coalesce(j.runner_name, '') = '' then null
    ${sql.join(hosted, sql` `)}
    else 'another'
  end`;
}

function countsSeconds({ always, providers, kinds }: SecondsCount) {
  return sql`(${always}::boolean or split_part(r.provider, '.', 1) = any(${providers}::text[])
    or lower(j.labels[1]) = any(${kinds}::text[])
    or j.facts_id in (select facts_id from fact where lower(labels[1]) = any(${kinds}::text[])))`;
}

export type PriceRow = { runnerKind: string; from: Day; before: Day; nanosPerMinute: bigint };

/**
 * The cost of the window's jobs as recorded and at these prices: from rollups where minutes count, and job by job for
 * the few that are billed by the second. Runner kinds without a price here keep their cost.
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
        select ${utcDay(sql`j.completed_at`)} as day, j.runner_kind, j.billed_minutes,
          -- A job over its time limit is billed by whole minutes.
          least(ceil(extract(epoch from j.completed_at - j.started_at)), j.billed_minutes * 60)::int8 as seconds
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
