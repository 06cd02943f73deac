import { type RawBuilder, sql } from 'kysely';
import { utcDay } from '../../platform/db/utcDay.ts';

/** Longer jobs lose little to rounding, and merging them would make people wait. */
const longestShortMs = 120_000;

/** A merged job takes at most ten minutes, because its last short job starts before the eighth. */
const longestMergedMs = 600_000;

/** Jobs that are further apart did not wait for the same thing. */
const longestGap = sql`interval '5 minutes'`;

/**
 * Merges short jobs of one attempt, runner kind and price that end on the same day, in order of their start, if each
 * starts before or soon after the previous one ends. Ignores repeated jobs, which would repeat the others too.
 */
export function mergedJobs(jobs: RawBuilder<unknown>) {
  const alike = sql`run_id, attempt, runner_kind, nanos_per_minute, day`;
  const inOrder = sql`order by started_at, completed_at, job_id`;
  return sql`
    ended as (
      select *, ${utcDay(sql`completed_at`)} as day from ${jobs}
      where rounds and elapsed_ms <= ${longestShortMs} and not is_repeated
    ),
    short as (
      select run_id, attempt, job_id, day, runner_kind, nanos_per_minute, started_at, completed_at,
        elapsed_ms::int4 as elapsed_ms, billed_minutes, cost_nanos - least(cost_nanos, ${costOf(sql`elapsed_ms`)}) as rounding_nanos,
        started_at > ${longestGap} + lag(completed_at) over (
          partition by ${alike} ${inOrder}
        ) as is_apart
      from ended
    ),
    chained as (
      select *, count(*) filter (where is_apart) over (
        partition by ${alike} ${inOrder}
      ) as chain
      from short
    ),
    binned as (
      select *,
        (sum(elapsed_ms) over (partition by ${alike}, chain ${inOrder}) - elapsed_ms)
        / ${longestMergedMs - longestShortMs} as bin
      from chained
    ),
    merged as (
      select run_id, attempt, min(job_id) as first_job_id, array_agg(job_id) as job_ids,
        least(
          (sum(billed_minutes) - (sum(elapsed_ms) + 59999) / 60000) * nanos_per_minute,
          sum(rounding_nanos)
        )::int8 as nanos,
        -- Jobs that ran one after the other would take no longer as one job.
        case
          when sum(elapsed_ms) > ${milliseconds(sql`max(completed_at) - min(started_at)`)} then sum(elapsed_ms) else 0
        end::int8 as ms
      from binned
      group by ${alike}, chain, bin
      having count(*) > 1 and sum(billed_minutes) > (sum(elapsed_ms) + 59999) / 60000
    ),
    merged_jobs as materialized (
      select run_id, attempt, job_id, job_id = first_job_id as is_first, nanos, ms
      from merged cross join lateral unnest(job_ids) as job_id
    )
  `;
}

export function milliseconds(interval: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(0, round(date_part('epoch', ${interval}) * 1000))::int8`;
}

/** Rounded down, without an intermediate product that overflows 64 bits. */
export function costOf(ms: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(nanos_per_minute * (${ms} / 60000) + nanos_per_minute * (${ms} % 60000) / 60000)`;
}
