import { sql, type RawBuilder } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { BillableJob } from '../pricing/cost.ts';
import type { Providers } from '../pricing/provider.ts';
import type { StoredJob } from '../runs/history.ts';
import { sliceOfDays } from '../runs/slices.ts';
import { countsSeconds, paidJobsOf, runnerName } from './paidJobs.queries.ts';
import type { PricedFacts } from './pricedFacts.ts';
import type { SecondsCount } from './priceGroups.ts';
import type { JobKey } from './queries.ts';
import type { RepriceState } from './repriceTask.ts';

type JobPlace = NonNullable<RepriceState['cursor']>;

/** Paid jobs that completed on these days, in the order of their completion: those after `after` up to `last`. */
type JobPage = { from: Day; to: Day; after: JobPlace | null; last: JobPlace };

/** How far the next paid jobs reach, and how many they are; null where none are left. */
export async function findJobPage(
  tx: Transaction,
  orgId: string,
  { from, to, after, limit }: Omit<JobPage, 'last'> & { limit: number },
): Promise<{ last: JobPlace; jobs: number } | null> {
  const { rows } = await sql<JobPlace & { jobs: number }>`
    with page as materialized (
      select completed_at, run_id, attempt, job_id from jobs j
      where ${paidJobsOf(orgId, sliceOfDays(from, to))} ${after ? sql`and ${place} > ${placeOf(after)}` : sql``}
      order by completed_at, run_id, attempt, job_id
      limit ${limit}
    )
    select to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as completed_at,
      run_id, attempt, job_id, (select count(*)::integer from page) as jobs
    from page
    order by page.completed_at desc, run_id desc, attempt desc, job_id desc
    limit 1
  `.execute(tx);
  if (!rows[0]) return null;
  const { jobs, ...last } = rows[0];
  return { last, jobs };
}

const place = sql`(j.completed_at, j.run_id, j.attempt, j.job_id)`;

function placeOf({ completedAt, runId, attempt, jobId }: JobPlace) {
  return sql`(${completedAt}::timestamptz, ${runId}, ${attempt}::integer, ${jobId})`;
}

/** What pricing decides of a job `j`. */
const price = sql`j.runner_kind, j.runner_rule, j.billed_minutes, j.rounding, j.price_book_id, j.price_rule_id,
  j.is_unpriced, j.flags, j.nanos_per_minute, j.cost_nanos`;

/** Jobs that cost the same, and that any price list prices alike: one of them, and where they all lie. */
export type AlikeJobs = BillableJob & Pick<StoredJob, keyof PricedFacts> & { jobRows: string[] };

/** The jobs of the page, those together that are alike. */
export async function findAlikeJobs(
  tx: Transaction,
  orgId: string,
  { from, to, after, last }: JobPage,
  seconds: SecondsCount,
  providers: Providers,
): Promise<AlikeJobs[]> {
  const { rows } = await sql<AlikeJobs>`
    with page as materialized (
      select j.ctid as job_row, r.provider,
        row(
          r.provider, j.labels, j.runner_group, ${runnerName(providers)}, (j.completed_at at time zone 'UTC')::date,
          j.raw_conclusion is not distinct from 'skipped', j.ran is not distinct from false,
          j.completed_at < j.started_at,
          ceil(
            extract(epoch from j.completed_at - j.started_at)
              / case when ${countsSeconds(seconds)} then 1 else 60 end
          ),
          ${price}
        ) as alike
      from jobs j cross join lateral (${runOfJob}) r
      where ${paidJobsOf(orgId, sliceOfDays(from, to))} and ${place} <= ${placeOf(last)}
        ${after ? sql`and ${place} > ${placeOf(after)}` : sql``}
        -- Of bounds that are rows a server expects a quarter of all between them, and compiles the query for so many.
        and j.completed_at <= ${last.completedAt}::timestamptz
        ${after ? sql`and j.completed_at >= ${after.completedAt}::timestamptz` : sql``}
    )
    select each.job_rows, each.provider, j.labels, j.runner_name, j.runner_group, j.status, j.raw_conclusion, j.ran,
      j.started_at, j.completed_at, ${price}
    from (
      select array_agg(job_row::text) as job_rows, min(job_row) as sample, min(provider) as provider
      from page group by alike
    ) each
    cross join lateral (select * from jobs where ctid = each.sample limit 1) j
  `.execute(tx);
  return rows;
}

// A limit makes it one look into an index a job, whatever the database believes of the size of the tables.
const runOfJob = sql`
  select r.ctid as run_row, r.workflow_id, r.provider from runs r
  where r.org_id = j.org_id and r.id = j.run_id limit 1`;

/** What jobs of one day and workflow that are alike came to together before, and come to after. */
export type Difference = {
  day: Day;
  workflowId: string;
  labels: string[];
  runnerGroup: string | null;
  isChanged: boolean;
  jobs: bigint;
  kindBefore: string | null;
  wasUnpriced: boolean;
  minutesBefore: bigint;
  nanosBefore: bigint;
  kindAfter: string | null;
  isUnpriced: boolean;
  minutesAfter: bigint;
  nanosAfter: bigint;
};

/** What jobs that are alike cost, and will. */
export type NewPrice = { jobRows: string[]; isChanged: boolean; before: PricedFacts; after: PricedFacts };

/** What other prices make of jobs. Nothing is changed. */
export async function findNewPrices(tx: Transaction, prices: readonly NewPrice[]): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with ${jobsWithPrices(prices)} ${differences}
  `.execute(tx);
  return rows;
}

/** The same, and the jobs and their runs get them, and it is logged. Sums of days are left as they are. */
export async function saveNewPrices(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  prices: readonly NewPrice[],
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with ${jobsWithPrices(prices)}, ${saved(orgId, id)} ${differences}
  `.execute(tx);
  return rows;
}

function jobsWithPrices(prices: readonly NewPrice[]) {
  const jobs = prices.flatMap(({ jobRows }, number) => jobRows.map((jobRow) => ({ jobRow, number })));
  const rows = prices.map(({ isChanged, before, after }, number) => ({
    ...{ number, isChanged, before: JSON.stringify(before), after: JSON.stringify(after) },
  }));
  return sql`
    price as materialized (
      select number, is_changed, before::jsonb as before, after::jsonb as after, ${newPrice}
      from ${unnested(rows, { number: 'integer', isChanged: 'boolean', before: 'text', after: 'text' })}
      cross join lateral ${logged('n', sql`after::jsonb`)}
    ),
    priced as materialized (
      select ${jobAndRun}, ${factsDigest} as facts, ${newNames}, before, after, is_changed
      from (
        select j.*, j.ctid as job_row, r.*, row.number
        from ${unnested(jobs, { jobRow: 'text', number: 'integer' })}
        join jobs j on j.ctid = row.job_row::tid
        cross join lateral (${runOfJob}) r
      ) j
      full join price on price.number = j.number
    )`;
}

const jobAndRun = sql`j.job_row, j.run_row, j.workflow_id, j.run_id, j.attempt, j.job_id, j.completed_at,
  j.labels, j.runner_group, j.runner_kind, j.billed_minutes, j.is_unpriced, j.cost_nanos`;

/** A digest of all that the price of a job `j` depends on besides prices. */
const factsDigest = sql`md5(row(
  j.labels, j.runner_name, j.runner_group, j.status, j.raw_conclusion, j.ran, j.is_carried_over,
  extract(epoch from j.started_at), extract(epoch from j.completed_at))::text)`;

/** A price as it is logged, as a row. */
function logged(name: 'n' | 'o', facts: RawBuilder<unknown>) {
  return sql`jsonb_to_record(${facts}) as ${sql.ref(name)} (
    "runnerKind" text, "runnerRule" text, "billedMinutes" integer, rounding text, "priceBookId" text,
    "priceRuleId" text, "isUnpriced" boolean, flags text[], "nanosPerMinute" bigint, "costNanos" bigint)`;
}

const newPrice = sql`
  n."runnerKind" as new_kind, n."runnerRule" as new_rule, n."billedMinutes" as new_minutes, n.rounding as new_rounding,
  n."priceBookId" as new_book, n."priceRuleId" as new_price_rule, n."isUnpriced" as new_unpriced,
  n.flags as new_flags, n."nanosPerMinute" as new_nanos_per_minute, n."costNanos" as new_cost`;
const newNames = sql`new_kind, new_rule, new_minutes, new_rounding, new_book, new_price_rule, new_unpriced, new_flags,
  new_nanos_per_minute, new_cost`;
const oldPrice = sql`row(o."runnerKind", o."runnerRule", o."billedMinutes", o.rounding, o."priceBookId",
  o."priceRuleId", o."isUnpriced", o.flags, o."nanosPerMinute", o."costNanos")`;

/** Changes of a reprice by run, attempt and job: those after `after` up to `last`. */
type ChangePage = { repriceId: string; after: JobKey | null; last: JobKey };

/** How far the next changes of a reprice reach, and how many they are; null where none are left. */
export async function findChangePage(
  tx: Transaction,
  orgId: string,
  { repriceId, after, limit }: Omit<ChangePage, 'last'> & { limit: number },
): Promise<{ last: JobKey; jobs: number } | null> {
  const { rows } = await sql<JobKey & { jobs: number }>`
    with page as materialized (
      select run_id, attempt, job_id from reprice_changes
      where org_id = ${orgId} and reprice_id = ${repriceId} ${after ? sql`and ${key} > ${keyOf(after)}` : sql``}
      order by run_id, attempt, job_id
      limit ${limit}
    )
    select *, (select count(*)::integer from page) as jobs from page
    order by run_id desc, attempt desc, job_id desc
    limit 1
  `.execute(tx);
  if (!rows[0]) return null;
  const { jobs, ...last } = rows[0];
  return { last, jobs };
}

const key = sql`(run_id, attempt, job_id)`;

function keyOf({ runId, attempt, jobId }: JobKey) {
  return sql`(${runId}, ${attempt}::integer, ${jobId})`;
}

/**
 * Gives the jobs of these changes what they cost before, where they are as they were when it was logged: neither
 * reported anew nor priced anew since. Sums of days are left as they are. A full join, for that does not compare every
 * change with every price, as others may where nobody has told the database how many there are.
 */
export async function restorePrices(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  { repriceId, after, last }: ChangePage,
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with page as materialized (
      select * from reprice_changes
      where org_id = ${orgId} and reprice_id = ${repriceId} and ${key} <= ${keyOf(last)}
        ${after ? sql`and ${key} > ${keyOf(after)}` : sql``}
        -- As above.
        and run_id <= ${last.runId} ${after ? sql`and run_id >= ${after.runId}` : sql``}
    ),
    price as materialized (
      select before, after, ${newPrice}, ${oldPrice} as old_price
      from (select distinct before, after from page) each
      cross join lateral ${logged('n', sql`before`)} cross join lateral ${logged('o', sql`after`)}
    ),
    priced as materialized (
      select ${jobAndRun}, j.facts, ${newNames}, price.after as before, price.before as after, true as is_changed
      from page full join price on price.before = page.before and price.after = page.after
      cross join lateral (
        select j.*, j.ctid as job_row, r.*, ${factsDigest} as facts, row(${price}) as old_price
        from jobs j cross join lateral (${runOfJob}) r
        where j.org_id = page.org_id and j.run_id = page.run_id and j.attempt = page.attempt
          and j.job_id = page.job_id
        limit 1
      ) j
      where j.facts = page.facts and j.old_price = price.old_price
    ),
    ${saved(orgId, id)} ${differences}
  `.execute(tx);
  return rows;
}

/**
 * Writes and logs what is `priced`. Rows are found by where they lie and not by their keys, which the database would look
 * for in all of the organization where nobody has told it how large that is; under the lock of costs they lie still.
 */
function saved(orgId: string, id: string) {
  return sql`
    logged as (
      insert into reprice_changes (org_id, reprice_id, run_id, attempt, job_id, facts, before, after)
      select ${orgId}::uuid, ${id}, run_id, attempt, job_id, facts, before, after from priced where is_changed
    ),
    saved_jobs as (
      update jobs j
      set runner_kind = new_kind, runner_rule = new_rule, billed_minutes = new_minutes, rounding = new_rounding,
        price_book_id = new_book, price_rule_id = new_price_rule, is_unpriced = new_unpriced, flags = new_flags,
        nanos_per_minute = new_nanos_per_minute, cost_nanos = new_cost
      from priced p
      where j.ctid = p.job_row and p.is_changed
    ),
    saved_runs as (
      update runs r set cost_nanos = r.cost_nanos + p.nanos
      from (
        select run_row, sum(new_cost - cost_nanos)::int8 as nanos from priced where is_changed group by run_row
      ) p
      where r.ctid = p.run_row and p.nanos <> 0
    )`;
}

const differences = sql`
  select to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD') as day, workflow_id, is_changed,
    case when is_unpriced or new_unpriced then labels else '{}' end as labels,
    case when is_unpriced or new_unpriced then runner_group end as runner_group,
    runner_kind as kind_before, is_unpriced as was_unpriced, new_kind as kind_after, new_unpriced as is_unpriced,
    count(*) as jobs,
    sum(billed_minutes)::int8 as minutes_before, sum(new_minutes)::int8 as minutes_after,
    sum(cost_nanos)::int8 as nanos_before, sum(new_cost)::int8 as nanos_after
  from priced
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9`;
