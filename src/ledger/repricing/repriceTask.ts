import type { Day } from '../../platform/lib/days.ts';
import type { Task, TaskKind } from '../../platform/work/tasks.ts';
import type { StoredPriceList } from '../pricing/findPriceList.ts';

export const repriceKind: TaskKind = { name: 'reprice', idPrefix: 'reprice' };

/** Pricing the jobs of some days anew, or taking that back. */
export type RepriceInput =
  | { action: 'reprice'; from: Day; to: Day; isDryRun: boolean; list: StoredPriceList }
  | { action: 'revert'; repriceId: string; from: Day; to: Day };

/** The job it has come to: jobs in the order of completion, or of the log. */
export type RepriceState = {
  cursor: { completedAt: string; runId: string; attempt: number; jobId: string } | null;
  changedJobs: number;
  /** Jobs that a revert left alone, because they have changed since. */
  skippedJobs: number;
  /** What the jobs that it looked at cost before and after, in nano-dollars. */
  beforeNanos: string;
  afterNanos: string;
};

export const firstState: RepriceState = {
  cursor: null,
  changedJobs: 0,
  skippedJobs: 0,
  beforeNanos: '0',
  afterNanos: '0',
};

export type Reprice = Task<RepriceInput, RepriceState>;
