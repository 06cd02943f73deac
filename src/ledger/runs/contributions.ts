import { dayOf, type Day } from '../../platform/lib/days.ts';
import { derivedId } from '../../platform/lib/ids.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { jobKey, type JobPrice, type RunHistory, type StoredJob, type StoredRun } from './history.ts';

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
type WorkflowDayKey = Pick<WorkflowDay, 'day' | 'workflowId'>;
type OrganizationDay = { day: Day } & Measures;
type UnpricedDay = {
  day: Day;
  runner: string;
  labels: string[];
  runnerGroup: string | null;
  jobs: number;
  minutes: number;
};

type Amount = { jobs: number; minutes: number; costNanos: bigint };

/** Costs grouped by everything that decides which discount applies. */
type ChargeDay = { day: Day; provider: string; runnerKind: string; isFree: boolean } & Amount;

/** Distinguishes a more expensive runner from more work on the same one. */
type RunnerDay = ChargeDay & { workflowId: string };

export type RollupChanges = {
  workflowDays: WorkflowDay[];
  organizationDays: OrganizationDay[];
  unpricedDays: UnpricedDay[];
  runnerDays: RunnerDay[];
  chargeDays: ChargeDay[];
};

export type HistoryChange = { before: RunHistory | null; after: RunHistory | null };

export function rollupChanges(changes: readonly HistoryChange[], providers: Providers): RollupChanges {
  const { add, total } = sumChanges(providers);
  for (const change of changes) add(change);
  return total();
}

export function sumChanges(providers: Providers) {
  const sums = noSums();
  const add = (change: HistoryChange): void => {
    const { before, after } = change;
    if (before) addHistory(sums, before, -1, providers);
    if (after) addHistory(sums, after, 1, providers);
    if (!changesOutcomes(change, providers)) return;
    for (const { run } of [before, after].filter((history) => history !== null))
      sums.renewed.add(keyOfDay({ day: dayOf(run.createdAt), workflowId: run.workflowId }));
  };
  return { add, total: () => somethingOf(sums) };
}

export type PriceChange = { job: PaidJob; before: JobPrice; after: JobPrice };

export function rollupPriceChanges(changes: readonly PriceChange[]): RollupChanges {
  const sums = noSums();
  for (const { job, before, after } of changes) {
    addJob(sums, job, before, -1);
    addJob(sums, job, after, 1);
  }
  return somethingOf(sums);
}

const countedFields = ['workflowId', 'provider', 'event', 'branch', 'attempt'] as const;

/** Whether the outcome of the run's jobs, or of concurrent runs, may have changed: `insight/waste` judges both. */
function changesOutcomes({ before, after }: HistoryChange, providers: Providers): boolean {
  if (!before || !after) return true;
  const [was, is] = [before.run, after.run];
  if (countedFields.some((field) => was[field] !== is[field])) return true;
  if (was.createdAt.getTime() !== is.createdAt.getTime()) return true;
  if ((was.conclusion === 'skipped') !== (is.conclusion === 'skipped')) return true;
  // If jobs can repeat others, jobs that have not completed matter too.
  const mayRepeat = is.attempt > 1 || !providers.of(is.provider)?.hasAttempts;
  const known = new Map(before.jobs.map((job) => [jobKey(job), job]));
  return after.jobs.some((job) => {
    const knownJob = known.get(jobKey(job));
    if (job === knownJob) return false;
    return mayRepeat || job.status === 'completed' || knownJob?.status === 'completed';
  });
}

function keyOfDay({ day, workflowId }: WorkflowDayKey): string {
  return `${day}/${workflowId}`;
}

type Sums = {
  [Table in Exclude<keyof RollupChanges, 'chargeDays'>]: Map<string, RollupChanges[Table][number]>;
} & {
  /** Keys of workflow days that changed although their sums may be the same. */
  renewed: Set<string>;
};

function noSums(): Sums {
  return {
    workflowDays: new Map(),
    organizationDays: new Map(),
    unpricedDays: new Map(),
    runnerDays: new Map(),
    renewed: new Set(),
  };
}

function somethingOf(sums: Sums): RollupChanges {
  const { workflowDays, organizationDays, unpricedDays } = sums;
  const runnerDays = [...sums.runnerDays.values()].filter(hasAmount);
  return {
    workflowDays: [...workflowDays.values()].filter(
      (entry) => isSomething(entry) || sums.renewed.has(keyOfDay(entry)),
    ),
    // Kept even if the sums are unchanged, because a new branch or name of a run changes its days too.
    organizationDays: [...organizationDays.values()],
    unpricedDays: [...unpricedDays.values()].filter((entry) => entry.jobs !== 0 || entry.minutes !== 0),
    runnerDays,
    chargeDays: chargeDaysOf(runnerDays).filter(hasAmount),
  };
}

function hasAmount({ jobs, minutes, costNanos }: Amount): boolean {
  return jobs !== 0 || minutes !== 0 || costNanos !== 0n;
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

export const measureNames = Object.keys(nothing) as (keyof Measures)[];

type Sign = 1 | -1;

function addHistory(sums: Sums, { run, jobs }: RunHistory, sign: Sign, providers: Providers): void {
  const { workflowId, provider } = run;
  addMeasures(sums, { day: dayOf(run.createdAt), workflowId }, measuresOfRun(run), sign);
  for (const job of jobs) {
    if (!isPaid(job)) continue;
    const isFree = isFreeRun(run, dayOf(job.completedAt), providers);
    addJob(sums, { ...job, workflowId, provider, isFree }, job, sign);
  }
}

function measuresOfRun(run: StoredRun): Partial<Measures> {
  return {
    runs: 1,
    completedRuns: run.status === 'completed' ? 1 : 0,
    skippedRuns: run.conclusion === 'skipped' ? 1 : 0,
    successfulRuns: run.conclusion === 'success' ? 1 : 0,
    durationSeconds: run.durationSeconds,
  };
}

function isPaid(job: StoredJob): job is StoredJob & { completedAt: Date } {
  return job.completedAt !== null && job.status === 'completed' && !job.isCarriedOver;
}

export type PaidJob = Pick<StoredJob, 'labels' | 'runnerGroup'> & {
  completedAt: Date;
  workflowId: string;
  provider: string;
  /** Whether the run is free on the job's day: see `isFreeRun`. */
  isFree: boolean;
};

function addJob(sums: Sums, job: PaidJob, price: JobPrice, sign: Sign): void {
  const { isUnpriced, billedMinutes, costNanos } = price;
  const place = { day: dayOf(job.completedAt), workflowId: job.workflowId };
  const unpricedMinutes = isUnpriced ? billedMinutes : 0;
  addMeasures(sums, place, { jobs: 1, costNanos, billedMinutes, unpricedMinutes }, sign);
  const amount = { jobs: sign, minutes: sign * billedMinutes, costNanos: BigInt(sign) * costNanos };
  const { provider, isFree } = job;
  const runnerKind = price.runnerKind ?? 'unpriced';
  const key = `${place.day}/${place.workflowId}/${runnerKind}/${provider}/${isFree}`;
  addAmount(
    getOrCreate(sums.runnerDays, key, () => ({ ...place, provider, runnerKind, isFree, ...noAmount })),
    amount,
  );
  if (isUnpriced) addUnpriced(sums.unpricedDays, { ...job, ...place }, amount);
}

function addMeasures(
  { workflowDays, organizationDays }: Sums,
  { day, workflowId }: { day: Day; workflowId: string },
  measures: Partial<Measures>,
  sign: Sign,
): void {
  const ofWorkflow = getOrCreate(workflowDays, keyOfDay({ day, workflowId }), () => ({
    day,
    workflowId,
    ...nothing,
  }));
  const ofOrganization = getOrCreate(organizationDays, day, () => ({ day, ...nothing }));
  for (const sum of [ofWorkflow, ofOrganization] as Measures[]) {
    for (const [name, value] of Object.entries(measures)) {
      if (name === 'costNanos') sum.costNanos += BigInt(sign) * (value as bigint);
      else sum[name as Exclude<keyof Measures, 'costNanos'>] += sign * (value as number);
    }
  }
}

function chargeDaysOf(runnerDays: readonly RunnerDay[]): ChargeDay[] {
  const sums = new Map<string, ChargeDay>();
  for (const { day, provider, runnerKind, isFree, ...amount } of runnerDays) {
    const key = `${day}/${provider}/${runnerKind}/${isFree}`;
    addAmount(
      getOrCreate(sums, key, () => ({ day, provider, runnerKind, isFree, ...noAmount })),
      amount,
    );
  }
  return [...sums.values()];
}

const noAmount: Amount = { jobs: 0, minutes: 0, costNanos: 0n };

function addAmount(sum: Amount, { jobs, minutes, costNanos }: Amount): void {
  sum.jobs += jobs;
  sum.minutes += minutes;
  sum.costNanos += costNanos;
}

function addUnpriced(
  unpricedDays: Map<string, UnpricedDay>,
  { day, labels: reported, runnerGroup }: { day: Day; labels: readonly string[]; runnerGroup: string | null },
  { jobs, minutes }: Amount,
): void {
  const { runner, labels } = unpricedRunner({ labels: reported, runnerGroup });
  const entry = getOrCreate(unpricedDays, `${day}/${runner}`, () => ({
    day,
    runner,
    labels,
    runnerGroup,
    jobs: 0,
    minutes: 0,
  }));
  entry.jobs += jobs;
  entry.minutes += minutes;
}

/** A digest, because all labels of a job can be longer than an index allows. */
export function unpricedRunner({
  labels: reported,
  runnerGroup,
}: {
  labels: readonly string[];
  runnerGroup: string | null;
}) {
  const labels = reported.map((label) => label.toLowerCase()).toSorted();
  return { labels, runner: derivedId('runner', JSON.stringify([labels, runnerGroup])) };
}

function isSomething(measures: Measures): boolean {
  return measureNames.some((name) => measures[name] !== 0 && measures[name] !== 0n);
}

export type NamedWorkflow = { id: string; repository: string; name: string; namedAt: Date };

export function namedWorkflows(runs: StoredRun[]): NamedWorkflow[] {
  const workflows = new Map<string, NamedWorkflow>();
  for (const run of runs) {
    const known = workflows.get(run.workflowId);
    const name = run.workflowName || run.workflowPath || 'unnamed workflow';
    const named = { id: run.workflowId, repository: run.repository, name, namedAt: run.createdAt };
    if (!known || isLaterName(named, known)) workflows.set(run.workflowId, named);
  }
  return [...workflows.values()];
}

/** In the same order as in the database. */
function isLaterName(named: NamedWorkflow, known: NamedWorkflow): boolean {
  const difference = named.namedAt.getTime() - known.namedAt.getTime();
  return difference === 0 ? named.name > known.name : difference > 0;
}
