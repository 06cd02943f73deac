import { concludeRun, type Conclusion } from '../../ledger/runs/report.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** Paid jobs of one workflow and name that went alike, added up. Times are milliseconds. */
export type JobGroup = {
  workflowId: string;
  provider: string;
  name: string;
  rawConclusion: string | null;
  /** A later attempt of the run did the same job again. */
  isRepeated: boolean;
  /** One of those that repeated it succeeded. */
  succeededLater: boolean;
  /** A newer run of the same workflow, branch and event was created before the job completed. */
  isOvertaken: boolean;
  /** Overtaken by a push, and not by a change of a pull request. */
  isPush: boolean;
  /** Whether the jobs have minutes at all. */
  isBilled: boolean;
  jobs: bigint;
  /** Jobs for which the rounding up of minutes cost something. */
  roundedJobs: bigint;
  costNanos: Nanos;
  /** The part of the cost for the time that the jobs really took. */
  timeNanos: Nanos;
  /** The part of that for the time after the jobs were overtaken. */
  lateNanos: Nanos;
  billedMs: bigint;
  timeMs: bigint;
  lateMs: bigint;
  /** Jobs with others in their run that they could be merged with, so that less is rounded up. */
  mergeableJobs: bigint;
  /** What merging them would have saved. */
  mergeNanos: Nanos;
  /** Of the longest of the merged jobs whose steps had run side by side; 0 where none had. */
  mergedMs: bigint;
  /** Of the longest of the jobs. */
  longestMs: bigint;
  nanosPerMinute: Nanos;
  /** Jobs that waited for a minute or more and never ran. */
  waitingJobs: bigint;
  waitedMs: bigint;
};

/** In the order in which they are told. */
export const categories = ['rounding', 'failed', 'superseded', 'rerun', 'skipped_after_queueing'] as const;
export type Category = (typeof categories)[number];

/** `waitedMs` is time in the queue, which nobody pays for: it is no part of `ms`. */
export type Share = { costNanos: Nanos; ms: bigint; jobs: bigint; waitedMs: bigint };

/** What the jobs cost, divided so that each nano-dollar and each millisecond stands in one place. */
export type Split = Record<Category | 'useful', Share>;

const noShare: Share = { costNanos: 0n, ms: 0n, jobs: 0n, waitedMs: 0n };

/**
 * Divides what jobs that went alike cost. The minutes that were billed and not used are rounding. The time itself is
 * of the first that applies: run again (`rerun`), overtaken by a newer run (`superseded`), not successful (`failed`).
 */
export function splitJobs(group: JobGroup): Split {
  const split = emptySplit();
  split.rounding = {
    ...noShare,
    costNanos: group.costNanos - group.timeNanos,
    ms: group.billedMs - group.timeMs,
    jobs: group.roundedJobs,
  };
  split.skipped_after_queueing = { ...noShare, jobs: group.waitingJobs, waitedMs: group.waitedMs };
  if (!group.isBilled) return split;
  const all: Share = { ...noShare, costNanos: group.timeNanos, ms: group.timeMs, jobs: group.jobs };
  if (group.isRepeated) return { ...split, rerun: all };
  const outcome = outcomeOf(group.rawConclusion);
  const end = outcome === 'failure' || outcome === 'cancelled' ? 'failed' : 'useful';
  if (!group.isOvertaken) return { ...split, [end]: all };
  if (outcome === 'cancelled') return { ...split, superseded: all };
  return {
    ...split,
    superseded: { ...noShare, costNanos: group.lateNanos, ms: group.lateMs, jobs: group.jobs },
    [end]: { ...all, costNanos: group.timeNanos - group.lateNanos, ms: group.timeMs - group.lateMs },
  };
}

/** How a job ended. A word that nobody knows is no reason to call it waste. */
export function outcomeOf(rawConclusion: string | null): Conclusion | null {
  return concludeRun(rawConclusion, true);
}

export function emptySplit(): Split {
  return {
    rounding: noShare,
    failed: noShare,
    superseded: noShare,
    rerun: noShare,
    skipped_after_queueing: noShare,
    useful: noShare,
  };
}

const parts = [...categories, 'useful'] as const;

export function addSplits(a: Split, b: Split): Split {
  const sum = emptySplit();
  for (const part of parts) sum[part] = addShares(a[part], b[part]);
  return sum;
}

function addShares(a: Share, b: Share): Share {
  return {
    costNanos: a.costNanos + b.costNanos,
    ms: a.ms + b.ms,
    jobs: a.jobs + b.jobs,
    waitedMs: a.waitedMs + b.waitedMs,
  };
}

/** All categories together, or all but what was of use. */
export function sumOf(split: Split, of: 'all' | 'waste'): Share {
  return parts
    .filter((part) => of === 'all' || part !== 'useful')
    .map((part) => split[part])
    .reduce(addShares, noShare);
}
