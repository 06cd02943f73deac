import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { minTimeLimitMinutes } from '../pricing/cost.ts';
import type { NamedRun } from './history.queries.ts';
import type { Conclusion, Status } from './report.ts';

export type ListedRun = Pick<
  NamedRun,
  | 'id'
  | 'workflowId'
  | 'workflowName'
  | 'repository'
  | 'event'
  | 'branch'
  | 'actor'
  | 'startedBy'
  | 'workflowPath'
  | 'pullRequest'
  | 'runNumber'
  | 'commit'
  | 'attempt'
  | 'status'
  | 'conclusion'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
  | 'durationSeconds'
  | 'costNanos'
>;

export async function findWorkflowIds(db: Database, orgId: string, repo: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from workflows
    where org_id = ${orgId} and lower(${repo}) in (lower(repository), lower(split_part(repository, '/', -1)))
    order by id
  `.execute(db);
  return rows.map(({ id }) => id);
}

export async function countRunsByDay(
  db: Database,
  orgId: string,
  { start, end }: Window,
  workflowIds: string[] | null,
): Promise<{ day: Day; runs: number }[]> {
  const { rows } = await sql<{ day: Day; runs: bigint }>`
    select day, sum(runs)::int8 as runs
    from ${workflowIds ? sql`workflow_days` : sql`organization_days`}
    where org_id = ${orgId} and day between ${start} and ${end}
      ${workflowIds ? sql`and workflow_id = any(${workflowIds})` : sql``}
    group by day
    having sum(runs) > 0
    order by day desc
  `.execute(db);
  return rows.map(({ day, runs }) => ({ day, runs: Number(runs) }));
}

export type RunSelection = {
  window: Window | null;
  workflowIds: string[] | null;
  status: Status | undefined;
  conclusion: Conclusion | undefined;
  branch: string | undefined;
  flag: string | undefined;
  incompleteBefore: Day | undefined;
  /** Days on which a paid job of the run completed; with `flag`, one that has it. */
  completedIn: Window | undefined;
};

type Page = { limit: number; offset: number };

export function findRuns(
  db: Database,
  orgId: string,
  selection: RunSelection,
  { limit, offset }: Page,
): Promise<ListedRun[]> {
  const newest = selectedRuns(orgId, selection, offset + limit);
  return findNamed<ListedRun>(
    db,
    orgId,
    sql`select id from (${newest}) s order by created_at desc, id desc limit ${limit} offset ${offset}`,
  );
}

export async function findAndCountRuns(
  db: Database,
  orgId: string,
  selection: RunSelection,
  { limit, offset }: Page,
): Promise<{ runs: ListedRun[]; total: number }> {
  const all = selectedRuns(orgId, selection, null);
  const runs = await findNamed<ListedRun & { total: bigint }>(
    db,
    orgId,
    sql`
      select id, count(*) over () as total from (${all}) s
      order by created_at desc, id desc
      limit ${limit} offset ${offset}
    `,
  );
  if (runs.length > 0 || offset === 0) return { runs, total: Number(runs[0]?.total ?? 0n) };
  const { rows } = await sql<{ total: bigint }>`select count(*) as total from (${all}) s`.execute(db);
  return { runs: [], total: Number(rows[0]!.total) };
}

async function findNamed<Row>(db: Database, orgId: string, page: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select
      p.*, r.workflow_id, coalesce(r.workflow_name, w.name) as workflow_name, r.repository, r.workflow_path, r.event, r.branch, r.actor,
      starter_of_run(r.started_by, r.attempt, r.actor) as started_by,
      r.pull_request, r.run_number, r.commit, r.attempt, r.status, r.conclusion, r.created_at, r.started_at, r.completed_at,
      r.duration_seconds, r.cost_nanos
    from (${page}) p
    join runs r on r.org_id = ${orgId} and r.id = p.id
    join workflows w on w.org_id = ${orgId} and w.id = r.workflow_id
    order by r.created_at desc, r.id desc
  `.execute(db);
  return rows;
}

export type PullRequest = { repository: string; number: number; provider: string | undefined };

export type PullRequestRun = Pick<
  ListedRun,
  | 'id'
  | 'repository'
  | 'workflowId'
  | 'workflowPath'
  | 'status'
  | 'attempt'
  | 'event'
  | 'startedBy'
  | 'createdAt'
  | 'commit'
  | 'costNanos'
> & {
  provider: string;
  /** Of the attempts after the first. */
  rerunCostNanos: Nanos;
};

/** Newest first. */
export function findPullRequestRuns(
  db: Database,
  orgId: string,
  { repository, number, provider }: PullRequest,
  limit: number,
): Promise<PullRequestRun[]> {
  let query = db
    .selectFrom('runs')
    .select([
      'id',
      'repository',
      'workflowId',
      'workflowPath',
      'provider',
      'status',
      'attempt',
      'event',
      'createdAt',
      'commit',
      'costNanos',
    ])
    .select(sql<string | null>`starter_of_run(started_by, attempt, actor)`.as('startedBy'))
    .select(
      sql<Nanos>`(
        select coalesce(sum(cost_nanos), 0)::int8 from jobs where org_id = ${orgId} and run_id = runs.id and attempt > 1
      )`.as('rerunCostNanos'),
    )
    .where((all) => all.and({ orgId, pullRequest: number }))
    .where(sql`lower(repository)`, '=', repository.toLowerCase());
  if (provider !== undefined) query = query.where('provider', '=', provider);
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export type NamedPullRequest = PullRequest & { provider: string };

export type PullRequestActivity = NamedPullRequest & {
  spelling: string;
  runs: number;
  /** Commits that have runs. */
  pushes: number;
  reruns: number;
};

/** Of stored runs: what retention removed does not count. The repository has any case; `spelling` is that of its workflows. */
export async function sumPullRequestRuns(
  db: Database,
  orgId: string,
  pullRequests: readonly NamedPullRequest[],
): Promise<PullRequestActivity[]> {
  const asked = unnested(pullRequests, { provider: 'text', repository: 'text', number: 'integer' });
  const { rows } = await sql<PullRequestActivity>`
    select row.provider, row.repository, row.number, coalesce(w.repository, row.repository) as spelling,
      count(r.id)::int4 as runs, count(distinct r.commit)::int4 as pushes,
      coalesce(sum(greatest(r.attempt - 1, 0)), 0)::int4 as reruns
    from ${asked}
    left join (select lower(repository) as name, min(repository collate "C") as repository from workflows
      where org_id = ${orgId} group by 1) w on w.name = lower(row.repository)
    left join runs r on r.org_id = ${orgId} and r.pull_request = row.number and r.provider = row.provider
      and lower(r.repository) = lower(row.repository)
    group by 1, 2, 3, 4
  `.execute(db);
  return rows;
}

export type WorkflowFile = Pick<NamedRun, 'provider' | 'workflowPath' | 'workflowName'>;

/** What the newest run says. */
export async function findWorkflowFile(
  db: Database,
  orgId: string,
  workflowId: string,
): Promise<WorkflowFile | undefined> {
  const { rows } = await sql<WorkflowFile>`
    select provider, workflow_path, workflow_name from runs
    where org_id = ${orgId} and workflow_id = ${workflowId} order by created_at desc limit 1
  `.execute(db);
  return rows[0];
}

export async function hasRun(db: Database, orgId: string, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('runs')
    .select('id')
    .where((all) => all.and({ orgId, id }))
    .executeTakeFirst();
  return found !== undefined;
}

/** Or the newest `max` of each workflow, by index: scanning all runs would be slow. */
function selectedRuns(orgId: string, selection: RunSelection, max: number | null): RawBuilder<unknown> {
  if (selection.completedIn !== undefined) return runsCompletedIn(orgId, selection, selection.completedIn);
  const newest = max === null ? sql`` : sql`order by created_at desc, id desc limit ${max}`;
  const ofOne = (more: RawBuilder<unknown>) => sql`
    select id, created_at from runs
    where org_id = ${orgId} and ${conditionsOf(orgId, selection)} ${more} ${newest}
  `;
  if (selection.workflowIds === null) return ofOne(sql``);
  return sql`
    select r.id, r.created_at from unnest(${selection.workflowIds}::text[]) w (id)
    cross join lateral (${ofOne(sql`and workflow_id = w.id`)}) r
  `;
}

/** Starts from the jobs of these days, because a workflow can have far more runs. */
function runsCompletedIn(
  orgId: string,
  selection: RunSelection,
  { start, end }: Window,
): RawBuilder<unknown> {
  const { flag, ...ofRun } = selection;
  const ofWorkflows =
    selection.workflowIds === null
      ? sql``
      : sql`and runs.workflow_id = any(${selection.workflowIds}::text[])`;
  return sql`
    select runs.id, runs.created_at
    from (
      select distinct j.run_id from jobs j
      where j.org_id = ${orgId}
        and j.completed_at >= ${startOfDay(start)} and j.completed_at < ${startOfDay(addDays(end, 1))}
        and j.status = 'completed' and not j.is_carried_over
        ${flag === undefined ? sql`` : sql`and ${hasFlag(orgId, flag)}`}
    ) d
    join runs on runs.org_id = ${orgId} and runs.id = d.run_id
    where ${conditionsOf(orgId, { ...ofRun, flag: undefined })} ${ofWorkflows}
  `;
}

function hasFlag(orgId: string, flag: string): RawBuilder<unknown> {
  const isLong =
    flag === 'over_time_limit'
      ? sql`j.completed_at - j.started_at > interval ${sql.lit(`${minTimeLimitMinutes} minutes`)} and`
      : sql``;
  return sql`${isLong} case
    when j.labels is not null then ${flag} = any(j.flags)
    else j.facts_id in (select id from job_facts where org_id = ${orgId} and ${flag} = any(flags))
  end`;
}

function conditionsOf(
  orgId: string,
  { window, status, conclusion, branch, flag, incompleteBefore }: RunSelection,
): RawBuilder<unknown> {
  const conditions = [sql`true`];
  if (window !== null) {
    conditions.push(
      sql`created_at >= ${startOfDay(window.start)} and created_at < ${startOfDay(addDays(window.end, 1))}`,
    );
  }
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (conclusion !== undefined) conditions.push(sql`conclusion = ${conclusion}`);
  if (branch !== undefined) conditions.push(sql`branch = ${branch}`);
  if (incompleteBefore !== undefined)
    conditions.push(sql`status <> 'completed' and created_at < ${startOfDay(incompleteBefore)}
      and not exists (select from jobs j where j.run_id = runs.id and ${awaitsApproval(orgId)})`);
  if (flag !== undefined) {
    conditions.push(sql`exists (
      select from jobs j where j.org_id = ${orgId} and j.run_id = runs.id and ${hasFlag(orgId, flag)}
    )`);
  }
  return sql.join(conditions, sql` and `);
}

/** Whether a job `j` waits for an approval. */
function awaitsApproval(orgId: string): RawBuilder<unknown> {
  return sql`j.org_id = ${orgId} and j.awaited_approval and j.status = 'queued'`;
}

export async function countRunsAwaitingApproval(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<number> {
  const { rows } = await sql<{ runs: bigint }>`
    select count(*) as runs from runs
    where org_id = ${orgId} and status <> 'completed'
      and id in (select j.run_id from jobs j where ${awaitsApproval(orgId)})
      and created_at >= ${startOfDay(start)} and created_at < ${startOfDay(addDays(end, 1))}
  `.execute(db);
  return Number(rows[0]!.runs);
}

export async function findJobDays(
  db: Database,
  orgId: string,
  { start, end }: Window,
): Promise<{ day: Day; jobs: number }[]> {
  const days = await db
    .selectFrom('organizationDays')
    .select(['day', 'jobs'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .where('jobs', '>', 0n)
    .orderBy('day')
    .execute();
  return days.map(({ day, jobs }) => ({ day, jobs: Number(jobs) }));
}

export async function findFirstAndLastDay(
  db: Database,
  orgId: string,
): Promise<{ first: Day; last: Day } | null> {
  const { first, last } = await db
    .selectFrom('organizationDays')
    .select(({ fn }) => [fn.min<Day | null>('day').as('first'), fn.max<Day | null>('day').as('last')])
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  return first && last ? { first, last } : null;
}

export type UnpricedSums = {
  labels: string[];
  runnerGroup: string | null;
  jobs: bigint;
  minutes: bigint;
  lastSeen: Day;
};

export type UnpricedDaySums = Pick<UnpricedSums, 'labels' | 'runnerGroup' | 'jobs' | 'minutes'> & {
  day: Day;
};

/** Oldest first. */
export function findUnpricedDays(db: Database, orgId: string, start: Day): Promise<UnpricedDaySums[]> {
  return db
    .selectFrom('unpricedDays')
    .select(['day', 'labels', 'runnerGroup', 'jobs', 'minutes'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('jobs', '>', 0n)
    .orderBy('day')
    .execute();
}

export function findUnpricedRunners(db: Database, orgId: string, start: Day): Promise<UnpricedSums[]> {
  return db
    .selectFrom('unpricedDays')
    .select(({ fn }) => [
      'labels',
      'runnerGroup',
      sql<bigint>`sum(jobs)::int8`.as('jobs'),
      sql<bigint>`sum(minutes)::int8`.as('minutes'),
      fn.max('day').as('lastSeen'),
    ])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('jobs', '>', 0n)
    .groupBy(['runner', 'labels', 'runnerGroup'])
    .orderBy('minutes', 'desc')
    .orderBy(sql`labels collate "C"`)
    .orderBy('runner')
    .execute();
}
