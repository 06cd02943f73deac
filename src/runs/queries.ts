import { sql } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import type { Day } from '../lib/days.ts';
import { measureNames, type RollupChanges } from './contributions.ts';
import type { RunHistory, StoredJob, StoredRun } from './history.ts';

/** Makes this transaction the organization's only recorder until it ends. */
export async function lockOrganization(tx: Transaction, orgId: string): Promise<void> {
  await sql`select 1 from organizations where org_id = ${orgId} for no key update`.execute(tx);
}

/** The stored histories of those of the runs that are known, by run id. */
export async function findHistories(
  tx: Transaction,
  orgId: string,
  ids: string[],
): Promise<Map<string, RunHistory>> {
  const runs = await tx
    .selectFrom('runs')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  const histories = new Map<string, RunHistory>(
    runs.map(({ orgId: _, ...run }) => [run.id, { run, jobs: [] }]),
  );
  if (runs.length === 0) return histories;
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

export type NamedWorkflow = { id: string; repository: string; name: string; namedAt: Date };

export type Changes = {
  runs: StoredRun[];
  jobs: StoredJob[];
  workflows: NamedWorkflow[];
  rollups: RollupChanges;
};

/** Writes changed rows whole and adds the rollups' differences, in a statement a table. */
export async function saveChanges(tx: Transaction, orgId: string, changes: Changes): Promise<void> {
  await replaceRows(tx, orgId, 'runs', changes.runs, ['id'], runColumns);
  await replaceRows(tx, orgId, 'jobs', changes.jobs, ['run_id', 'attempt', 'job_id'], jobColumns);
  await saveWorkflows(tx, orgId, changes.workflows);
  await addToRollup(
    tx,
    orgId,
    'workflow_days',
    changes.rollups.workflowDays,
    ['day', 'workflow_id'],
    measureColumns,
  );
  await addToRollup(
    tx,
    orgId,
    'organization_days',
    changes.rollups.organizationDays,
    ['day'],
    measureColumns,
  );
  await addToRollup(
    tx,
    orgId,
    'unpriced_days',
    changes.rollups.unpricedDays,
    ['day', 'runner'],
    ['jobs', 'minutes'],
  );
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

const measureColumns = measureNames.map(snakeCase);

const runColumns = [
  'workflow_id',
  'repository',
  'is_private',
  'workflow_name',
  'workflow_path',
  'event',
  'branch',
  'actor',
  'reported_attempt',
  'reported_status',
  'reported_raw_conclusion',
  'reported_started_at',
  'reported_completed_at',
  'reported_at',
  'attempt',
  'status',
  'conclusion',
  'raw_conclusion',
  'created_at',
  'started_at',
  'completed_at',
  'duration_seconds',
  'cost_nanos',
];

const jobColumns = [
  'name',
  'labels',
  'runner_name',
  'runner_group',
  'status',
  'raw_conclusion',
  'created_at',
  'started_at',
  'completed_at',
  'ran',
  'observed_at',
  'is_carried_over',
  'runner_kind',
  'runner_rule',
  'billed_minutes',
  'nanos_per_minute',
  'cost_nanos',
  'is_unpriced',
  'flags',
];

type Row = Record<string, unknown>;

async function replaceRows(
  tx: Transaction,
  orgId: string,
  table: string,
  rows: Row[],
  key: string[],
  columns: string[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into ${sql.table(table)}
    select * from json_populate_recordset(null::${sql.table(table)}, ${rowsAsJson(orgId, rows)})
    on conflict (${columnList(['org_id', ...key])}) do update
    set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`))}
  `.execute(tx);
}

async function addToRollup(
  tx: Transaction,
  orgId: string,
  table: string,
  rows: Row[],
  key: string[],
  sums: string[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into ${sql.table(table)} as known
    select * from json_populate_recordset(null::${sql.table(table)}, ${rowsAsJson(orgId, rows)})
    on conflict (${columnList(['org_id', ...key])}) do update
    set ${sql.join(
      sums.map((sum) => sql`${sql.ref(sum)} = ${sql.ref(`known.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`),
    )}
  `.execute(tx);
}

/** A workflow shows the name that its latest run gave it, in whatever order the runs were reported. */
async function saveWorkflows(tx: Transaction, orgId: string, workflows: NamedWorkflow[]): Promise<void> {
  if (workflows.length === 0) return;
  await sql`
    insert into workflows as known
    select * from json_populate_recordset(null::workflows, ${rowsAsJson(orgId, workflows)})
    on conflict (org_id, id) do update
    set repository = excluded.repository, name = excluded.name, named_at = excluded.named_at
    where (excluded.named_at, excluded.name collate "C") > (known.named_at, known.name collate "C")
  `.execute(tx);
}

function columnList(columns: string[]): ReturnType<typeof sql.join> {
  return sql.join(columns.map((column) => sql.ref(column)));
}

/** Rows as one JSON parameter: a statement's text and plan stay the same for any number of rows. */
function rowsAsJson(orgId: string, rows: Row[]): string {
  const names = Object.keys(rows[0]!).map((name) => [name, snakeCase(name)] as const);
  const asColumns = (row: Row): Row => {
    const columns: Row = { org_id: orgId };
    for (const [name, column] of names) {
      const value = row[name];
      columns[column] = typeof value === 'bigint' ? value.toString() : value;
    }
    return columns;
  };
  return JSON.stringify(rows.map(asColumns));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
