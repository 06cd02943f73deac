import type { TaskRow } from '../work/tasks.queries.ts';

type Shown = Pick<TaskRow, 'status' | 'done' | 'total' | 'error' | 'createdAt' | 'startedAt' | 'endedAt'>;

/** What `taskFields` describes. */
export function taskView({ status, done, total, error, createdAt, startedAt, endedAt }: Shown) {
  return {
    status,
    progress: { done: Number(done), total: total === null ? null : Number(total) },
    error,
    created_at: createdAt,
    started_at: startedAt,
    ended_at: endedAt,
  };
}
