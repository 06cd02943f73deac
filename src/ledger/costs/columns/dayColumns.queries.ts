import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { inPipeline } from '../../../platform/db/pipeline.ts';
import { unnestRows } from '../../../platform/db/unnestRows.ts';
import { utcDay } from '../../../platform/db/utcDay.ts';
import {
  sliceOfDays,
  startOfDay,
  type Day,
  type TimeSlice,
  type Window,
} from '../../../platform/lib/days.ts';
import { minTimeLimitMinutes } from '../../pricing/cost.ts';
import type { QueriedField } from '../../runs/history.ts';
import type { CostTables } from '../tables.ts';

export type RowKind = CostTables['dayColumns']['facts'];

/** Of a job `j` and its run `r`. */
export const actorOfJob = sql`actor_of_job(j.actor, j.attempt, r.actor, r.attempt_actors, r.started_by)`;
export const starterOfRun = sql`starter_of_run(r.started_by, r.attempt, r.actor)`;

/** Columns that must be rebuilt when the run changes: see `QueriedField`. */
export const columnsOfRuns: Record<QueriedField, RawBuilder<unknown>> = {
  repository: sql`r.repository`,
  workflowId: sql`r.workflow_id`,
  provider: sql`r.provider`,
  branch: sql`r.branch`,
  event: sql`r.event`,
  actor: sql`r.actor`,
  startedBy: starterOfRun,
  pullRequest: sql`r.pull_request::text`,
  conclusion: sql`r.conclusion`,
  isPrivate: sql`case when r.is_private then 'private' when not r.is_private then 'public' end`,
  // Only for workflows that the provider runs itself, because these can be free.
  workflowPath: sql`case when r.workflow_path like 'dynamic/%' then r.workflow_path end`,
};

const labelSeparator = ', ';
/** Replaces a separator within a label. It looks the same, but has a non-breaking space. */
const separatorInLabel = ',\u00a0';

/** All labels of a job `j` as one value, so that each job counts once. */
const labelOfJob = sql<string | null>`nullif(array_to_string(array(
  select distinct replace(lower(l), ${labelSeparator}, ${separatorInLabel}) collate "C" from unnest(j.labels) l order by 1
), ${labelSeparator}), '')`;

export function labelsIn(set: string | null | undefined): string[] {
  const labels = set?.split(labelSeparator) ?? [];
  return labels.map((label) => label.replaceAll(separatorInLabel, labelSeparator));
}

/**
 * For a job `j` and a run `r`: the instant that decides its day, counted from the start of the day; its duration; and
 * its time in the queue. Skipped jobs, and jobs that no runner took, have not started.
 */
export const timesOf = {
  jobs: {
    atMilliseconds: millisecondsOfDay(sql`j.completed_at`),
    durationMilliseconds: elapsed(startOfJob('j'), sql`j.completed_at`),
    // A job that waited for a person is older than its wait for a runner, and nothing says by how much.
    queueMilliseconds: sql`case when not j.awaited_approval then ${elapsed(sql`j.created_at`, startOfJob('j'))} end`,
  },
  runs: (orgId: string) => ({
    atMilliseconds: millisecondsOfDay(sql`r.created_at`),
    /** Counted from the creation. For jobs, completion and duration give the start. */
    startMilliseconds: elapsed(sql`r.created_at`, sql`r.started_at`),
    durationMilliseconds: sql`case when r.conclusion is distinct from 'skipped' then ${elapsed(sql`r.started_at`, sql`r.completed_at`)} end`,
    // Computed from jobs: GitHub reports that a run starts when it is created, and changes its start with each
    // attempt.
    queueMilliseconds: elapsed(
      sql`r.created_at`,
      sql`(
        select case
          when count(*) > 0 then min(${startOfJob('f')}) filter (where not f.awaited_approval)
          when r.attempt = 1 and r.status <> 'queued' then r.started_at
        end
        from recorded_jobs f where f.org_id = ${orgId} and f.run_id = r.id and f.attempt = 1
      )`,
    ),
  }),
};

function startOfJob(job: 'j' | 'f'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${job}.${name}`);
  return sql`case
    when ${column('status')} <> 'queued' and ${column('raw_conclusion')} is distinct from 'skipped' and ${column('ran')} is distinct from false
    then ${column('started_at')} end`;
}

/** Null if one of them is unknown, and negative if the clocks of two machines disagree. */
function elapsed(from: RawBuilder<unknown>, until: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`floor(extract(epoch from ${until} - ${from}) * 1000)::int8::text`;
}

function millisecondsOfDay(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return elapsed(sql`date_trunc('day', ${instant}, 'UTC')`, instant);
}

const columnsOf = {
  /** Paid jobs `j`, each with its run `r`. */
  jobs: {
    ...columnsOfRuns,
    actor: actorOfJob,
    job: sql`j.name`,
    runner: sql`j.runner_kind`,
    runnerGroup: sql`j.runner_group`,
    label: labelOfJob,
    hour: hourOf(sql`j.completed_at`),
    costNanos: sql`j.cost_nanos::text`,
    minutes: sql`j.billed_minutes::text`,
    nanosPerMinute: sql`j.nanos_per_minute::text`,
    ...timesOf.jobs,
  },
  runs: (orgId: string) => ({
    ...columnsOfRuns,
    hour: hourOf(sql`r.created_at`),
    costNanos: sql`r.cost_nanos::text`,
    ...timesOf.runs(orgId),
  }),
};

type JobColumn = keyof typeof columnsOf.jobs;

export type ColumnName = JobColumn | keyof ReturnType<typeof columnsOf.runs>;

export const columnNames = {
  jobs: Object.keys(columnsOf.jobs),
  runs: Object.keys(columnsOf.runs('')),
} as Record<RowKind, ColumnName[]>;

function hourOf(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${instant} at time zone 'UTC', 'HH24')`;
}

/**
 * `rows` counts jobs or runs, and `removedRows` counts those that were removed. A day is current if all its columns are
 * stored with its version.
 */
export type DayState = { day: Day; version: string; rows: number; removedRows: number; isCurrent: boolean };

/** The column of each part of removed rows that stores the position of each row within its day. */
export const placeColumn = 'place';

export async function findDays(
  db: Database,
  orgId: string,
  rowKind: RowKind,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<DayState[]> {
  const { rows } = await sql<DayState>`
    select d.day, d.version, d.${sql.ref(rowKind)}::int4 as rows, (
      select coalesce(sum(k.rows), 0)::int4 from kept_columns k
      where k.org_id = ${orgId} and k.facts = ${rowKind} and k.day = d.day and k.name = ${placeColumn}
    ) as removed_rows, (
      select count(*) from day_columns c
      where c.org_id = ${orgId} and c.day = d.day and c.facts = ${rowKind} and c.version = d.version
        and c.name = any(${columnNames[rowKind]}::text[])
    ) = ${columnNames[rowKind].length} as is_current
    from organization_days d
    where d.org_id = ${orgId} and d.day between ${start} and ${end} and d.${sql.ref(rowKind)} > 0
    order by d.day
  `.execute(db);
  return rows;
}

export type StoredColumn = { day: Day; name: string; data: Buffer };

export async function findColumns(
  tx: Transaction,
  orgId: string,
  { rowKind, names, days }: { rowKind: RowKind; names: readonly string[]; days: readonly { day: Day }[] },
): Promise<StoredColumn[]> {
  if (names.length === 0 || days.length === 0) return [];
  return tx
    .selectFrom('dayColumns')
    .select(['day', 'name', 'data'])
    .where('orgId', '=', orgId)
    .where('facts', '=', rowKind)
    .where('name', 'in', names)
    .where(
      'day',
      'in',
      days.map(({ day }) => day),
    )
    .execute();
}

export type PropertyRow = { day: Day } & Record<string, string | null>;

/** Returns rows in the same order each time, because the columns of a day can come from two reads. */
export function findRows(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  { from, until }: TimeSlice,
): Promise<PropertyRow[]> {
  const at = instantOf(rowKind);
  return selectRows(tx, orgId, rowKind, sql`${at} >= ${from} and ${at} < ${until}`);
}

export function findRowsOfRuns(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  runIds: readonly string[],
): Promise<PropertyRow[]> {
  const id = rowKind === 'jobs' ? sql`j.run_id` : sql`r.id`;
  return selectRows(
    tx,
    orgId,
    rowKind,
    sql`${id} = any(${[...runIds]}::text[]) and ${instantOf(rowKind)} is not null`,
  );
}

/** From midnight up to and including an instant of that day. */
export type PartOfDay = { day: Day; until: Date };

export type PartsAsked = {
  parts: readonly PartOfDay[];
  names: readonly ColumnName[];
  which?: 'all' | 'over_time_limit' | undefined;
};

const isOverTimeLimit = sql`completed_at - started_at > interval ${sql.lit(`${minTimeLimitMinutes} minutes`)}
  and 'over_time_limit' = any(flags)`;

/**
 * Paid jobs in parts of days, those with the same names together. The join is lateral, so that each part reads the index on
 * completion.
 */
export async function findParts(
  db: Database,
  orgId: string,
  { parts, names, which = 'all' }: PartsAsked,
): Promise<PropertyRow[]> {
  const grouped = names.filter((name) => name !== 'minutes' && name !== 'costNanos');
  const columns = grouped.map((name) => sql`${columnsOf.jobs[name as JobColumn]} as ${sql.ref(name)}`);
  const days = parts.map(({ day }) => day);
  const { rows } = await sql<PropertyRow>`
    select ${sql.join([sql`p.day`, ...columns])}, count(*)::text as count,
      sum(j.billed_minutes)::int8::text as minutes, sum(j.cost_nanos)::int8::text as cost_nanos
    from unnest(${days}::date[], ${days.map(startOfDay)}::timestamptz[], ${parts.map(({ until }) => until)}::timestamptz[])
      as p (day, since, until)
    cross join lateral (
      select * from recorded_jobs
      where org_id = ${orgId} and completed_at >= p.since and completed_at <= p.until
        and status = 'completed' and not is_carried_over and ${which === 'all' ? sql`true` : isOverTimeLimit}
    ) j
    left join runs r on r.org_id = ${orgId} and r.id = j.run_id
    group by ${sql.join([1, ...columns.keys().map((place) => place + 2)].map((place) => sql.lit(place)))}
  `.execute(db);
  return rows;
}

const rowsOf = {
  jobs: {
    from: sql`recorded_jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id`,
    counts: sql`j.status = 'completed' and not j.is_carried_over`,
    key: sql`j.completed_at, j.run_id, j.attempt, j.job_id`,
  },
  runs: { from: sql`runs r`, counts: sql`true`, key: sql`r.created_at, r.id` },
};

/** The positions of these runs' rows among the stored rows of a day, from 0. */
export async function findPlaces(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  { day, runIds }: { day: Day; runIds: readonly string[] },
): Promise<number[]> {
  const at = instantOf(rowKind);
  const { from, until } = sliceOfDays(day, day);
  const { rows } = await sql<{ place: number }>`
    select place from (
      select ${rowKind === 'jobs' ? sql`j.run_id` : sql`r.id`} as id, (row_number() over (order by ${rowsOf[rowKind].key}) - 1)::int4 as place
      from ${rowKind === 'jobs' ? sql`jobs j` : sql`runs r`}
      where ${rowKind === 'jobs' ? sql`j` : sql`r`}.org_id = ${orgId} and ${at} >= ${from} and ${at} < ${until}
        and ${rowsOf[rowKind].counts}
    ) numbered
    where id = any(${[...runIds]}::text[])
    order by place
  `.execute(tx);
  return rows.map(({ place }) => place);
}

function instantOf(rowKind: RowKind): RawBuilder<unknown> {
  return rowKind === 'jobs' ? sql`j.completed_at` : sql`r.created_at`;
}

async function selectRows(
  tx: Transaction,
  orgId: string,
  rowKind: RowKind,
  condition: RawBuilder<unknown>,
): Promise<PropertyRow[]> {
  const columns = Object.entries(rowKind === 'jobs' ? columnsOf.jobs : columnsOf.runs(orgId)).map(
    ([name, value]) => sql`${value} as ${sql.ref(name)}`,
  );
  const { from, counts, key } = rowsOf[rowKind];
  const org = rowKind === 'jobs' ? sql`j.org_id` : sql`r.org_id`;
  const found = await sql<PropertyRow>`
    select ${utcDay(instantOf(rowKind))} as day, ${sql.join(columns)} from ${from}
    where ${org} = ${orgId} and ${counts} and ${condition}
    order by ${key}
  `.execute(tx);
  return found.rows;
}

/** Of days that still have the same version. Skips locked days, because a recording must not wait for readers. */
export async function saveColumns(
  db: Database,
  orgId: string,
  rowKind: RowKind,
  columns: readonly (StoredColumn & { version: string })[],
): Promise<void> {
  await inPipeline(db, async (tx, send) => {
    // Until the columns are stored, nobody removes a run of these days or changes their version.
    const { rows } = await sql<{ day: Day; version: string }>`
      select day, version from organization_days
      where org_id = ${orgId} and day = any(${columns.map(({ day }) => day)}::date[])
      for share skip locked
    `.execute(tx);
    const versions = new Map(rows.map(({ day, version }) => [day, version]));
    const current = columns
      .filter(({ day, version }) => versions.get(day) === version)
      .map((column) => ({ ...column, facts: rowKind }));
    const types = { facts: 'text', name: 'text', day: 'date', version: 'uuid', data: 'bytea' } as const;
    const insert = sql`
      insert into day_columns (org_id, facts, name, day, version, data)
      ${unnestRows(orgId, current, types)}
      on conflict (org_id, facts, name, day) do update set version = excluded.version, data = excluded.data
    `;
    if (current.length > 0) send(insert.compile(tx));
  });
}
