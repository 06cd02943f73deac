import { dayOf, startOfWeek } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';

// Judges recorded runs that nobody needs. What the record cannot show, such as what a job does, is left to people.

export const unneededKinds = [
  'idle_schedule',
  'always_canceled',
  'duplicate_workflow',
  'documentation_only',
] as const;
export type UnneededKind = (typeof unneededKinds)[number];

/** The completed runs of a workflow on an event, without skipped ones. */
export type Starts = {
  workflowId: string;
  repository: string;
  name: string;
  provider: string;
  path: string | null;
  event: string;
  runs: number;
  canceled: number;
  commits: number;
  costNanos: Nanos;
};

export type StartedRun = {
  id: string;
  workflowId: string;
  event: string;
  runNumber: number | null;
  pullRequest: number | null;
  branch: string | null;
  commit: string | null;
  attempt: number;
  conclusion: string | null;
  createdAt: Date;
  costNanos: Nanos;
};

/** `avoidable` runs are those of `found` that the change would have avoided. Both newest first. */
export type Judged = {
  found: readonly StartedRun[];
  avoidable: readonly StartedRun[];
  /** Of how many runs. */
  of: number;
};

/** Fewer runs show no habit. */
const minRuns = 5;
/** In percent. Above it, exceptions are noise. */
const nearlyAll = 90;
const mostly = 80;

const isShare = (part: number, whole: number, percent: number) => 100 * part >= percent * whole;

/** A run that is canceled can leave their effect half done. */
const effects =
  /(^|[^a-z])(deploy|release|publish|ship(?!p)|promot|rollout|roll-out|provision|terraform|terragrunt|tofu|pulumi|helm|apply|migrat|backup|back-up|restore|sync|mirror|rotat)/i;

/** Their runs change or judge something outside the repository, too: an unchanged commit says nothing about them. */
const purposes =
  /(^|[^a-z])(clean|prune|purge|stale|renew|renovate|dependabot|updat|upgrade|bump|report|notif|remind|scan|codeql|secur|audit|advisor|vulnerab|monitor|uptime|health|smoke|synthetic|canary|refresh|index|import|export|seed|cache|warm)/i;

export function hasEffect(names: readonly (string | null)[]): boolean {
  return names.some((name) => name !== null && effects.test(name));
}

export function hasPurpose(names: readonly (string | null)[]): boolean {
  return hasEffect(names) || names.some((name) => name !== null && purposes.test(name));
}

export type Every = 'day' | 'week';

/**
 * A scheduled run is idle if it has the commit of the one before. Null if any result mattered: somebody re-ran it, or
 * the next run after an unsuccessful one has another commit.
 */
export function judgeSchedule(runs: readonly StartedRun[]): (Judged & { every: Every }) | null {
  const found: StartedRun[] = [];
  for (const own of Map.groupBy(runs.toSorted(oldestFirst), ({ branch }) => branch).values()) {
    for (const [index, run] of own.entries()) {
      const before = own[index - 1];
      if (run.attempt > 1) return null;
      if (!before) continue;
      if (run.commit !== null && run.commit === before.commit) found.push(run);
      else if (before.conclusion !== 'success') return null;
    }
  }
  if (found.length < minRuns || !isShare(found.length, runs.length, mostly)) return null;
  const days = new Set(runs.map(({ createdAt }) => dayOf(createdAt)));
  const every = runs.length > 2 * days.size ? 'day' : 'week';
  const unitOf = ({ createdAt }: StartedRun) =>
    every === 'day' ? dayOf(createdAt) : startOfWeek(dayOf(createdAt));
  const kept = new Set<string>();
  const avoidable = found.toSorted(oldestFirst).filter((run) => {
    const isKept = !kept.has(unitOf(run));
    kept.add(unitOf(run));
    return !isKept;
  });
  if (avoidable.length === 0) return null;
  return { found: found.toSorted(newestFirst), avoidable: avoidable.toReversed(), of: runs.length, every };
}

export function isHabit({ runs, costNanos }: Starts): boolean {
  return runs >= minRuns && costNanos > 0n;
}

/** Whether some commit ran again, in a workflow that only checks the repository. */
export function mayIdle({ event, runs, commits, name, path }: Starts): boolean {
  return event === 'schedule' && commits > 0 && commits < runs && !hasPurpose([name, path]);
}

/** Workflows of the repository that run on nearly every commit on which this one runs, on the same event. */
export function possibleTwins(one: Starts, all: readonly Starts[]): string[] {
  if (one.commits < minRuns) return [];
  return all
    .filter(
      (other) =>
        other.repository === one.repository &&
        other.event === one.event &&
        other.workflowId !== one.workflowId &&
        isShare(other.commits, one.commits, nearlyAll),
    )
    .map(({ workflowId }) => workflowId);
}

/** A run, and what another workflow ran on the same commit, branch and event. */
export type Pair = {
  workflowId: string;
  event: string;
  runId: string;
  conclusion: string;
  twinId: string | null;
  twinRunId: string | null;
  twinConclusion: string | null;
};

export type RanJob = { runId: string; name: string; runnerKind: string | null; seconds: number };

/** One job of the same name can be chance, as `build` is. */
const minJobs = 2;
const maxDifference = 0.2;
const minDifferenceSeconds = 10;

/** Whether the other workflow nearly always ran too, and ended alike. */
export function runsAlike(sampled: number, pairs: readonly Pair[]): boolean {
  const alike = pairs.filter(({ conclusion, twinConclusion }) => conclusion === twinConclusion);
  return sampled >= minRuns && alike.length >= minRuns && isShare(alike.length, sampled, nearlyAll);
}

/** Whether the other workflow has all jobs of this one: of the same names, on the same runners, as long on average. */
export function hasSameJobs(pairs: readonly Pair[], jobsOf: ReadonlyMap<string, readonly RanJob[]>): boolean {
  const green = pairs.filter(({ conclusion }) => conclusion === 'success');
  const times = new Map<string, { own: number; twin: number }>();
  for (const { runId, twinRunId } of green) {
    const own = jobsOf.get(runId) ?? [];
    const twins = new Map((jobsOf.get(twinRunId!) ?? []).map((job) => [keyOf(job), job.seconds]));
    if (own.length < minJobs || own.some((job) => !twins.has(keyOf(job)))) return false;
    for (const job of own) {
      const sum = times.get(keyOf(job)) ?? { own: 0, twin: 0 };
      times.set(keyOf(job), { own: sum.own + job.seconds, twin: sum.twin + twins.get(keyOf(job))! });
    }
  }
  const tolerated = ({ own, twin }: { own: number; twin: number }) =>
    Math.max(minDifferenceSeconds * green.length, maxDifference * Math.max(own, twin));
  return (
    green.length >= minRuns &&
    [...times.values()].every((sum) => Math.abs(sum.own - sum.twin) <= tolerated(sum))
  );
}

const keyOf = ({ name, runnerKind }: RanJob) => `${runnerKind} ${name}`;

export type Twins = { workflowId: string; twinId: string; event: string };

/** Which workflows to remove, so that of each group one stays: the one that runs most. */
export function removable(twins: readonly Twins[], starts: readonly Starts[]): Twins[] {
  const runs = (id: string) =>
    starts.reduce((sum, { workflowId, runs: own }) => sum + (workflowId === id ? own : 0), 0);
  const removed = new Map<string, string>();
  const rarestFirst = twins.toSorted(
    (a, b) =>
      runs(a.workflowId) - runs(b.workflowId) ||
      compare(b.workflowId, a.workflowId) ||
      runs(b.twinId) - runs(a.twinId) ||
      compare(a.twinId, b.twinId),
  );
  return rarestFirst.filter(({ workflowId, twinId }) => {
    if (removed.has(twinId) || [...removed.values()].includes(workflowId)) return false;
    if (removed.has(workflowId)) return removed.get(workflowId) === twinId;
    removed.set(workflowId, twinId);
    return true;
  });
}

/** They look at texts, or at the pull request itself. */
const readers =
  /(^|[^a-z])(docs?|documentation|docusaurus|mkdocs|mdbook|sphinx|book|site|website|pages|preview|links?|lychee|spell|spelling|cspell|typos|vale|prose|markdown|markdownlint|md|readme|changelog|changes|changeset|license|licenses|reuse|prettier|format|formatting|fmt|super-?linter|mega-?linter|pre-?commit|titles?|semantic|commitlint|conventional|label|labels|labeler|triage|cla|dco|assign|welcome|greetings|reviews?|approve|automerge|auto-merge|size)(?![a-z])/i;

export function readsTexts(names: readonly (string | null)[]): boolean {
  return names.some((name) => name !== null && readers.test(name));
}

/** On how many pull requests of each kind a workflow ran, or any workflow of the repository. */
export type PullRequests = {
  repository: string;
  /** Null for any. */
  workflowId: string | null;
  documentation: number;
  other: number;
};

/** Whether it also runs on nearly all other changes of the repository. Else its file has a filter already. */
export function runsOnAllChanges(own: PullRequests, ofRepository: PullRequests): boolean {
  return (
    own.documentation >= minRuns && own.other >= minRuns && isShare(own.other, ofRepository.other, nearlyAll)
  );
}

/** Null if a run did not pass at once, because the workflow can then judge documentation. */
export function judgeDocumentation(runs: readonly StartedRun[], of: number): Judged | null {
  const found = runs.filter(({ conclusion }) => conclusion !== 'cancelled').toSorted(newestFirst);
  if (found.some(({ attempt, conclusion }) => attempt > 1 || conclusion !== 'success')) return null;
  return countPullRequests(found) < minRuns ? null : { found, avoidable: found, of };
}

export function countPullRequests(runs: readonly StartedRun[]): number {
  return new Set(runs.map(({ pullRequest }) => pullRequest)).size;
}

function oldestFirst(a: StartedRun, b: StartedRun): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || compare(a.id, b.id);
}

export function newestFirst(a: StartedRun, b: StartedRun): number {
  return oldestFirst(b, a);
}
