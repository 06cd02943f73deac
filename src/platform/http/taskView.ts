import { Type } from 'typebox';
import type { TaskRow } from '../work/tasks.queries.ts';
import { nullable, NullableString, NullableTimestamp, Timestamp, words } from './schemas.ts';

const statuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

/** What every resource that is a task shows beside its own fields. */
export const taskFields = {
  status: words(statuses),
  progress: Type.Object({
    done: Type.Integer(),
    total: nullable(Type.Integer({ description: 'null until it is known' })),
  }),
  error: NullableString,
  created_at: Timestamp,
  started_at: NullableTimestamp,
  ended_at: NullableTimestamp,
};

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
