import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import type { Send } from '../../platform/db/pipeline.ts';
import { plannedEachTime } from '../../platform/db/prepared.ts';
import { selectUncounted } from '../../platform/db/unnestRows.ts';
import { utcDay } from '../../platform/db/utcDay.ts';
import { chunksOf } from '../../platform/lib/lists.ts';
import { othersPass } from '../../platform/lib/turns.ts';
import { moveAmounts } from './amounts.queries.ts';
import { measureNames, type NamedWorkflow, type RollupChanges } from './contributions.ts';
import type { JobKey, StoredJob, StoredRun } from './history.ts';
import { factNames, type SplitJobs, type StoredFacts } from './jobFacts.ts';
import type { JobFacts } from './tables.ts';
import {
  adding,
  replacing,
  upsertInto,
  type Part,
  type RecordedTable,
  type Upsert,
} from './upserts.queries.ts';

export type Changes = {
  runs: StoredRun[];
  jobs: StoredJob[];
  workflows: NamedWorkflow[];
  rollups: RollupChanges;
  /** Ids of runs with changed `queriedFields`. */
  redescribed: string[];
  /** Ids of runs that were created on another day than was known. */
  redated: string[];
};

export type OwnChanges = { orgId: string; changes: Changes; split: SplitJobs };

export async function saveChanges(
  send: Send,
  changed: readonly OwnChanges[],
  isDistributed: boolean,
): Promise<void> {
  const partsOf = (rowsOf: (changes: Changes) => readonly object[]): Part[] =>
    changed.map(({ orgId, changes }) => ({ orgId, rows: rowsOf(changes) }));
  const jobs = changed.map(({ orgId, changes, split }) => ({ orgId, ...split(changes.jobs) }));
  const rollups = changed.map(({ orgId, changes }) => ({ orgId, rollups: changes.rollups }));
  const write = ({ ofOne, ofSeveral }: Upsert, parts: readonly Part[]) => {
    for (const statement of isDistributed ? parts.flatMap(ofOne) : ofSeveral(parts)) send(statement);
  };
  const runs = partsOf((changes) => changes.runs);
  await inChunks(runs, (parts) => write(replaceRuns, parts));
  // Includes facts that were sent before, because a failover can lose them.
  const facts = jobs.map(({ orgId, facts: rows }) => ({ orgId, rows }));
  write(addFacts, facts);
  await inChunks(jobs, (parts) => write(replaceJobs, parts));
  const workflows = partsOf((changes) => changes.workflows);
  write(nameWorkflows, workflows);
  for (const [upsert, parts] of additionsToRollups(rollups)) write(upsert, parts);
  for (const { orgId, changes } of changed) {
    if (changes.redescribed.length > 0) send(renewDaysOf(orgId, changes.redescribed, randomUUID()));
    if (changes.redated.length > 0) send(moveAmounts(orgId, changes.redated));
  }
}

/** A report names only some jobs of a run, but the fields of the run affect the days of all of them. */
export async function renewDays(tx: Transaction, orgId: string, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0) await tx.executeQuery(renewDaysOf(orgId, runIds, randomUUID()));
}

const renewDaysOf = plannedEachTime(
  (orgId: string, runIds: readonly string[], version: string) => sql`
    update organization_days set version = ${version}
    where org_id = ${orgId} and day in (
      select ${utcDay(sql`completed_at`)} from jobs
      where org_id = ${orgId} and run_id = any(${runIds}::text[]) and completed_at is not null
    )
  `,
);

/** Jobs are judged together with their run, on the day it was created. */
export async function renewWorkflowDays(
  tx: Transaction,
  orgId: string,
  runIds: readonly string[],
): Promise<void> {
  await sql`
    update workflow_days set version = ${randomUUID()}
    where org_id = ${orgId} and (day, workflow_id) in (
      select ${utcDay(sql`created_at`)}, workflow_id from runs
      where org_id = ${orgId} and id = any(${runIds}::text[])
    )
  `.execute(tx);
}

/** A run's cost belongs to the day it was created. The days of its jobs get new versions together with their sums. */
export async function renewCreationDays(
  tx: Transaction,
  orgId: string,
  runIds: readonly string[],
): Promise<void> {
  await sql`
    update organization_days set version = ${randomUUID()}
    where org_id = ${orgId} and day in (
      select ${utcDay(sql`created_at`)} from runs where org_id = ${orgId} and id = any(${runIds}::text[])
    )
  `.execute(tx);
}

export async function addToRollups(tx: Transaction, orgId: string, rollups: RollupChanges): Promise<void> {
  for (const [upsert, parts] of additionsToRollups([{ orgId, rollups }])) {
    for (const statement of parts.flatMap(upsert.ofOne)) await tx.executeQuery(statement);
  }
}

function additionsToRollups(
  changed: readonly { orgId: string; rollups: RollupChanges }[],
): [Upsert, Part[]][] {
  const version = randomUUID();
  const withVersion = <Row extends object>(day: Row) => ({ ...day, version });
  const partsOf = (rowsOf: (rollups: RollupChanges) => readonly object[]): Part[] =>
    changed.map(({ orgId, rollups }) => ({ orgId, rows: rowsOf(rollups) }));
  return [
    [addToWorkflowDays, partsOf(({ workflowDays }) => workflowDays.map(withVersion))],
    [addToOrganizationDays, partsOf(({ organizationDays }) => organizationDays.map(withVersion))],
    [addToUnpricedDays, partsOf(({ unpricedDays }) => unpricedDays)],
    [addToRunnerDays, partsOf(({ runnerDays }) => runnerDays)],
    [addToChargeDays, partsOf(({ chargeDays }) => chargeDays)],
  ];
}

export async function updatePrices(
  tx: Transaction,
  orgId: string,
  jobs: readonly PricedJob[],
  split: SplitJobs,
): Promise<void> {
  const { rows, facts } = split(jobs);
  for (const statement of addFacts.ofOne({ orgId, rows: facts })) await tx.executeQuery(statement);
  const changed = [...factNames, 'billedMinutes', 'costNanos', 'factsId'] as const;
  const names = [...jobRowsTable.key, ...changed];
  const columns = Object.fromEntries(names.map((name) => [name, jobRowsTable.columns[name]]));
  const values = changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`row.${name}`)}`);
  await sql`
    update jobs j set ${sql.join(values)} from (${selectUncounted(rows, columns)}) row
    where j.org_id = ${orgId} and (j.run_id, j.attempt, j.job_id) = (row.run_id, row.attempt, row.job_id)
  `.execute(tx);
}

export type PricedJob = JobKey & JobFacts & Pick<StoredJob, 'billedMinutes' | 'costNanos'>;

export async function addToRunCosts(
  tx: Transaction,
  orgId: string,
  runs: readonly { id: string; nanos: bigint }[],
): Promise<void> {
  await sql`
    update runs r set cost_nanos = r.cost_nanos + row.nanos
    from (${selectUncounted(runs, { id: 'text', nanos: 'bigint' })}) row
    where r.org_id = ${orgId} and r.id = row.id
  `.execute(tx);
}

const maxRowsAtOnce = 250;

async function inChunks(parts: readonly Part[], write: (parts: readonly Part[]) => void): Promise<void> {
  if (parts.reduce((sum, { rows }) => sum + rows.length, 0) <= maxRowsAtOnce) return write(parts);
  // Encoding thousands of rows as text takes a tenth of a second, during which no request is answered.
  for (const { orgId, rows } of parts) {
    for (const chunk of chunksOf(rows, maxRowsAtOnce)) {
      await othersPass();
      write([{ orgId, rows: chunk }]);
    }
  }
}

export async function saveWorkflows(
  tx: Transaction,
  orgId: string,
  workflows: NamedWorkflow[],
): Promise<void> {
  for (const statement of nameWorkflows.ofOne({ orgId, rows: workflows })) await tx.executeQuery(statement);
}

export const runsTable: RecordedTable<StoredRun> = {
  name: 'runs',
  key: ['id'],
  columns: {
    id: 'text',
    workflowId: 'text',
    provider: 'text',
    repository: 'text',
    isPrivate: 'boolean',
    workflowName: 'text',
    workflowPath: 'text',
    event: 'text',
    branch: 'text',
    actor: 'text',
    attemptActors: 'jsonb',
    startedBy: 'text',
    pullRequest: 'integer',
    runNumber: 'integer',
    commit: 'text',
    reportedAttempt: 'integer',
    reportedStatus: 'text',
    reportedRawConclusion: 'text',
    reportedStartedAt: 'timestamptz',
    reportedCompletedAt: 'timestamptz',
    reportedAt: 'timestamptz',
    attempt: 'integer',
    status: 'text',
    conclusion: 'text',
    rawConclusion: 'text',
    createdAt: 'timestamptz',
    startedAt: 'timestamptz',
    completedAt: 'timestamptz',
    durationSeconds: 'integer',
    costNanos: 'bigint',
    reports: 'jsonb',
  },
};

export const jobsTable: RecordedTable<StoredJob> = {
  name: 'jobs',
  key: ['runId', 'attempt', 'jobId'],
  columns: {
    runId: 'text',
    attempt: 'integer',
    jobId: 'text',
    name: 'text',
    labels: 'text[]',
    runnerName: 'text',
    runnerGroup: 'text',
    status: 'text',
    rawConclusion: 'text',
    createdAt: 'timestamptz',
    startedAt: 'timestamptz',
    completedAt: 'timestamptz',
    ran: 'boolean',
    observedAt: 'timestamptz',
    isCarriedOver: 'boolean',
    awaitedApproval: 'boolean',
    runnerKind: 'text',
    runnerRule: 'text',
    billedMinutes: 'integer',
    nanosPerMinute: 'bigint',
    rounding: 'text',
    priceBookId: 'text',
    priceRuleId: 'text',
    costNanos: 'bigint',
    isUnpriced: 'boolean',
    flags: 'text[]',
    actor: 'text',
    reports: 'jsonb',
  },
};

const jobRowsTable: RecordedTable<StoredJob & { factsId: bigint | null }> = {
  ...jobsTable,
  columns: { ...jobsTable.columns, factsId: 'bigint' },
};

const { columns: jobColumns } = jobsTable;

const jobFactsTable: RecordedTable<StoredFacts> = {
  name: 'jobFacts',
  key: ['id'],
  columns: {
    id: 'bigint',
    ...(Object.fromEntries(factNames.map((name) => [name, jobColumns[name]])) as Pick<
      typeof jobColumns,
      keyof JobFacts
    >),
  },
};

const workflowsTable: RecordedTable<NamedWorkflow> = {
  name: 'workflows',
  key: ['id'],
  columns: { id: 'text', repository: 'text', name: 'text', namedAt: 'timestamptz' },
};

const measures = Object.fromEntries(measureNames.map((name) => [name, 'bigint'])) as Record<
  (typeof measureNames)[number],
  'bigint'
>;

export const workflowDaysTable: RecordedTable<RollupChanges['workflowDays'][number] & { version: string }> = {
  name: 'workflowDays',
  key: ['day', 'workflowId'],
  columns: { day: 'date', workflowId: 'text', version: 'uuid', ...measures },
};

export const organizationDaysTable: RecordedTable<
  RollupChanges['organizationDays'][number] & { version: string }
> = {
  name: 'organizationDays',
  key: ['day'],
  columns: { day: 'date', version: 'uuid', ...measures },
};

export const runnerDaysTable: RecordedTable<RollupChanges['runnerDays'][number]> = {
  name: 'runnerDays',
  key: ['day', 'workflowId', 'provider', 'runnerKind', 'isFree'],
  columns: {
    day: 'date',
    workflowId: 'text',
    provider: 'text',
    runnerKind: 'text',
    isFree: 'boolean',
    jobs: 'bigint',
    minutes: 'bigint',
    costNanos: 'bigint',
  },
};

export const chargeDaysTable: RecordedTable<RollupChanges['chargeDays'][number]> = {
  name: 'chargeDays',
  key: ['day', 'provider', 'runnerKind', 'isFree'],
  columns: {
    day: 'date',
    provider: 'text',
    runnerKind: 'text',
    isFree: 'boolean',
    jobs: 'bigint',
    minutes: 'bigint',
    costNanos: 'bigint',
  },
};

export const unpricedDaysTable: RecordedTable<RollupChanges['unpricedDays'][number]> = {
  name: 'unpricedDays',
  key: ['day', 'runner'],
  columns: {
    day: 'date',
    runner: 'text',
    labels: 'text[]',
    runnerGroup: 'text',
    jobs: 'bigint',
    minutes: 'bigint',
  },
};

const replaceRuns = upsertInto(runsTable, replacing(runsTable));
const replaceJobs = upsertInto(jobRowsTable, replacing(jobRowsTable));
const addFacts = upsertInto(jobFactsTable, null);
/** A workflow has the name that its latest run reports, regardless of the order of reports. */
const nameWorkflows = upsertInto(
  workflowsTable,
  sql`
    set repository = excluded.repository, name = excluded.name, named_at = excluded.named_at
    where (excluded.named_at, excluded.name collate "C") > (known.named_at, known.name collate "C")`,
);
const addToWorkflowDays = upsertInto(workflowDaysTable, adding(workflowDaysTable));
const addToOrganizationDays = upsertInto(organizationDaysTable, adding(organizationDaysTable));
const addToUnpricedDays = upsertInto(unpricedDaysTable, adding(unpricedDaysTable));
const addToRunnerDays = upsertInto(runnerDaysTable, adding(runnerDaysTable));
const addToChargeDays = upsertInto(chargeDaysTable, adding(chargeDaysTable));
