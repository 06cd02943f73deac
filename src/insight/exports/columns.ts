import type { DayRow, JobRow, RunRow } from './rows.queries.ts';

/**
 * What a column holds: `decimal` is a whole number of billionths, money too; `second` an instant to the second; `list`
 * some texts, `object` texts and numbers by name.
 */
export type ColumnKind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'instant'
  | 'second'
  | 'day'
  | 'boolean'
  | 'list'
  | 'object';

export type Cell = string | bigint | boolean | Date | string[] | Record<string, string | number> | null;

export type Column = { name: string; kind: ColumnKind; isNullable: boolean };

/** A column with how its cell is got from a row. */
export type ColumnOf<Row> = Column & { cellOf: (row: Row) => Cell };

/** A column that always has a value. */
export function required<Row>(
  name: string,
  kind: ColumnKind,
  cellOf: (row: Row) => Exclude<Cell, null>,
): ColumnOf<Row> {
  return { name, kind, isNullable: false, cellOf };
}

/** A column whose cells can be empty. */
export function optional<Row>(name: string, kind: ColumnKind, cellOf: (row: Row) => Cell): ColumnOf<Row> {
  return { name, kind, isNullable: true, cellOf };
}

/** An instant in UTC as ISO 8601: to the millisecond, or to the second where its column has no more. */
export function instantText(instant: Date, kind: ColumnKind): string {
  const text = instant.toISOString();
  return kind === 'second' ? text.replace(/\.\d+Z$/, 'Z') : text;
}

/** A run with the cost of all its attempts; named as the API names them. */
export const runColumns: ColumnOf<RunRow>[] = [
  required('run_id', 'text', (row) => row.id),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('provider', 'text', (row) => row.provider),
  optional('is_private', 'boolean', (row) => row.isPrivate),
  optional('event', 'text', (row) => row.event),
  optional('branch', 'text', (row) => row.branch),
  optional('actor', 'text', (row) => row.actor),
  required('attempt', 'integer', (row) => BigInt(row.attempt)),
  required('status', 'text', (row) => row.status),
  optional('conclusion', 'text', (row) => row.conclusion),
  optional('raw_conclusion', 'text', (row) => row.rawConclusion),
  required('created_at', 'instant', (row) => row.createdAt),
  optional('started_at', 'instant', (row) => row.startedAt),
  optional('completed_at', 'instant', (row) => row.completedAt),
  required('duration_seconds', 'integer', (row) => BigInt(row.durationSeconds)),
  required('cost', 'decimal', (row) => row.costNanos),
];

/** A job that counts, with its run's fields; named as the API names them. */
export const jobColumns: ColumnOf<JobRow>[] = [
  required('run_id', 'text', (row) => row.runId),
  required('attempt', 'integer', (row) => BigInt(row.attempt)),
  required('job_id', 'text', (row) => row.jobId),
  optional('job_name', 'text', (row) => row.jobName),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('provider', 'text', (row) => row.provider),
  optional('is_private', 'boolean', (row) => row.isPrivate),
  optional('event', 'text', (row) => row.event),
  optional('branch', 'text', (row) => row.branch),
  optional('actor', 'text', (row) => row.actor),
  optional('run_conclusion', 'text', (row) => row.runConclusion),
  optional('raw_conclusion', 'text', (row) => row.rawConclusion),
  required('labels', 'list', (row) => row.labels),
  optional('runner_name', 'text', (row) => row.runnerName),
  optional('runner_group', 'text', (row) => row.runnerGroup),
  optional('runner_kind', 'text', (row) => row.runnerKind),
  required('runner_rule', 'text', (row) => row.runnerRule),
  optional('created_at', 'instant', (row) => row.createdAt),
  optional('started_at', 'instant', (row) => row.startedAt),
  required('completed_at', 'instant', (row) => row.completedAt),
  required('seconds', 'decimal', secondBillionths),
  required('billed_minutes', 'integer', (row) => BigInt(row.billedMinutes)),
  required('price_per_minute', 'decimal', (row) => row.nanosPerMinute),
  required('cost', 'decimal', (row) => row.costNanos),
  required('is_unpriced', 'boolean', (row) => row.isUnpriced),
  required('flags', 'list', (row) => row.flags),
];

/** How long a job ran; nothing where it never started, or ended before. */
export function ranMilliseconds({ startedAt, completedAt }: JobRow): bigint {
  return BigInt(startedAt ? Math.max(0, completedAt.getTime() - startedAt.getTime()) : 0);
}

function secondBillionths(row: JobRow): bigint {
  return ranMilliseconds(row) * 1_000_000n;
}

/** A workflow's day: costs on the day on which jobs completed, runs on the day on which they were created. */
export const dayColumns: ColumnOf<DayRow>[] = [
  required('date', 'day', (row) => row.day),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('cost', 'decimal', (row) => row.costNanos),
  required('jobs', 'integer', (row) => row.jobs),
  required('billed_minutes', 'integer', (row) => row.billedMinutes),
  required('unpriced_minutes', 'integer', (row) => row.unpricedMinutes),
  required('runs', 'integer', (row) => row.runs),
  required('completed_runs', 'integer', (row) => row.completedRuns),
  required('successful_runs', 'integer', (row) => row.successfulRuns),
  required('skipped_runs', 'integer', (row) => row.skippedRuns),
  required('duration_seconds', 'integer', (row) => row.durationSeconds),
];
