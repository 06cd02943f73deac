import { concludeRun, type Conclusion } from '../../ledger/runs/report.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** Sums of paid jobs with the same outcome. Times are in milliseconds. */
export type PaidGroup = {
  rawConclusion: string | null;
  isRepeated: boolean;
  succeededLater: boolean;
  /** A newer run of the same workflow, branch and event started before the job completed. */
  isOvertaken: boolean;
  isBilled: boolean;
  jobs: bigint;
  roundedJobs: bigint;
  costNanos: Nanos;
  timeNanos: Nanos;
  /** The cost of the time after a newer run started. */
  lateNanos: Nanos;
  billedMs: bigint;
  timeMs: bigint;
  lateMs: bigint;
  waitingJobs: bigint;
  waitedMs: bigint;
};

/** Sums of jobs with the same workflow and name. */
export type JobGroup = PaidGroup & {
  workflowId: string;
  provider: string;
  name: string;
  /** Superseded by a push, not by a pull request. */
  isPush: boolean;
  /** Short jobs that could be merged with others of their run. */
  mergeableJobs: bigint;
  mergeNanos: Nanos;
  /** The longest merged job if its steps ran in parallel. 0 if there is none. */
  mergedMs: bigint;
  longestMs: bigint;
  nanosPerMinute: Nanos;
};

export const categories = ['rounding', 'failed', 'superseded', 'rerun', 'skipped_after_queueing'] as const;
export type Category = (typeof categories)[number];

/** `waitedMs` is unpaid time in the queue and not part of `ms`. */
export type Amounts = { costNanos: Nanos; ms: bigint; jobs: bigint; waitedMs: bigint };

/** Each nano-dollar and each millisecond is in exactly one part. */
export type Split = Record<Category | 'useful', Amounts>;

const noAmounts: Amounts = { costNanos: 0n, ms: 0n, jobs: 0n, waitedMs: 0n };

/**
 * Billed but unused time is rounding. The rest belongs to the first part that applies: `rerun`, `superseded`, `failed`.
 */
export function splitJobs(group: PaidGroup): Split {
  const split = emptySplit();
  split.rounding = {
    ...noAmounts,
    costNanos: group.costNanos - group.timeNanos,
    ms: group.billedMs - group.timeMs,
    jobs: group.roundedJobs,
  };
  split.skipped_after_queueing = { ...noAmounts, jobs: group.waitingJobs, waitedMs: group.waitedMs };
  if (!group.isBilled) return split;
  const all: Amounts = { ...noAmounts, costNanos: group.timeNanos, ms: group.timeMs, jobs: group.jobs };
  if (group.isRepeated) return { ...split, rerun: all };
  const outcome = outcomeOf(group.rawConclusion);
  const end = outcome === 'failure' || outcome === 'cancelled' ? 'failed' : 'useful';
  if (!group.isOvertaken) return { ...split, [end]: all };
  if (outcome === 'cancelled') return { ...split, superseded: all };
  return {
    ...split,
    superseded: { ...noAmounts, costNanos: group.lateNanos, ms: group.lateMs, jobs: group.jobs },
    [end]: { ...all, costNanos: group.timeNanos - group.lateNanos, ms: group.timeMs - group.lateMs },
  };
}

/** An unknown conclusion is not waste. */
export function outcomeOf(rawConclusion: string | null): Conclusion | null {
  return concludeRun(rawConclusion, true);
}

export function emptySplit(): Split {
  return {
    rounding: noAmounts,
    failed: noAmounts,
    superseded: noAmounts,
    rerun: noAmounts,
    skipped_after_queueing: noAmounts,
    useful: noAmounts,
  };
}

const parts = [...categories, 'useful'] as const;

export function addSplits(a: Split, b: Split): Split {
  const sum = emptySplit();
  for (const part of parts) sum[part] = addAmounts(a[part], b[part]);
  return sum;
}

function addAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    costNanos: a.costNanos + b.costNanos,
    ms: a.ms + b.ms,
    jobs: a.jobs + b.jobs,
    waitedMs: a.waitedMs + b.waitedMs,
  };
}

export function sumOf(split: Split, of: 'all' | 'waste'): Amounts {
  return parts
    .filter((part) => of === 'all' || part !== 'useful')
    .map((part) => split[part])
    .reduce(addAmounts, noAmounts);
}

export type Groups = Map<string, JobGroup>;

/** A limit of job names per workflow, because some workflows generate a new name for each run. */
export const maxNames = 500;

export function addGroup(groups: Groups, names: Set<string>, group: JobGroup): void {
  if (names.size < maxNames) names.add(group.name);
  const name = names.has(group.name) ? group.name : '';
  const { rawConclusion, isRepeated, succeededLater, isOvertaken, isPush, isBilled } = group;
  const flags = `${isRepeated} ${succeededLater} ${isOvertaken} ${isPush} ${isBilled}`;
  const key = `${flags} ${rawConclusion?.length} ${rawConclusion} ${name}`;
  const known = groups.get(key);
  groups.set(key, known ? addUp(known, group) : name === group.name ? group : { ...group, name });
}

function addUp(a: JobGroup, b: JobGroup): JobGroup {
  return {
    ...a,
    provider: a.provider < b.provider ? a.provider : b.provider,
    jobs: a.jobs + b.jobs,
    roundedJobs: a.roundedJobs + b.roundedJobs,
    costNanos: a.costNanos + b.costNanos,
    timeNanos: a.timeNanos + b.timeNanos,
    lateNanos: a.lateNanos + b.lateNanos,
    billedMs: a.billedMs + b.billedMs,
    timeMs: a.timeMs + b.timeMs,
    lateMs: a.lateMs + b.lateMs,
    mergeableJobs: a.mergeableJobs + b.mergeableJobs,
    mergeNanos: a.mergeNanos + b.mergeNanos,
    mergedMs: a.mergedMs > b.mergedMs ? a.mergedMs : b.mergedMs,
    longestMs: a.longestMs > b.longestMs ? a.longestMs : b.longestMs,
    nanosPerMinute: a.nanosPerMinute > b.nanosPerMinute ? a.nanosPerMinute : b.nanosPerMinute,
    waitingJobs: a.waitingJobs + b.waitingJobs,
    waitedMs: a.waitedMs + b.waitedMs,
  };
}
