import { optional, required, type ColumnOf } from './column.ts';
import type { RunRow } from './rows.queries.ts';

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
