import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { sliceOfDays } from '../runs/slices.ts';
import { paidJobsOf } from './paidJobs.queries.ts';

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
