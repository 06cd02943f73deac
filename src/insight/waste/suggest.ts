import type { Provider, Providers } from '../../ledger/pricing/provider.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { categories, outcomeOf, splitJobs, type Category, type JobGroup } from './jobGroups.ts';
import { hasEffect, unneededKinds } from './unneeded.ts';
import {
  cancelSupersededText,
  failingText,
  flakyText,
  limitTimeText,
  mergeText,
  queueText,
  rerunFailedText,
} from './wording.ts';

export const actions = [
  'merge_short_jobs',
  'cancel_superseded_runs',
  'limit_time',
  'fix_failing_jobs',
  'fix_flaky_jobs',
  'rerun_failed_jobs_only',
  'shorten_queue',
  'run_less_often',
  'remove_trigger',
  'remove_duplicate',
  'skip_documentation',
] as const;

/** What fixes are about: the categories of waste, and runs that nobody needs. */
export const fixKinds = [...categories, ...unneededKinds] as const;
export type FixKind = (typeof fixKinds)[number];

export function isCategory(kind: FixKind): kind is Category {
  return categories.some((category) => category === kind);
}

/** `savingNanos` is an upper limit. No two suggestions count the same saving. */
export type Suggestion = {
  category: FixKind;
  action: (typeof actions)[number];
  text: string;
  jobs: string[];
  savingNanos: Nanos;
  yaml: string | null;
  /** Of `limit_time`: the minutes for each job of the workflow, because one line of the file can limit several. */
  limits?: readonly { job: string; minutes: number }[];
};

/** A workflow can have runs of several providers. */
type YamlOf = (group: JobGroup) => Provider['yaml'];
const noYaml: Provider['yaml'] = {
  cancelSuperseded: null,
  limitTime: null,
  runEvery: null,
  startOn: null,
  ignorePaths: null,
};

const maxSuggestions = 5;
/** Leaves out savings below a hundredth of the workflow's waste. */
const minShare = 100n;
const maxJobsNamed = 10;

/** For the workflow of this name. */
export function suggest(
  name: string,
  groups: readonly JobGroup[],
  providers: Providers,
  wastedNanos: Nanos,
): Suggestion[] {
  const yamlOf = (group: JobGroup) => providers.of(group.provider)?.yaml ?? noYaml;
  const byName = Map.groupBy(
    groups.filter((group) => group.name !== ''),
    (group) => group.name,
  );
  const byJob = [...byName].map(([job, own]) => ({ name: job, groups: own, limit: limitMinutes(own) }));
  const limits = byJob
    .flatMap(({ name: job, limit }) => (limit === null ? [] : [{ job, minutes: Number(limit) }]))
    .toSorted((a, b) => compare(a.job, b.job));
  const all = [
    merging(groups),
    hasEffect([name, ...byName.keys()]) ? null : superseding(groups, yamlOf),
    ...byJob.map((job) => limitingTime({ ...job, limits }, yamlOf)),
    failing(byJob),
    flakiness(byJob),
    rerunning(groups),
    queueing(groups),
  ].filter((suggestion) => suggestion !== null);
  return all
    .filter(({ savingNanos }) => savingNanos === 0n || savingNanos * minShare >= wastedNanos)
    .toSorted((a, b) => bySaving(named(a), named(b)))
    .slice(0, maxSuggestions);
}

function merging(groups: readonly JobGroup[]): Suggestion | null {
  const savingNanos = sum(groups, ({ mergeNanos }) => mergeNanos);
  if (savingNanos === 0n) return null;
  const jobs = namesBy(groups, (group) =>
    group.mergeableJobs > 0n ? group.costNanos - group.timeNanos : 0n,
  );
  const longestMs = groups.reduce((most, { mergedMs }) => (mergedMs > most ? mergedMs : most), 0n);
  const text = mergeText(jobs, longestMs);
  return { category: 'rounding', action: 'merge_short_jobs', text, jobs, savingNanos, yaml: null };
}

/** The time that a canceled run did not use is saved already. */
function superseding(groups: readonly JobGroup[], yamlOf: YamlOf): Suggestion | null {
  const late = groups.filter(({ isRepeated, isOvertaken }) => isOvertaken && !isRepeated);
  const most = groupOfMost(late, ({ lateNanos }) => lateNanos);
  if (most === null) return null;
  const savingNanos = sum(late, ({ lateNanos }) => lateNanos);
  const text = cancelSupersededText(late.some(({ isPush, lateNanos }) => isPush && lateNanos > 0n));
  const jobs = namesBy(late, ({ lateNanos }) => lateNanos);
  const yaml = yamlOf(most).cancelSuperseded;
  return { category: 'superseded', action: 'cancel_superseded_runs', text, jobs, savingNanos, yaml };
}

/** `limit` is a sensible time limit in minutes. Null if no job succeeded. */
type NamedJob = { name: string; groups: readonly JobGroup[]; limit: bigint | null };

function limitingTime(
  { name, groups, limit, limits }: NamedJob & Pick<Suggestion, 'limits'>,
  yamlOf: YamlOf,
): Suggestion | null {
  const most = groupOfMost(groups, (group) => costOverLimit(group, limit));
  if (limit === null || most === null) return null;
  const savingNanos = sum(groups, (group) => costOverLimit(group, limit));
  const text = limitTimeText(name, limit);
  const yaml = yamlOf(most).limitTime?.(limit) ?? null;
  return {
    category: 'failed',
    action: 'limit_time',
    text,
    jobs: [name],
    savingNanos,
    yaml,
    ...(limits && { limits }),
  };
}

const minFailures = 2n;

/** Counts only the cost up to the limit, because `limit_time` saves the rest. */
function failing(jobs: readonly NamedJob[]): Suggestion | null {
  const often = jobs
    .map(({ name, groups, limit }) => {
      const failures = groups.filter((group) => isFailure(group) && splitJobs(group).failed.jobs > 0n);
      return {
        name,
        last: sum(failures, (group) => group.jobs),
        failed: sum(groups.filter(isFailure), billedJobs),
        ran: sum(groups, billedJobs),
        savingNanos: sum(
          failures,
          (group) => splitJobs(group).failed.costNanos - costOverLimit(group, limit),
        ),
      };
    })
    .filter(({ last, savingNanos }) => last >= minFailures && savingNanos > 0n)
    .toSorted(bySaving);
  if (often.length === 0) return null;
  return { category: 'failed', action: 'fix_failing_jobs', text: failingText(often), ...together(often) };
}

const minLimitMinutes = 5n;

function limitMinutes(groups: readonly JobGroup[]): bigint | null {
  const longest = groups
    .filter(({ isBilled, rawConclusion }) => isBilled && outcomeOf(rawConclusion) === 'success')
    .reduce((most, { longestMs }) => (longestMs > most ? longestMs : most), 0n);
  if (longest === 0n) return null;
  const step = minLimitMinutes * 60_000n;
  return ((2n * longest + step - 1n) / step) * minLimitMinutes;
}

/** A lower bound. It is exact if all jobs took equally long. */
function costOverLimit(group: JobGroup, minutes: bigint | null): Nanos {
  if (minutes === null) return 0n;
  const over = splitJobs(group).failed.costNanos - group.jobs * minutes * group.nanosPerMinute;
  return over > 0n ? over : 0n;
}

function flakiness(jobs: readonly NamedJob[]): Suggestion | null {
  const flaky = jobs
    .map(({ name, groups }) => {
      const own = groups.filter(
        (group) => group.isRepeated && group.succeededLater && group.isBilled && isFailure(group),
      );
      return { name, times: sum(own, billedJobs), savingNanos: sum(own, ({ timeNanos }) => timeNanos) };
    })
    .filter(({ savingNanos }) => savingNanos > 0n)
    .toSorted(bySaving);
  if (flaky.length === 0) return null;
  return { category: 'rerun', action: 'fix_flaky_jobs', text: flakyText(flaky), ...together(flaky) };
}

function rerunning(groups: readonly JobGroup[]): Suggestion | null {
  const needless = groups.filter(
    ({ isRepeated, rawConclusion }) => isRepeated && outcomeOf(rawConclusion) === 'success',
  );
  const savingNanos = sum(needless, ({ timeNanos }) => timeNanos);
  if (savingNanos === 0n) return null;
  const jobs = namesBy(needless, ({ timeNanos }) => timeNanos);
  const text = rerunFailedText(sum(needless, (group) => group.jobs));
  return { category: 'rerun', action: 'rerun_failed_jobs_only', text, jobs, savingNanos, yaml: null };
}

const minWaitedMs = 3_600_000n;

function queueing(groups: readonly JobGroup[]): Suggestion | null {
  const waitedMs = sum(groups, (group) => group.waitedMs);
  if (waitedMs < minWaitedMs) return null;
  const count = sum(groups, ({ waitingJobs }) => waitingJobs);
  const text = queueText(count, waitedMs);
  const jobs = namesBy(groups, (group) => group.waitedMs);
  return {
    category: 'skipped_after_queueing',
    action: 'shorten_queue',
    text,
    jobs,
    savingNanos: 0n,
    yaml: null,
  };
}

function isFailure({ rawConclusion }: JobGroup): boolean {
  return outcomeOf(rawConclusion) === 'failure';
}

function billedJobs({ isBilled, jobs }: JobGroup): bigint {
  return isBilled ? jobs : 0n;
}

type Saving = { name: string; savingNanos: Nanos };

function named({ action, jobs, savingNanos }: Suggestion): Saving {
  return { name: `${action} ${jobs[0]}`, savingNanos };
}

function together(jobs: readonly Saving[]): Pick<Suggestion, 'jobs' | 'savingNanos' | 'yaml'> {
  return {
    jobs: jobs.slice(0, maxJobsNamed).map(({ name }) => name),
    savingNanos: jobs.reduce((total, { savingNanos }) => total + savingNanos, 0n),
    yaml: null,
  };
}

function bySaving(a: Saving, b: Saving): number {
  return compare(b.savingNanos, a.savingNanos) || compare(a.name, b.name);
}

function sum(groups: readonly JobGroup[], of: (group: JobGroup) => bigint): bigint {
  return groups.reduce((total, group) => total + of(group), 0n);
}

/** Breaks ties by provider, because the database returns groups in any order. */
function groupOfMost(groups: readonly JobGroup[], of: (group: JobGroup) => bigint): JobGroup | null {
  const [most] = groups.toSorted((a, b) => compare(of(b), of(a)) || compare(a.provider, b.provider));
  return most === undefined || of(most) === 0n ? null : most;
}

function namesBy(groups: readonly JobGroup[], of: (group: JobGroup) => bigint): string[] {
  const byName = new Map<string, bigint>();
  for (const group of groups) {
    if (group.name !== '') byName.set(group.name, (byName.get(group.name) ?? 0n) + of(group));
  }
  return [...byName]
    .filter(([, amount]) => amount > 0n)
    .toSorted(([a, amountA], [b, amountB]) => compare(amountB, amountA) || compare(a, b))
    .slice(0, maxJobsNamed)
    .map(([name]) => name);
}
