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
