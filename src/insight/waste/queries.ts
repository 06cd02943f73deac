import { sql, type RawBuilder } from 'kysely';
import type { Program } from '../../context.ts';
import type { Provider, Providers } from '../../ledger/pricing/provider.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import { startOfDay, type Day, type TimeSlice } from '../../platform/lib/days.ts';
import type { JobGroup, PaidGroup } from './jobGroups.ts';
import { costOf, mergedJobs, milliseconds } from './merging.queries.ts';

export type WorkflowName = { id: string; name: string; repository: string };

export type WasteFilter = {
  workflowId: string | undefined;
  repo: string | undefined;
};

export async function findWorkflows(
  db: Database,
  orgId: string,
  { workflowId, repo }: WasteFilter,
): Promise<WorkflowName[]> {
  const conditions = [sql`org_id = ${orgId}`];
  if (workflowId !== undefined) conditions.push(sql`id = ${workflowId}`);
  if (repo !== undefined)
    conditions.push(sql`lower(${repo}) in (lower(repository), lower(split_part(repository, '/', -1)))`);
  const { rows } = await sql<WorkflowName>`
    select id, name, repository from workflows where ${sql.join(conditions, sql` and `)}
  `.execute(db);
  return rows;
}

/** Tables and conditions that select jobs `j` of runs `r`. */
type Choice = RawBuilder<unknown>;

function ofSlice(orgId: string, { from, until }: TimeSlice, workflowIds: readonly string[] | null): Choice {
  const inTime = sql`j.completed_at >= ${from} and j.completed_at < ${until}`;
  return jobsWhere(
    orgId,
    workflowIds === null ? inTime : sql`${inTime} and r.workflow_id = any(${workflowIds}::text[])`,
  );
}

function jobsWhere(orgId: string, condition: RawBuilder<unknown>): Choice {
  return sql`
    from recorded_jobs j
    cross join lateral (
      -- Run by run: a join may read all runs that there are.
      select workflow_id, provider, attempt, event, branch, created_at
      from runs where org_id = ${orgId} and id = j.run_id
      limit 1
    ) r
    where j.org_id = ${orgId} and ${condition}`;
}

/** All jobs of a workflow's runs that were created in the slice. */
export type RunSlice = { workflowId: string } & TimeSlice;

function ofRuns(orgId: string, slices: readonly RunSlice[]): Choice {
  const columns = { workflowId: 'text', since: 'timestamptz', until: 'timestamptz' } as const;
  const rows = slices.map(({ from, ...slice }) => ({ ...slice, since: from }));
  return sql`
    from ${unnested(rows, columns)}
    cross join lateral (
      select id, workflow_id, provider, attempt, event, branch, created_at
      from runs
      where org_id = ${orgId} and workflow_id = row.workflow_id and created_at >= row.since and created_at < row.until
      offset 0 -- run by run, as above
    ) r
    cross join lateral (select * from recorded_jobs where org_id = ${orgId} and run_id = r.id offset 0) j
    where true`;
}

function paidJobs(choice: Choice, providers: Providers) {
  const createEarly = idsOf(providers, ({ createsJobsEarly }) => createsJobsEarly);
  return sql`
    select
      j.run_id, j.attempt, j.job_id, coalesce(j.name, j.job_id) as name, j.raw_conclusion, j.runner_kind,
      j.started_at, j.completed_at, j.billed_minutes, j.nanos_per_minute, j.cost_nanos,
      r.workflow_id, r.provider, r.attempt as last_attempt, r.event, r.branch, r.created_at as run_created_at,
      j.rounding = 'minute' and j.cost_nanos > 0 as rounds,
      case when j.billed_minutes = 0 then 0 else ${milliseconds(sql`j.completed_at - j.started_at`)} end as elapsed_ms,
      case
        when j.billed_minutes > 0 or (j.ran and j.raw_conclusion is distinct from 'skipped') then 0
        -- They may have waited for other jobs, or for a person.
        when j.awaited_approval or ${isOneOf(sql`r.provider`, createEarly)} then 0
        else ${milliseconds(sql`j.completed_at - coalesce(j.created_at, j.completed_at)`)}
      end as waited_ms
    -- A job may be completed without an end: it costs nothing and wasted nothing.
    ${choice} and j.status = 'completed' and j.completed_at is not null and not j.is_carried_over
  `;
}

function idsOf(providers: Providers, isMeant: (provider: Provider) => boolean): string[] {
  return providers.list.filter(isMeant).map(({ id }) => id);
}

/** Also matches self-hosted servers of a provider, such as `github.example.com`. */
function isOneOf(provider: RawBuilder<unknown>, ids: readonly string[]): RawBuilder<boolean> {
  return sql`split_part(${provider}, '.', 1) = any(${ids}::text[])`;
}

/**
 * Finds jobs that ran again in a later turn of their run, by name. A turn is an attempt. For providers without
 * attempts, each retry is a turn. If several jobs share a name, unsuccessful ones count as repeated first.
 */
function repeatedJobs(orgId: string, providers: Providers) {
  const withoutAttempts = idsOf(providers, ({ hasAttempts }) => !hasAttempts);
  return sql`
    performances as materialized (
      select again.run_id, again.has_turns, j.*,
        case
          when again.has_turns then j.attempt
          else row_number() over (partition by again.run_id, j.name order by j.created_at, j.started_at, j.job_id)
        end as turn
      from (
        select distinct run_id, not ${isOneOf(sql`provider`, withoutAttempts)} as has_turns from paid
        where attempt < last_attempt or ${isOneOf(sql`provider`, withoutAttempts)}
      ) again
      cross join lateral (
        select attempt, job_id, created_at, started_at, coalesce(name, job_id) as name,
          coalesce(raw_conclusion in ('success', 'neutral'), false) as succeeded,
          status = 'completed' and ran is distinct from false
            and coalesce(raw_conclusion not in ('skipped', 'cancelled', 'stale', 'action_required'), true) as counts
        from recorded_jobs
        where org_id = ${orgId} and run_id = again.run_id and not is_carried_over
        offset 0 -- run by run, as above
      ) j
    ),
    turns as (
      select run_id, name, turn, count(*) as times, bool_or(succeeded) as succeeded
      from performances where counts and has_turns group by run_id, name, turn
    ),
    repeated as materialized (
      select p.run_id, p.attempt, p.job_id, bool_or(t.succeeded) as succeeded_later
      from (
        select *, row_number() over (partition by run_id, turn, name order by succeeded, job_id) as place
        from performances where has_turns
      ) p
      join turns t on t.run_id = p.run_id and t.name = p.name and t.turn > p.turn and t.times >= p.place
      group by p.run_id, p.attempt, p.job_id
      union all
      -- Each is a turn of its own. Comparing them one by one would take minutes for a job with thousands of retries.
      select run_id, attempt, job_id, succeeded_later
      from (
        select run_id, attempt, job_id, bool_or(counts) over later as is_repeated,
          bool_or(counts and succeeded) over later as succeeded_later
        from performances where not has_turns
        window later as (
          partition by run_id, name order by turn desc rows between unbounded preceding and 1 preceding
        )
      ) retried
      where is_repeated
    )
  `;
}

const supersedingEvents = ['push', 'pull_request', 'pull_request_target', 'merge_request_event'];

function overtakenRuns(orgId: string) {
  return sql`
    overtaken as materialized (
      select s.run_id, newer.created_at as overtaken_at
      from (
        select run_id, workflow_id, event, branch, run_created_at, max(completed_at) as ended_at
        from paid
        where attempt = 1 and event in (${sql.join(supersedingEvents)}) and branch is not null and elapsed_ms > 0
        group by run_id, workflow_id, event, branch, run_created_at
      ) s
      cross join lateral (
        select n.created_at from runs n
        where n.org_id = ${orgId} and n.workflow_id = s.workflow_id
          and n.created_at > s.run_created_at
          and n.created_at < least(s.ended_at, s.run_created_at + interval '1 day')
          and n.branch = s.branch and n.event = s.event and n.conclusion is distinct from 'skipped'
        order by n.created_at
        limit 1
      ) newer
    )
  `;
}

export type NamedRun = {
  id: string;
  runNumber: number | null;
  branch: string | null;
  conclusion: string | null;
  createdAt: Date;
};

export async function findNamedRuns(
  db: Database,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, NamedRun>> {
  if (ids.length === 0) return new Map();
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'runNumber', 'branch', 'conclusion', 'createdAt'])
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(runs.map((run) => [run.id, run]));
}

type Read = Pick<Program, 'db' | 'providers'>;

/** Groups the paid jobs of a slice. Keep slices small, because their groups are in memory. */
export function findJobGroups(
  program: Read,
  orgId: string,
  slice: TimeSlice,
  workflowIds: readonly string[] | null,
): Promise<JobGroup[]> {
  return inTransaction(program.db, (tx) =>
    findTimed(tx, program, orgId, {
      choice: ofSlice(orgId, slice, workflowIds),
      further: sql`, ${mergedJobs(sql.ref('judged'))}`,
      select: sql<JobGroup>`
        select ${named}
        from timed p ${withMerged}
        group by workflow_id, name, is_push, ${outcomes}
      `,
    }),
  );
}

/** `readsNext`: a job ended after the day its run was created, so a run of the next day can supersede it. */
export type UnitGroup = JobGroup & { day: Day; createdOn: Day; readsNext: boolean };

/** Groups the paid jobs of these runs by the days of creation and completion. */
export function findUnitGroups(
  tx: Transaction,
  program: Pick<Read, 'providers'>,
  orgId: string,
  slices: readonly RunSlice[],
): Promise<UnitGroup[]> {
  return findTimed(tx, program, orgId, {
    choice: ofRuns(orgId, slices),
    further: sql`, ${mergedJobs(sql.ref('judged'))}`,
    select: sql<UnitGroup>`
      select ${utcDay(sql`completed_at`)} as day, ${utcDay(sql`run_created_at`)} as created_on,
        bool_or(${utcDay(sql`completed_at`)} > ${utcDay(sql`run_created_at`)}) as reads_next, ${named}
      from timed p ${withMerged}
      group by 1, 2, workflow_id, name, is_push, ${outcomes}
      order by name collate "C"
    `,
  });
}

export type DayGroup = PaidGroup & { day: Day; workflowId: string };

/** Ignores job names, so that long windows have few rows. */
export function findDayGroups(
  program: Read,
  orgId: string,
  slice: TimeSlice,
  workflowIds: readonly string[] | null,
): Promise<DayGroup[]> {
  return inTransaction(program.db, (tx) =>
    findTimed(tx, program, orgId, {
      choice: ofSlice(orgId, slice, workflowIds),
      select: sql<DayGroup>`
        select ${utcDay(sql`completed_at`)} as day, workflow_id, ${split}
        from timed group by 1, workflow_id, ${outcomes}
      `,
    }),
  );
}

export type RunGroup = PaidGroup & { runId: string };

export function findRunGroups(
  program: Read,
  orgId: string,
  slice: TimeSlice,
  workflowId: string,
): Promise<RunGroup[]> {
  return inTransaction(program.db, (tx) =>
    findTimed(tx, program, orgId, {
      choice: ofSlice(orgId, slice, [workflowId]),
      select: sql<RunGroup>`select run_id, ${split} from timed group by run_id, ${outcomes}`,
    }),
  );
}

/** All jobs of these runs, or those that completed since a day. */
export function findGroupsOfRuns(
  program: Read,
  orgId: string,
  runIds: readonly string[],
  since: Day | undefined,
): Promise<PaidGroup[]> {
  const inTime = since === undefined ? sql`true` : sql`j.completed_at >= ${startOfDay(since)}`;
  return inTransaction(program.db, (tx) =>
    findTimed(tx, program, orgId, {
      choice: jobsWhere(orgId, sql`j.run_id = any(${runIds}::text[]) and ${inTime}`),
      select: sql<PaidGroup>`select ${split} from timed group by ${outcomes}`,
    }),
  );
}

const outcomes = sql`raw_conclusion, is_repeated, succeeded_later, is_overtaken, billed_minutes > 0`;

const split = sql`
  raw_conclusion, is_repeated, succeeded_later, is_overtaken, billed_minutes > 0 as is_billed,
  count(*) as jobs,
  count(*) filter (where rounds and cost_nanos > time_nanos) as rounded_jobs,
  sum(cost_nanos)::int8 as cost_nanos,
  sum(time_nanos)::int8 as time_nanos,
  sum(case when late_ms >= time_ms then time_nanos else least(time_nanos, ${costOf(sql`late_ms`)}) end)::int8 as late_nanos,
  sum(billed_minutes * 60000::int8)::int8 as billed_ms,
  sum(time_ms)::int8 as time_ms,
  sum(least(time_ms, late_ms))::int8 as late_ms,
  count(*) filter (where waited_ms >= 60000) as waiting_jobs,
  coalesce(sum(waited_ms) filter (where waited_ms >= 60000), 0)::int8 as waited_ms
`;

const named = sql`
  workflow_id, min(provider collate "C") as provider, name, is_push, ${split},
  count(*) filter (where m.run_id is not null) as mergeable_jobs,
  coalesce(sum(m.nanos) filter (where m.is_first), 0)::int8 as merge_nanos,
  coalesce(max(m.ms), 0)::int8 as merged_ms,
  max(elapsed_ms)::int8 as longest_ms,
  max(nanos_per_minute) as nanos_per_minute
`;

const withMerged = sql`
  left join ${sql.ref('merged_jobs')} m on m.run_id = p.run_id and m.attempt = p.attempt and m.job_id = p.job_id
`;

function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}

const billedMs = sql`billed_minutes * 60000::int8`;
const ranMs = sql`least(elapsed_ms, ${billedMs})`;
const timeMs = sql`case when rounds then ${ranMs} else ${billedMs} end`;

type Timed<T> = { choice: Choice; further?: RawBuilder<unknown>; select: RawBuilder<T> };

async function findTimed<T>(
  tx: Transaction,
  { providers }: Pick<Read, 'providers'>,
  orgId: string,
  { choice, further = sql``, select }: Timed<T>,
): Promise<T[]> {
  // The planner has no statistics for these parts, so it may assume one row each and choose nested loops. A server
  // would also JIT-compile such an "expensive" plan.
  await useHashJoinsOnly(tx, true);
  const { rows } = await sql<T>`
    with paid as materialized (${paidJobs(choice, providers)}),
    ${repeatedJobs(orgId, providers)},
    ${overtakenRuns(orgId)},
    judged as materialized (
      select p.*, r.run_id is not null as is_repeated, coalesce(r.succeeded_later, false) as succeeded_later
      from paid p
      left join repeated r on r.run_id = p.run_id and r.attempt = p.attempt and r.job_id = p.job_id
    ),
    timed as (
      select *, coalesce(event = 'push' and is_overtaken, false) as is_push
      from (
        select p.*,
          o.run_id is not null and p.attempt = 1 and p.completed_at > o.overtaken_at as is_overtaken,
          ${timeMs} as time_ms,
          case when rounds then least(cost_nanos, ${costOf(sql`elapsed_ms`)}) else cost_nanos end as time_nanos,
          case
            when o.run_id is null or p.attempt > 1 or p.billed_minutes = 0 then 0
            when o.overtaken_at <= p.started_at then ${timeMs}
            else greatest(0, ${ranMs} - ${milliseconds(sql`o.overtaken_at - p.started_at`)})
          end as late_ms
        from judged p
        left join overtaken o on o.run_id = p.run_id
      ) judged_in_time
    )
    ${further}
    ${select}
  `.execute(tx);
  await useHashJoinsOnly(tx, false);
  return rows;
}

/** Applies to this transaction only. */
async function useHashJoinsOnly(tx: Transaction, isOnly: boolean): Promise<void> {
  await sql`
    select set_config(setting, ${isOnly ? 'off' : 'on'}, true)
    from unnest(array['enable_nestloop', 'enable_mergejoin', 'jit']) setting
  `.execute(tx);
}
