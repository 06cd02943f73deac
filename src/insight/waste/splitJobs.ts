import { concludeRun } from '../../ledger/runs/conclusion.ts';
import type { Conclusion } from '../../ledger/runs/report.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { JobGroup } from './jobGroup.ts';

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
