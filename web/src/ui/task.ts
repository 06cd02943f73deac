import { count, countOf } from './figures.ts';

export type Task = { status: string; progress: { done: number; total: number | null } };

export function isMoving({ status }: Pick<Task, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

export function percentDone({ progress: { done, total } }: Pick<Task, 'progress'>): number | null {
  if (total === null) return null;
  return total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
}

/** For example `12 of 340 jobs`, or `12 jobs` while the total is not known. */
export function doneInWords({ progress: { done, total } }: Pick<Task, 'progress'>, one: string): string {
  return total === null ? countOf(done, one) : `${count(done)} of ${countOf(total, one)}`;
}
