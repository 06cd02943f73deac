import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnested, unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import type { JobGroup } from './jobGroups.ts';
import type { WasteTables } from './tables.ts';

/** The runs of a workflow that were created on a day. */
export type Unit = { day: Day; workflowId: string };

/** A unit whose sums are missing or outdated, with the current versions of its days. */
export type StaleUnit = Unit & { version: string; nextVersion: string | null; jobs: number };

export type DayVersion = { day: Day; version: string };

export async function findDayVersions(
  db: Database,
  orgId: string,
  { from, until }: { from: Day | null; until: Day | null },
): Promise<DayVersion[]> {
  const { rows } = await sql<DayVersion>`
    select day, version from organization_days
    where org_id = ${orgId} and day >= coalesce(${from}::date, '-infinity') and day <= coalesce(${until}::date, 'infinity')
    order by day
  `.execute(db);
  return rows;
}

export async function findStaleUnits(
  db: Database,
  orgId: string,
  days: readonly Day[],
): Promise<StaleUnit[]> {
  if (days.length === 0) return [];
  const { rows } = await sql<StaleUnit>`
    select d.day, d.workflow_id, d.version, n.version as next_version, greatest(d.jobs, d.runs)::int4 as jobs
    from workflow_days d
    left join workflow_days n on n.org_id = d.org_id and n.day = d.day + 1 and n.workflow_id = d.workflow_id
    left join waste_units u on u.org_id = d.org_id and u.day = d.day and u.workflow_id = d.workflow_id
    where d.org_id = ${orgId} and d.day = any(${[...days]}::date[]) and case
      when u.version is null then d.runs > 0
      else u.version <> d.version or (u.reads_next and u.next_version is distinct from n.version)
    end
    order by d.day, d.workflow_id
  `.execute(db);
  return rows;
}

/** Only units that can be recomputed: the runs of days before `from` have been removed. */
export async function findUnits(db: Database, orgId: string, from: Day | null): Promise<StaleUnit[]> {
  const { rows } = await sql<StaleUnit>`
    select u.day, u.workflow_id, u.version, u.next_version, greatest(d.jobs, d.runs)::int4 as jobs
    from waste_units u
    join workflow_days d on d.org_id = u.org_id and d.day = u.day and d.workflow_id = u.workflow_id
    where u.org_id = ${orgId} and u.day >= coalesce(${from}::date, '-infinity')
    order by u.day, u.workflow_id
  `.execute(db);
  return rows;
}

export type WasteDay = Omit<WasteTables['wasteDays'], 'orgId'>;
export type WasteJobs = Omit<WasteTables['wasteJobs'], 'orgId'>;

export type UnitSums = { unit: StaleUnit; readsNext: boolean; days: WasteDay[]; jobs: WasteJobs[] };

const unitColumns = { day: 'date', workflowId: 'text' } as const;

/** Saves the sums of units that still have the same versions. Skips units that are locked. */
export async function saveUnits(tx: Transaction, orgId: string, sums: readonly UnitSums[]): Promise<void> {
  const columns = { ...unitColumns, version: 'uuid', nextVersion: 'uuid' } as const;
  const { rows } = await sql<Unit>`
    select d.day, d.workflow_id
    from ${unnested(
      sums.map(({ unit }) => unit),
      columns,
    )}
    join workflow_days d
      on d.org_id = ${orgId} and d.day = row.day and d.workflow_id = row.workflow_id and d.version = row.version
    where row.next_version is not distinct from (
      select n.version from workflow_days n
      where n.org_id = ${orgId} and n.day = row.day + 1 and n.workflow_id = row.workflow_id
    )
    for share of d skip locked
  `.execute(tx);
  const locked = new Set(rows.map(keyOfUnit));
  const kept = sums.filter(({ unit }) => locked.has(keyOfUnit(unit)));
  if (kept.length === 0) return;
  const units = kept.map(({ unit, readsNext }) => ({ ...unit, readsNext }));
  // In one order, because two workers can save the same units.
  await sql`
    insert into waste_units (org_id, day, workflow_id, version, next_version, reads_next)
    ${unnestRows(orgId, units, { ...columns, readsNext: 'boolean' })}
    order by row.day, row.workflow_id
    on conflict (org_id, day, workflow_id) do update
    set version = excluded.version, next_version = excluded.next_version, reads_next = excluded.reads_next
  `.execute(tx);
  await removeSums(tx, orgId, 'wasteDays', rows);
  await removeSums(tx, orgId, 'wasteJobs', rows);
  await insertSums(
    tx,
    orgId,
    dayColumns,
    kept.flatMap(({ days }) => days),
  );
  await insertSums(
    tx,
    orgId,
    jobColumns,
    kept.flatMap(({ jobs }) => jobs),
  );
}

export function keyOfUnit({ day, workflowId }: Unit): string {
  return `${day} ${workflowId}`;
}

async function removeSums(
  tx: Transaction,
  orgId: string,
  table: 'wasteDays' | 'wasteJobs',
  units: readonly Unit[],
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} using ${unnested(units, unitColumns)}
    where org_id = ${orgId} and created_on = row.day and ${sql.table(table)}.workflow_id = row.workflow_id
  `.execute(tx);
}

type SumTable<Row> = { table: 'wasteDays' | 'wasteJobs'; columns: Record<keyof Row, Columns[string]> };

async function insertSums<Row extends object>(
  tx: Transaction,
  orgId: string,
  { table, columns }: SumTable<Row>,
  rows: readonly Row[],
): Promise<void> {
  const names = ['orgId', ...Object.keys(columns)].map((name) => sql.ref(name));
  await sql`
    insert into ${sql.table(table)} (${sql.join(names)}) ${unnestRows(orgId, rows, columns)}
  `.execute(tx);
}

const dayMeasures = {
  roundingNanos: 'bigint',
  roundingMs: 'bigint',
  roundingJobs: 'bigint',
  failedNanos: 'bigint',
  failedMs: 'bigint',
  failedJobs: 'bigint',
  supersededNanos: 'bigint',
  supersededMs: 'bigint',
  supersededJobs: 'bigint',
  rerunNanos: 'bigint',
  rerunMs: 'bigint',
  rerunJobs: 'bigint',
  usefulNanos: 'bigint',
  usefulMs: 'bigint',
  usefulJobs: 'bigint',
  skippedJobs: 'bigint',
  waitedMs: 'bigint',
} as const;

export type DayMeasures = { [Name in keyof typeof dayMeasures]: bigint };

const dayColumns: SumTable<WasteDay> = {
  table: 'wasteDays',
  columns: { day: 'date', workflowId: 'text', createdOn: 'date', ...dayMeasures },
};

const outcomes = {
  name: 'text',
  rawConclusion: 'text',
  isRepeated: 'boolean',
  succeededLater: 'boolean',
  isOvertaken: 'boolean',
  isPush: 'boolean',
  isBilled: 'boolean',
} as const;

const jobSums = {
  jobs: 'bigint',
  roundedJobs: 'bigint',
  costNanos: 'bigint',
  timeNanos: 'bigint',
  lateNanos: 'bigint',
  billedMs: 'bigint',
  timeMs: 'bigint',
  lateMs: 'bigint',
  waitingJobs: 'bigint',
  waitedMs: 'bigint',
  mergeableJobs: 'bigint',
  mergeNanos: 'bigint',
} as const;

const jobMaxima = { mergedMs: 'bigint', longestMs: 'bigint', nanosPerMinute: 'bigint' } as const;

const jobColumns: SumTable<WasteJobs> = {
  table: 'wasteJobs',
  columns: {
    workflowId: 'text',
    day: 'date',
    createdOn: 'date',
    part: 'integer',
    provider: 'text',
    ...outcomes,
    ...jobSums,
    ...jobMaxima,
  },
};

/** The sums to read. `except` leaves out outdated units, and `without` days of workflows. */
export type SumsAsked = {
  window: Window;
  workflowIds: readonly string[] | null;
  except: readonly Unit[];
  without?: readonly Unit[];
};

function conditionsOf(
  orgId: string,
  { window, workflowIds, except, without = [] }: SumsAsked,
): RawBuilder<unknown> {
  const conditions = [sql`org_id = ${orgId} and day between ${window.start} and ${window.end}`];
  if (workflowIds !== null) conditions.push(sql`workflow_id = any(${[...workflowIds]}::text[])`);
  if (except.length > 0)
    conditions.push(
      sql`(created_on, workflow_id) not in (select row.day, row.workflow_id from ${unnested(except, unitColumns)})`,
    );
  if (without.length > 0)
    conditions.push(
      sql`(day, workflow_id) not in (select row.day, row.workflow_id from ${unnested(without, unitColumns)})`,
    );
  return sql.join(conditions, sql` and `);
}

/** Sums by day, by workflow or by both. By day only, weeks of thousands of workflows are few rows. */
export async function sumDays<Key extends keyof Unit>(
  tx: Transaction,
  orgId: string,
  asked: SumsAsked & { by: readonly Key[] },
): Promise<(DayMeasures & Pick<Unit, Key>)[]> {
  const keys = sql.join(asked.by.map((key) => sql.ref(key)));
  const { rows } = await sql<DayMeasures & Pick<Unit, Key>>`
    select ${keys}, ${sumsOf(dayMeasures)} from waste_days where ${conditionsOf(orgId, asked)} group by ${keys}
  `.execute(tx);
  return rows;
}

/**
 * By job name and outcome, sorted by name. For 400,000 rows, the planner would choose an external sort, which takes
 * more than twice the CPU time of hashing in memory.
 */
export async function sumJobs(tx: Transaction, orgId: string, asked: SumsAsked): Promise<JobGroup[]> {
  const keys = sql.join(Object.keys(outcomes).map((name) => sql.ref(name)));
  const maxima = Object.keys(jobMaxima).map((name) => sql`max(${sql.ref(name)}) as ${sql.ref(name)}`);
  await sql`
    select set_config('enable_sort', 'off', true),
      set_config('work_mem', greatest(32768, pg_size_bytes(current_setting('work_mem')) / 1024) || 'kB', true)
  `.execute(tx);
  const { rows } = await sql<JobGroup>`
    select workflow_id, min(provider collate "C") as provider, ${keys}, ${sumsOf(jobSums)}, ${sql.join(maxima)}
    from waste_jobs where ${conditionsOf(orgId, asked)}
    group by workflow_id, ${keys}
    order by workflow_id collate "C", name collate "C"
  `.execute(tx);
  await sql`select set_config('enable_sort', 'on', true)`.execute(tx);
  return rows;
}

export async function findSavedSums(
  tx: Transaction,
  orgId: string,
  units: readonly StaleUnit[],
): Promise<UnitSums[]> {
  const of = sql`org_id = ${orgId} and (created_on, workflow_id) in (
    select row.day, row.workflow_id from ${unnested(units, unitColumns)}
  )`;
  const { rows: days } = await sql<WasteDay>`select * from waste_days where ${of}`.execute(tx);
  const { rows: jobs } = await sql<WasteJobs>`select * from waste_jobs where ${of}`.execute(tx);
  const unitOf = ({ createdOn, workflowId }: WasteDay | WasteJobs) =>
    keyOfUnit({ day: createdOn, workflowId });
  const [daysOf, jobsOf] = [Map.groupBy(days, unitOf), Map.groupBy(jobs, unitOf)];
  return units.map((unit) => {
    const key = keyOfUnit(unit);
    return { unit, readsNext: false, days: daysOf.get(key) ?? [], jobs: jobsOf.get(key) ?? [] };
  });
}

function sumsOf(columns: object): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql`sum(${sql.ref(name)})::int8 as ${sql.ref(name)}`));
}
