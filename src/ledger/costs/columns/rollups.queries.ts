import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Day } from '../../../platform/lib/days.ts';
import type { RowKind } from './dayColumns.queries.ts';

/** What a row of a rollup stands for: the alike jobs or runs of a workflow, or of the whole day. */
export type Grain = 'workflow' | 'day';

const tables = {
  jobs: { workflow: sql`from runner_days`, day: sql`from charge_days` },
  runs: { workflow: sql`from workflow_days`, day: sql`from organization_days` },
} satisfies Record<RowKind, Record<Grain, RawBuilder<unknown>>>;

const columnsOf = {
  jobs: {
    count: sql`jobs`,
    minutes: sql`minutes`,
    costNanos: sql`cost_nanos`,
    provider: sql`provider`,
    runner: sql`nullif(runner_kind, 'unpriced')`,
    isFree: sql`is_free`,
  },
  runs: {
    count: sql`runs`,
    completedRuns: sql`completed_runs`,
    skippedRuns: sql`skipped_runs`,
    successfulRuns: sql`successful_runs`,
    durationSeconds: sql`duration_seconds`,
  },
} satisfies Record<RowKind, Record<string, RawBuilder<unknown>>>;

/** Sums that only rollups have. */
export type RunSum = Exclude<keyof typeof columnsOf.runs, 'count'>;

export type RollupName = keyof typeof columnsOf.jobs | keyof typeof columnsOf.runs | 'workflowId';

type RollupRows = { day: Day } & { [Name in RollupName]?: (string | null)[] };

const keys = {
  jobs: {
    workflow: sql`day, workflow_id, provider, runner_kind, is_free`,
    day: sql`day, provider, runner_kind, is_free`,
  },
  runs: { workflow: sql`day, workflow_id`, day: sql`day` },
} satisfies Record<RowKind, Record<Grain, RawBuilder<unknown>>>;

export type RollupsAsked = {
  rowKind: RowKind;
  grain: Grain;
  names: readonly RollupName[];
  /** Null means all workflows. */
  workflowIds?: readonly string[] | null;
};

/**
 * A row per day with an array per column: reading an object for each workflow and day would take longer than adding them
 * up. Sorted, so that columns of a day that are read at different times have the same rows.
 */
export async function findRollups(
  tx: Transaction,
  orgId: string,
  { rowKind, grain, names, workflowIds = null }: RollupsAsked,
  days: readonly Day[],
): Promise<RollupRows[]> {
  if (days.length === 0) return [];
  const columns: Partial<Record<RollupName, RawBuilder<unknown>>> = {
    workflowId: grain === 'workflow' ? sql`workflow_id` : sql`null`,
    ...columnsOf[rowKind],
  };
  const arrays = names.map((name) => sql`json_agg((${columns[name]!})::text) as ${sql.ref(name)}`);
  const ofWorkflows = workflowIds ? sql`workflow_id = any(${[...workflowIds]}::text[])` : sql`true`;
  const { rows } = await sql<RollupRows>`
    select day, ${sql.join(arrays)} from (
      select * ${tables[rowKind][grain]}
      where org_id = ${orgId} and day = any(${[...days]}::date[]) and ${columnsOf[rowKind].count} > 0 and ${ofWorkflows}
      order by ${keys[rowKind][grain]}
    ) rows
    group by day
  `.execute(tx);
  return rows;
}

export async function findFirstDay(db: Database, orgId: string): Promise<Day | null> {
  const first = await db
    .selectFrom('organizationDays')
    .select('day')
    .where('orgId', '=', orgId)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  return first?.day ?? null;
}

/** Versions of days. Each change of a day's jobs or runs gives the day a new version. */
export async function findDayVersions(
  db: Database,
  orgId: string,
  days: readonly Day[],
): Promise<ReadonlyMap<Day, string>> {
  const rows = await db
    .selectFrom('organizationDays')
    .select(['day', 'version'])
    .where('orgId', '=', orgId)
    .where('day', '=', sql<Day>`any(${[...days]}::date[])`)
    .execute();
  return new Map(rows.map(({ day, version }) => [day, version]));
}
