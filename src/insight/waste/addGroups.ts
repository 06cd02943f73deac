import type { JobGroup } from './jobGroup.ts';

/** Groups of a workflow's jobs by what distinguishes them. */
export type Groups = Map<string, JobGroup>;

/** Names of jobs that are told apart in a workflow; some make up a new one each time. */
export const mostNames = 500;

/** Adds a group to those of the same workflow. Names beyond the first `mostNames` count together as the name ''. */
export function addGroup(groups: Groups, names: Set<string>, group: JobGroup): void {
  if (names.size < mostNames) names.add(group.name);
  const name = names.has(group.name) ? group.name : '';
  const { rawConclusion, isRepeated, succeededLater, isOvertaken, isPush, isBilled } = group;
  const key = JSON.stringify([
    name,
    rawConclusion,
    isRepeated,
    succeededLater,
    isOvertaken,
    isPush,
    isBilled,
  ]);
  const known = groups.get(key);
  groups.set(key, known ? addUp(known, group) : { ...group, name });
}

function addUp(a: JobGroup, b: JobGroup): JobGroup {
  return {
    ...a,
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
