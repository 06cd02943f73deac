import { dayOf, type Day } from '../lib/days.ts';
import { derivedId } from '../lib/ids.ts';
import type { RunHistory, StoredJob } from './history.ts';

/** What a rollup row holds; all of them are sums. */
export type Measures = {
  costNanos: bigint;
  jobs: number;
  billedMinutes: number;
  unpricedMinutes: number;
  runs: number;
  completedRuns: number;
  skippedRuns: number;
  successfulRuns: number;
  durationSeconds: number;
};

type WorkflowDay = { day: Day; workflowId: string } & Measures;
type OrganizationDay = { day: Day } & Measures;
type UnpricedDay = {
  day: Day;
  runner: string;
  labels: string[];
  runnerGroup: string | null;
  jobs: number;
  minutes: number;
};

type RunnerDay = {
  day: Day;
  workflowId: string;
  runnerKind: string;
  jobs: number;
  minutes: number;
  costNanos: bigint;
};

/** The differences by which rollups must change, without those that come to nothing. */
export type RollupChanges = {
  workflowDays: WorkflowDay[];
  organizationDays: OrganizationDay[];
  unpricedDays: UnpricedDay[];
  runnerDays: RunnerDay[];
};

export type HistoryChange = { before: RunHistory | null; after: RunHistory };

/**
 * The difference that changed histories make to the rollups. A rollup is always the sum of what the stored runs
 * contribute, so replayed, reordered and late reports all lead to the same totals.
 */
export function rollupChanges(changes: readonly HistoryChange[]): RollupChanges {
  const workflowDays = new Map<string, WorkflowDay>();
  const organizationDays = new Map<string, OrganizationDay>();
  const unpricedDays = new Map<string, UnpricedDay>();
  const runnerDays = new Map<string, RunnerDay>();
  const addHistory = (history: RunHistory, sign: 1 | -1): void => {
    const { workflowId } = history.run;
    for (const { day, measures } of contributionsOf(history)) {
      const ofWorkflow = entryOf(workflowDays, `${day}/${workflowId}`, () => ({
        day,
        workflowId,
        ...nothing,
      }));
      addMeasures(ofWorkflow, measures, sign);
      addMeasures(
        entryOf(organizationDays, day, () => ({ day, ...nothing })),
        measures,
        sign,
      );
    }
    for (const job of history.jobs.filter(isPaidPerformance)) {
      addRunner(runnerDays, workflowId, job, sign);
      if (job.isUnpriced) addUnpriced(unpricedDays, job, sign);
    }
  };
  for (const { before, after } of changes) {
    if (before) addHistory(before, -1);
    addHistory(after, 1);
  }
  return {
    workflowDays: [...workflowDays.values()].filter(isSomething),
    organizationDays: [...organizationDays.values()].filter(isSomething),
    unpricedDays: [...unpricedDays.values()].filter((entry) => entry.jobs !== 0 || entry.minutes !== 0),
    runnerDays: [...runnerDays.values()].filter(
      (entry) => entry.jobs !== 0 || entry.minutes !== 0 || entry.costNanos !== 0n,
    ),
  };
}

const nothing: Measures = {
  costNanos: 0n,
  jobs: 0,
  billedMinutes: 0,
  unpricedMinutes: 0,
  runs: 0,
  completedRuns: 0,
  skippedRuns: 0,
  successfulRuns: 0,
  durationSeconds: 0,
};

/** Names of the sums, in one place for SQL and for adding up. */
export const measureNames = Object.keys(nothing) as (keyof Measures)[];

type Contribution = { day: Day; measures: Partial<Measures> };

function contributionsOf({ run, jobs }: RunHistory): Contribution[] {
  const ofRun: Contribution = {
    day: dayOf(run.createdAt),
    measures: {
      runs: 1,
      completedRuns: run.status === 'completed' ? 1 : 0,
      skippedRuns: run.conclusion === 'skipped' ? 1 : 0,
      successfulRuns: run.conclusion === 'success' ? 1 : 0,
      durationSeconds: run.durationSeconds,
    },
  };
  return [ofRun, ...jobs.filter(isPaidPerformance).map(contributionOfJob)];
}

function isPaidPerformance(job: StoredJob): boolean {
  return job.completedAt !== null && job.status === 'completed' && !job.isCarriedOver;
}

function contributionOfJob(job: StoredJob): Contribution {
  return {
    day: dayOf(job.completedAt!),
    measures: {
      jobs: 1,
      costNanos: job.costNanos,
      billedMinutes: job.billedMinutes,
      unpricedMinutes: job.isUnpriced ? job.billedMinutes : 0,
    },
  };
}

/** What tells a dearer runner from more work on the same one. Jobs without a price have a kind of their own. */
function addRunner(
  runnerDays: Map<string, RunnerDay>,
  workflowId: string,
  job: StoredJob,
  sign: 1 | -1,
): void {
  const day = dayOf(job.completedAt!);
  const runnerKind = job.runnerKind ?? 'unpriced';
  const entry = entryOf(runnerDays, `${day}/${workflowId}/${runnerKind}`, () => ({
    day,
    workflowId,
    runnerKind,
    jobs: 0,
    minutes: 0,
    costNanos: 0n,
  }));
  entry.jobs += sign;
  entry.minutes += sign * job.billedMinutes;
  entry.costNanos += BigInt(sign) * job.costNanos;
}

function addUnpriced(unpricedDays: Map<string, UnpricedDay>, job: StoredJob, sign: 1 | -1): void {
  const day = dayOf(job.completedAt!);
  const labels = job.labels.map((label) => label.toLowerCase()).toSorted();
  // A digest, for all the labels of a job can be more text than an index takes.
  const runner = derivedId('runner', JSON.stringify([labels, job.runnerGroup]));
  const entry = entryOf(unpricedDays, `${day}/${runner}`, () => ({
    day,
    runner,
    labels,
    runnerGroup: job.runnerGroup,
    jobs: 0,
    minutes: 0,
  }));
  entry.jobs += sign;
  entry.minutes += sign * job.billedMinutes;
}

function entryOf<T>(entries: Map<string, T>, key: string, create: () => T): T {
  const found = entries.get(key);
  if (found) return found;
  const created = create();
  entries.set(key, created);
  return created;
}

function addMeasures(sum: Measures, measures: Partial<Measures>, sign: 1 | -1): void {
  for (const [name, value] of Object.entries(measures)) {
    if (name === 'costNanos') sum.costNanos += BigInt(sign) * (value as bigint);
    else sum[name as Exclude<keyof Measures, 'costNanos'>] += sign * (value as number);
  }
}

function isSomething(measures: Measures): boolean {
  return measureNames.some((name) => measures[name] !== 0 && measures[name] !== 0n);
}
