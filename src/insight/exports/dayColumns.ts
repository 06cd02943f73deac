import { required, type ColumnOf } from './column.ts';
import type { DayRow } from './rows.queries.ts';

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
