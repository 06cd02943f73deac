import { dayOf, type Day } from '../../platform/lib/days.ts';
import { derivedId } from '../../platform/lib/ids.ts';
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

/** `before` is null for a run that is new, `after` for one that is removed. */
export type HistoryChange = { before: RunHistory | null; after: RunHistory | null };

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
      const paid = { ...job, day: dayOf(job.completedAt!), workflowId };
      const amount = {
        jobs: sign,
        minutes: sign * job.billedMinutes,
        costNanos: BigInt(sign) * job.costNanos,
      };
      addRunner(runnerDays, paid, amount);
      if (job.isUnpriced) addUnpriced(unpricedDays, paid, amount);
    }
  };
  for (const { before, after } of changes) {
    if (before) addHistory(before, -1);
    if (after) addHistory(after, 1);
  }
  return somethingOf({ workflowDays, organizationDays, unpricedDays, runnerDays });
}

type Entries = { [Table in keyof RollupChanges]: Map<string, RollupChanges[Table][number]> };

function somethingOf({ workflowDays, organizationDays, unpricedDays, runnerDays }: Entries): RollupChanges {
  return {
    workflowDays: [...workflowDays.values()].filter(isSomething),
    organizationDays: [...organizationDays.values()].filter(isSomething),
    unpricedDays: [...unpricedDays.values()].filter((entry) => entry.jobs !== 0 || entry.minutes !== 0),
    runnerDays: [...runnerDays.values()].filter(
      (entry) => entry.jobs !== 0 || entry.minutes !== 0 || entry.costNanos !== 0n,
    ),
  };
}

type Price = { runnerKind: string | null; isUnpriced: boolean; minutes: number; costNanos: bigint };

/** Paid jobs of a day and workflow that got another price: what they came to together before, and come to now. */
export type PriceChange = {
  day: Day;
  workflowId: string;
  jobs: number;
  /** What tells unpriced runners apart: nothing where the jobs had a price, and have one. */
  labels: string[];
  runnerGroup: string | null;
  before: Price;
  after: Price;
};

/** The difference that other prices of recorded jobs make to the rollups. */
export function rollupPriceChanges(changes: readonly PriceChange[]): RollupChanges {
  const entries: Entries = {
    ...{ workflowDays: new Map(), organizationDays: new Map() },
    ...{ unpricedDays: new Map(), runnerDays: new Map() },
  };
  for (const change of changes) {
    const { day, workflowId, jobs } = change;
    for (const [price, sign] of [[change.before, -1] as const, [change.after, 1] as const]) {
      const { minutes, costNanos, isUnpriced } = price;
      const measures = { costNanos, billedMinutes: minutes, unpricedMinutes: isUnpriced ? minutes : 0 };
      const ofWorkflow = { day, workflowId, ...nothing };
      addMeasures(
        entryOf(entries.workflowDays, `${day}/${workflowId}`, () => ofWorkflow),
        measures,
        sign,
      );
      addMeasures(
        entryOf(entries.organizationDays, day, () => ({ day, ...nothing })),
        measures,
        sign,
      );
      const amount = { jobs: sign * jobs, minutes: sign * minutes, costNanos: BigInt(sign) * costNanos };
      addRunner(entries.runnerDays, { ...price, day, workflowId }, amount);
      if (isUnpriced) addUnpriced(entries.unpricedDays, change, amount);
    }
  }
  return somethingOf(entries);
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

type Amount = { jobs: number; minutes: number; costNanos: bigint };

/** What tells a dearer runner from more work on the same one. Jobs without a price have a kind of their own. */
function addRunner(
  runnerDays: Map<string, RunnerDay>,
  { day, workflowId, runnerKind: kind }: { day: Day; workflowId: string; runnerKind: string | null },
  amount: Amount,
): void {
  const runnerKind = kind ?? 'unpriced';
  const entry = entryOf(runnerDays, `${day}/${workflowId}/${runnerKind}`, () => ({
    day,
    workflowId,
    runnerKind,
    jobs: 0,
    minutes: 0,
    costNanos: 0n,
  }));
  entry.jobs += amount.jobs;
  entry.minutes += amount.minutes;
  entry.costNanos += amount.costNanos;
}

function addUnpriced(
  unpricedDays: Map<string, UnpricedDay>,
  { day, labels: told, runnerGroup }: { day: Day; labels: readonly string[]; runnerGroup: string | null },
  { jobs, minutes }: Amount,
): void {
  const labels = told.map((label) => label.toLowerCase()).toSorted();
  // A digest, for all the labels of a job can be more text than an index takes.
  const runner = derivedId('runner', JSON.stringify([labels, runnerGroup]));
  const entry = entryOf(unpricedDays, `${day}/${runner}`, () => ({
    ...{ day, runner, labels, runnerGroup },
    ...{ jobs: 0, minutes: 0 },
  }));
  entry.jobs += jobs;
  entry.minutes += minutes;
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
