import { sql, type RawBuilder } from 'kysely';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Day } from '../../../platform/lib/days.ts';
import type { Facts } from './dayColumns.queries.ts';

/** What a row of a rollup stands for: the alike jobs or runs of a workflow, or of the whole day. */
export type Grain = 'workflow' | 'day';

const tables = {
  jobs: { workflow: sql`runner_days`, day: sql`charge_days` },
  runs: { workflow: sql`workflow_days`, day: sql`organization_days` },
} satisfies Record<Facts, Record<Grain, RawBuilder<unknown>>>;

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
} satisfies Record<Facts, Record<string, RawBuilder<unknown>>>;

/** Sums that only rollups have. */
export type RunSum = Exclude<keyof typeof columnsOf.runs, 'count'>;

export type RollupName = keyof typeof columnsOf.jobs | keyof typeof columnsOf.runs | 'workflowId';

export const rollupNames = {
  jobs: ['workflowId', ...Object.keys(columnsOf.jobs)],
  runs: ['workflowId', ...Object.keys(columnsOf.runs)],
} as Record<Facts, RollupName[]>;

type RollupRows = { day: Day } & { [Name in RollupName]?: (string | null)[] };

/** A row per day with an array per column: reading an object for each workflow and day would take longer than adding them up. */
export async function findRollups(
  tx: Transaction,
  orgId: string,
  { facts, grain }: { facts: Facts; grain: Grain },
  days: readonly Day[],
): Promise<RollupRows[]> {
  if (days.length === 0) return [];
  const columns = { workflowId: grain === 'workflow' ? sql`workflow_id` : sql`null`, ...columnsOf[facts] };
  const arrays = Object.entries(columns).map(
    ([name, value]) => sql`json_agg((${value})::text) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<RollupRows>`
    select day, ${sql.join(arrays)} from ${tables[facts][grain]}
    where org_id = ${orgId} and day = any(${[...days]}::date[]) and ${columnsOf[facts].count} > 0
    group by day
  `.execute(tx);
  return rows;
}
