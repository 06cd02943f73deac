import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import type { Day, TimeSlice } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { Pair, PullRequests, RanJob, StartedRun, Starts } from './unneeded.ts';

const maxStarts = 5_000;

/** Workflows by event, most expensive first. Null for `repositories` means all. */
export async function findStarts(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  repositories: readonly string[] | null,
): Promise<Starts[]> {
  const { rows } = await sql<Starts>`
    select w.repository, w.name, s.*
    from (
      select workflow_id, event, min(provider collate "C") as provider, max(workflow_path) as path,
        count(*)::integer as runs,
        (count(*) filter (where conclusion = 'cancelled'))::integer as canceled,
        count(distinct commit)::integer as commits,
        sum(cost_nanos)::int8 as cost_nanos
      from runs
      where org_id = ${orgId} and ${completedIn(slice)} and event is not null
        ${repositories ? sql`and workflow_id in (${workflowsOf(orgId, repositories)})` : sql``}
      group by workflow_id, event
    ) s
    join workflows w on w.org_id = ${orgId} and w.id = s.workflow_id
    order by s.cost_nanos desc, s.workflow_id, s.event
    limit ${maxStarts}
  `.execute(db);
  return rows;
}

const workflowsOf = (orgId: string, repositories: readonly string[]) =>
  sql`select id from workflows where org_id = ${orgId} and repository = any(${[...repositories]}::text[])`;

function completedIn({ from, until }: TimeSlice) {
  return sql`created_at >= ${from} and created_at < ${until} and completed_at < ${until}
    and status = 'completed' and conclusion is distinct from 'skipped'`;
}

/** With `twinId`, only runs on whose commit that workflow ran too. With `changes`, only of such pull requests. */
export type AskedRuns = { workflowId: string; event: string; twinId: string | null; changes: string | null };

const maxRuns = 2_500;

/** The newest runs of each. */
export async function findStartedRuns(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  asked: readonly AskedRuns[],
): Promise<StartedRun[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<StartedRun>`
    select r.*
    from ${unnested(asked, { workflowId: 'text', event: 'text', twinId: 'text', changes: 'text' })}
    cross join lateral (
      select id, workflow_id, event, run_number, pull_request, branch, commit, attempt, conclusion, created_at, cost_nanos
      from runs own
      where org_id = ${orgId} and workflow_id = row.workflow_id and event = row.event and ${completedIn(slice)}
        and (row.twin_id is null or exists (
          select from runs twin
          where twin.org_id = ${orgId} and twin.workflow_id = row.twin_id and ${isOfSameStart}
        ))
        and (row.changes is null or exists (
          select from pull_requests p where ${isOf(orgId, 'own')} and p.changes = row.changes
        ))
      order by created_at desc
      limit ${maxRuns}
    ) r
  `.execute(db);
  return rows;
}

function isOf(orgId: string, run: 'own' | 'r') {
  const column = (name: string) => sql.ref(`${run}.${name}`);
  return sql`p.org_id = ${orgId} and p.provider = ${column('provider')}
    and p.repository = lower(${column('repository')}) and p.number = ${column('pullRequest')}`;
}

/** How many pull requests of each kind had runs, by workflow, and together in each of these repositories. */
export async function countPullRequests(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  asked: { event: string; repositories: readonly string[] },
): Promise<PullRequests[]> {
  if (asked.repositories.length === 0) return [];
  const { rows } = await sql<PullRequests>`
    select w.repository, r.workflow_id,
      (count(distinct p.number) filter (where p.changes = 'documentation'))::integer as documentation,
      (count(distinct p.number) filter (where p.changes = 'other'))::integer as other
    from (
      select provider, repository, workflow_id, pull_request from runs
      where org_id = ${orgId} and event = ${asked.event} and ${completedIn(slice)}
        and workflow_id in (${workflowsOf(orgId, asked.repositories)}) and pull_request is not null
    ) r
    join workflows w on w.org_id = ${orgId} and w.id = r.workflow_id
    join pull_requests p on ${isOf(orgId, 'r')}
    where p.changes in ('documentation', 'other')
    group by grouping sets ((w.repository, r.workflow_id), (w.repository))
  `.execute(db);
  return rows;
}

/** An event starts all its workflows within minutes. */
const isOfSameStart = sql`
  twin.created_at between own.created_at - interval '10 minutes' and own.created_at + interval '10 minutes'
  and twin.commit = own.commit and twin.event = own.event and twin.branch is not distinct from own.branch
  and twin.status = 'completed'
`;

const sampledRuns = 10;
const hasResult = (run: 'own' | 'twin') =>
  sql`${sql.ref(`${run}.attempt`)} = 1 and ${sql.ref(`${run}.conclusion`)} in ('success', 'failure')`;

/** The newest runs of each workflow, with the runs of its possible twins at the same commit. */
export async function findPairs(
  db: Database,
  orgId: string,
  slice: TimeSlice,
  asked: readonly { workflowId: string; event: string; twinIds: readonly string[] }[],
): Promise<Pair[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<Pair>`
    select row.workflow_id, row.event, own.id as run_id, own.conclusion,
      twin.workflow_id as twin_id, twin.id as twin_run_id, twin.conclusion as twin_conclusion
    from ${unnested(asked, { workflowId: 'text', event: 'text', twinIds: 'text[]' })}
    cross join lateral (
      select * from runs own
      where org_id = ${orgId} and workflow_id = row.workflow_id and event = row.event and ${completedIn(slice)}
        and commit is not null and ${hasResult('own')}
      order by created_at desc
      limit ${sampledRuns}
    ) own
    left join lateral (
      select distinct on (twin.workflow_id) twin.workflow_id, twin.id, twin.conclusion
      from runs twin
      where twin.org_id = ${orgId} and twin.workflow_id = any(row.twin_ids::text[]) and ${isOfSameStart}
        and ${hasResult('twin')}
      order by twin.workflow_id, twin.created_at, twin.id
    ) twin on true
  `.execute(db);
  return rows;
}

/** The jobs of these runs' first attempts. */
export async function findRanJobs(
  db: Database,
  orgId: string,
  runIds: readonly string[],
): Promise<Map<string, RanJob[]>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<RanJob>`
    select run_id, coalesce(name, job_id) as name, runner_kind,
      extract(epoch from completed_at - started_at)::float8 as seconds
    from recorded_jobs
    where org_id = ${orgId} and run_id = any(${[...runIds]}::text[]) and attempt = 1
      and not is_carried_over and status = 'completed' and billed_minutes > 0
  `.execute(db);
  return Map.groupBy(rows, ({ runId }) => runId);
}

/** What each kind of fix is about, in the cost of runs created on a day. */
export type StartedCosts = { day: Day; workflowId: string } & Record<
  'scheduledNanos' | 'canceledNanos' | 'pullRequestNanos' | 'costNanos',
  Nanos
>;

export async function findStartedCosts(
  db: Database,
  orgId: string,
  { from, until }: TimeSlice,
  workflowIds: readonly string[],
): Promise<StartedCosts[]> {
  if (workflowIds.length === 0) return [];
  const { rows } = await sql<StartedCosts>`
    select ${utcDay(sql`created_at`)} as day, workflow_id, sum(cost_nanos)::int8 as cost_nanos,
      coalesce(sum(cost_nanos) filter (where event = 'schedule'), 0)::int8 as scheduled_nanos,
      coalesce(sum(cost_nanos) filter (where conclusion = 'cancelled'), 0)::int8 as canceled_nanos,
      coalesce(sum(cost_nanos) filter (where event = 'pull_request'), 0)::int8 as pull_request_nanos
    from runs
    where org_id = ${orgId} and workflow_id = any(${[...workflowIds]}::text[])
      and created_at >= ${from} and created_at < ${until}
    group by 1, 2
  `.execute(db);
  return rows;
}
