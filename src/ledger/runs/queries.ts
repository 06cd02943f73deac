import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { columnOfRow, unnested, unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { RollupChanges } from './contributions.ts';
import {
  priceColumns,
  type JobKey,
  type JobPrice,
  type RunHistory,
  type StoredJob,
  type StoredRun,
} from './history.ts';
import {
  jobsTable,
  organizationDaysTable,
  runnerDaysTable,
  runsTable,
  unpricedDaysTable,
  workflowDaysTable,
  workflowsTable,
  type NamedWorkflow,
  type RecordedTable,
} from './recordedTables.ts';

/** Those of the runs that are known, by run id, without their jobs. */
export async function findRunRows(
  tx: Database,
  orgId: string,
  ids: string[],
): Promise<Map<string, RunHistory>> {
  const runs = await tx
    .selectFrom('runs')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(runs.map(({ orgId: _, ...run }) => [run.id, { run, jobs: [], otherJobs: [] }]));
}

/** The stored histories of those of the runs that are known, with all their jobs, by run id. */
export async function findHistories(
  tx: Database,
  orgId: string,
  ids: string[],
): Promise<Map<string, RunHistory>> {
  if (ids.length === 0) return new Map();
  const histories = await findRunRows(tx, orgId, ids);
  if (histories.size === 0) return histories;
  const jobs = await tx
    .selectFrom('jobs')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('runId', 'in', [...histories.keys()])
    .orderBy('runId')
    .orderBy('attempt')
    .orderBy('jobId')
    .execute();
  for (const { orgId: _, ...job } of jobs) histories.get(job.runId)?.jobs.push(job);
  return histories;
}

export type Changes = {
  runs: StoredRun[];
  jobs: StoredJob[];
  workflows: NamedWorkflow[];
  rollups: RollupChanges;
};

/** Writes changed rows whole and adds the rollups' differences, in a statement a table. */
export async function saveChanges(tx: Transaction, orgId: string, changes: Changes): Promise<void> {
  await replaceRows(tx, orgId, runsTable, changes.runs);
  await replaceRows(tx, orgId, jobsTable, changes.jobs);
  await saveWorkflows(tx, orgId, changes.workflows);
  await addToRollups(tx, orgId, changes.rollups);
}

export async function addToRollups(tx: Transaction, orgId: string, changes: RollupChanges): Promise<void> {
  await addToRollup(tx, orgId, workflowDaysTable, changes.workflowDays);
  await addToRollup(tx, orgId, organizationDaysTable, changes.organizationDays);
  await addToRollup(tx, orgId, unpricedDaysTable, changes.unpricedDays);
  await addToRollup(tx, orgId, runnerDaysTable, changes.runnerDays);
}

/**
 * Writes the prices of these jobs. The rows hold the whole key: with the organization as a constant, a database without
 * statistics expects few rows of it, and reads them all (decision 12).
 */
export async function updatePrices(
  tx: Transaction,
  jobs: readonly (JobKey & JobPrice & { orgId: string })[],
): Promise<void> {
  const names = [...jobsTable.key, ...priceColumns];
  const columns = Object.fromEntries(names.map((name) => [name, jobsTable.columns[name]]));
  const changed = priceColumns.map(
    (name) => sql`${sql.ref(name)} = ${columnOfRow(name, jobsTable.columns[name])}`,
  );
  await sql`
    update jobs j set ${sql.join(changed)}
    from ${unnested(jobs, { orgId: 'uuid', ...columns })}
    where (j.org_id, j.run_id, j.attempt, j.job_id) = (row.org_id, row.run_id, row.attempt, row.job_id)
  `.execute(tx);
}

/** Adds differences to what these runs cost, found as above. */
export async function addToRunCosts(
  tx: Transaction,
  runs: readonly { orgId: string; id: string; nanos: bigint }[],
): Promise<void> {
  await sql`
    update runs r set cost_nanos = r.cost_nanos + row.nanos
    from ${unnested(runs, { orgId: 'uuid', id: 'text', nanos: 'bigint' })}
    where (r.org_id, r.id) = (row.org_id, row.id)
  `.execute(tx);
}

/** Removes runs with all that is stored of them, their part of the rollups among it. */
export async function deleteRuns(
  tx: Transaction,
  orgId: string,
  { ids, rollups }: { ids: string[]; rollups: RollupChanges },
): Promise<void> {
  await addToRollups(tx, orgId, rollups);
  await removeEmptySums(tx, orgId, workflowDaysTable, rollups.workflowDays);
  await removeEmptySums(tx, orgId, organizationDaysTable, rollups.organizationDays);
  await removeEmptySums(tx, orgId, unpricedDaysTable, rollups.unpricedDays);
  await removeEmptySums(tx, orgId, runnerDaysTable, rollups.runnerDays);
  await tx.deleteFrom('jobs').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runCompletions').where('orgId', '=', orgId).where('runId', 'in', ids).execute();
  await tx.deleteFrom('runs').where('orgId', '=', orgId).where('id', 'in', ids).execute();
}

/**
 * Removes workflows that one of these runs, which are gone, may have named, and answers the runs to name them again:
 * the latest that each has left. A workflow without runs stays removed.
 */
export async function unnameWorkflows(
  tx: Transaction,
  orgId: string,
  gone: Pick<StoredRun, 'workflowId' | 'createdAt'>[],
): Promise<StoredRun[]> {
  const { rows } = await sql<StoredRun & { orgId: string }>`
    with unnamed as (
      delete from workflows w
      using ${unnested(gone, { workflowId: 'text', createdAt: 'timestamptz' })}
      where w.org_id = ${orgId} and w.id = row.workflow_id
        and (w.named_at <= row.created_at or not exists (
          select from runs where org_id = w.org_id and workflow_id = w.id
        ))
      returning w.id
    )
    select latest.* from unnamed
    cross join lateral (
      select * from runs where org_id = ${orgId} and workflow_id = unnamed.id
      order by created_at desc
      fetch first 1 rows with ties
    ) latest
  `.execute(tx);
  return rows.map(({ orgId: _, ...run }) => run);
}

export type UnpricedRunner = {
  labels: string[];
  runnerGroup: string | null;
  jobs: bigint;
  minutes: bigint;
  lastSeen: Day;
};

/** All unpriced runners seen since `start`, those with the most minutes first. */
export function findUnpricedRunners(db: Database, orgId: string, start: Day): Promise<UnpricedRunner[]> {
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

async function replaceRows<Row extends object>(
  tx: Transaction,
  orgId: string,
  table: RecordedTable<Row>,
  rows: Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const replaced = Object.keys(table.columns)
    .filter((name) => !(table.key as readonly string[]).includes(name))
    .map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  await sql`
    ${insertInto(orgId, table, rows)} on conflict (${keyOf(table)}) do update set ${sql.join(replaced)}
  `.execute(tx);
}

/** Removes those of the rows that have come to nothing, as if they had never been. */
async function removeEmptySums<Row extends object>(
  tx: Transaction,
  orgId: string,
  table: RecordedTable<Row>,
  rows: Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const isKey = (name: string) => (table.key as readonly string[]).includes(name);
  const columns = Object.entries<Columns[string]>(table.columns);
  const keyColumns = Object.fromEntries(columns.filter(([name]) => isKey(name)));
  const keys = Object.keys(keyColumns).map((name) => sql.ref(name));
  const isEmpty = columns.filter(([, type]) => type === 'bigint').map(([name]) => sql`${sql.ref(name)} = 0`);
  await sql`
    delete from ${sql.table(table.name)}
    where org_id = ${orgId} and (${sql.join(keys)}) in (select * from ${unnested(rows, keyColumns)})
      and ${sql.join(isEmpty, sql` and `)}
  `.execute(tx);
}

/** A rollup's integers of 64 bits are its sums. */
async function addToRollup<Row extends object>(
  tx: Transaction,
  orgId: string,
  table: RecordedTable<Row>,
  rows: Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = Object.entries(table.columns)
    .filter(([, type]) => type === 'bigint')
    .map(([name]) => sql`${sql.ref(name)} = ${sql.ref(`known.${name}`)} + ${sql.ref(`excluded.${name}`)}`);
  await sql`
    ${insertInto(orgId, table, rows)} on conflict (${keyOf(table)}) do update set ${sql.join(added)}
  `.execute(tx);
}

/** A workflow shows the name that its latest run gave it, in whatever order the runs were reported. */
export async function saveWorkflows(
  tx: Transaction,
  orgId: string,
  workflows: NamedWorkflow[],
): Promise<void> {
  if (workflows.length === 0) return;
  await sql`
    ${insertInto(orgId, workflowsTable, workflows)} on conflict (${keyOf(workflowsTable)}) do update
    set repository = excluded.repository, name = excluded.name, named_at = excluded.named_at
    where (excluded.named_at, excluded.name collate "C") > (known.named_at, known.name collate "C")
  `.execute(tx);
}

function insertInto<Row extends object>(orgId: string, table: RecordedTable<Row>, rows: Row[]) {
  const names = ['orgId', ...Object.keys(table.columns)].map((name) => sql.ref(name));
  return sql`
    insert into ${sql.table(table.name)} as known (${sql.join(names)}) ${unnestRows(orgId, rows, table.columns)}`;
}

function keyOf(table: { key: readonly string[] }) {
  return sql.join(['orgId', ...table.key].map((name) => sql.ref(name)));
}
