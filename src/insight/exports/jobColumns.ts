import { optional, required, type ColumnOf } from './column.ts';
import type { JobRow } from './rows.queries.ts';

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
