import type { Columns } from '../../platform/db/unnestRows.ts';
import { measureNames, type RollupChanges } from './contributions.ts';
import type { StoredJob, StoredRun } from './history.ts';
import type { RunTables } from './tables.ts';

/** A table that recording writes; every key begins with the organization. */
export type RecordedTable<Row> = {
  name: keyof RunTables;
  key: readonly (keyof Row & string)[];
  columns: Record<keyof Row & string, Columns[string]>;
};

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
    reports: 'jsonb',
  },
};

/** A workflow, named by the run that was created at `namedAt`. */
export type NamedWorkflow = { id: string; repository: string; name: string; namedAt: Date };

export const workflowsTable: RecordedTable<NamedWorkflow> = {
  name: 'workflows',
  key: ['id'],
  columns: { id: 'text', repository: 'text', name: 'text', namedAt: 'timestamptz' },
};

const measures = Object.fromEntries(measureNames.map((name) => [name, 'bigint'])) as Record<
  (typeof measureNames)[number],
  'bigint'
>;

export const workflowDaysTable: RecordedTable<RollupChanges['workflowDays'][number]> = {
  name: 'workflowDays',
  key: ['day', 'workflowId'],
  columns: { day: 'date', workflowId: 'text', ...measures },
};

export const organizationDaysTable: RecordedTable<RollupChanges['organizationDays'][number]> = {
  name: 'organizationDays',
  key: ['day'],
  columns: { day: 'date', ...measures },
};

export const runnerDaysTable: RecordedTable<RollupChanges['runnerDays'][number]> = {
  name: 'runnerDays',
  key: ['day', 'workflowId', 'runnerKind'],
  columns: {
    day: 'date',
    workflowId: 'text',
    runnerKind: 'text',
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
