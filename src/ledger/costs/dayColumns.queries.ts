import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import type { Day, TimeSlice, Window } from '../../platform/lib/days.ts';
import type { CostTables } from './tables.ts';

export type Facts = CostTables['dayColumns']['facts'];

const columnsOfRuns = {
  repository: sql`r.repository`,
  workflow: sql`r.workflow_id`,
  provider: sql`r.provider`,
  branch: sql`r.branch`,
  event: sql`r.event`,
  actor: sql`r.actor`,
  pullRequest: sql`r.pull_request::text`,
  conclusion: sql`r.conclusion`,
};

const columnsOf = {
  /** Paid jobs: `j` with its run `r`. */
  jobs: {
    ...columnsOfRuns,
    job: sql`j.name`,
    runner: sql`j.runner_kind`,
    runnerGroup: sql`j.runner_group`,
    // The whole set, so that each job counts once.
    label: sql`nullif(array_to_string(array(select lower(l) from unnest(j.labels) l order by 1), ', '), '')`,
    hour: hourOf(sql`j.completed_at`),
    costNanos: sql`j.cost_nanos::text`,
    minutes: sql`j.billed_minutes::text`,
  },
  runs: { ...columnsOfRuns, hour: hourOf(sql`r.created_at`) },
} satisfies Record<Facts, Record<string, RawBuilder<unknown>>>;

export type ColumnName = keyof typeof columnsOf.jobs;

export const columnNames = {
  jobs: Object.keys(columnsOf.jobs),
  runs: Object.keys(columnsOf.runs),
} as Record<Facts, ColumnName[]>;

function hourOf(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${instant} at time zone 'UTC', 'HH24')`;
}

function dayOf(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${instant} at time zone 'UTC')::date`;
}

export type DayVersion = { day: Day; version: string; jobs: bigint; runs: bigint };

export function findDayVersions(
  tx: Transaction,
  orgId: string,
  { start, end }: Window,
): Promise<DayVersion[]> {
  return tx
    .selectFrom('organizationDays')
    .select(['day', 'version', 'jobs', 'runs'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .orderBy('day')
    .execute();
}

export type StoredColumn = { day: Day; name: string; data: Buffer };

/** The stored columns of the days that have not changed since. */
export function findCurrentColumns(
  tx: Transaction,
  orgId: string,
  { facts, names, window }: { facts: Facts; names: readonly string[]; window: Window },
): Promise<StoredColumn[]> {
  return tx
    .selectFrom('dayColumns as c')
    .innerJoin('organizationDays as d', (join) =>
      join.onRef('d.orgId', '=', 'c.orgId').onRef('d.day', '=', 'c.day').onRef('d.version', '=', 'c.version'),
    )
    .select(['c.day', 'c.name', 'c.data'])
    .where('c.orgId', '=', orgId)
    .where('c.facts', '=', facts)
    .where('c.name', 'in', names)
    .where('c.day', '>=', window.start)
    .where('c.day', '<=', window.end)
    .execute();
}

/** A row of facts: its day, and the value of each column of its kind. */
export type FactRow = { day: Day } & Record<string, string | null>;

export async function findFacts(
  tx: Transaction,
  orgId: string,
  facts: Facts,
  { from, until }: TimeSlice,
): Promise<FactRow[]> {
  const columns = Object.entries(columnsOf[facts]).map(([name, value]) => sql`${value} as ${sql.ref(name)}`);
  const at = facts === 'jobs' ? sql`j.completed_at` : sql`r.created_at`;
  const rows =
    facts === 'jobs'
      ? sql`
          jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id
          where j.org_id = ${orgId} and j.status = 'completed' and not j.is_carried_over`
      : sql`runs r where r.org_id = ${orgId}`;
  const found = await sql<FactRow>`
    select ${dayOf(at)} as day, ${sql.join(columns)} from ${rows} and ${at} >= ${from} and ${at} < ${until}
  `.execute(tx);
  return found.rows;
}

/** A slower writer can put back columns of an older version: the next reader sees that and makes them again. */
export async function saveColumns(
  db: Database,
  orgId: string,
  facts: Facts,
  columns: readonly (StoredColumn & { version: string })[],
): Promise<void> {
  const types = { name: 'text', day: 'date', version: 'uuid', data: 'bytea' } as const;
  await sql`
    insert into day_columns (org_id, name, day, version, data, facts)
    select c.*, ${facts} from (${unnestRows(orgId, columns, types)}) c
    on conflict (org_id, facts, name, day) do update set version = excluded.version, data = excluded.data
  `.execute(db);
}
