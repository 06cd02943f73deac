import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inPipeline, type Send } from '../../platform/db/pipeline.ts';
import type { Day } from '../../platform/lib/days.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import type { SpanPlace } from '../../platform/telemetry/tracing.ts';
import { lockCosts, lockFreeCosts } from '../../tenancy/organizations/organizations.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import { findPriceList, type PriceList } from '../pricing/priceList.ts';
import type { Providers } from '../pricing/provider.ts';
import { createBatches, type Batch } from './batches.ts';
import { saveCompletions, type Completion } from './completion.queries.ts';
import { areAnnounced, completionsOf } from './completions.ts';
import {
  namedWorkflows,
  rollupPriceChanges,
  sumChanges,
  type HistoryChange,
  type PriceChange,
} from './contributions.ts';
import { findHistories, findReported } from './history.queries.ts';
import { jobKey, runFacts, runIdOf, type JobKey, type JobPrice, type RunHistory } from './history.ts';
import { splitter, type SplitJobs } from './jobFacts.ts';
import { mergeReports } from './merge.ts';
import { announceEnded } from './pullRequests.ts';
import {
  addToRollups,
  addToRunCosts,
  renewCreationDays,
  renewWorkflowDays,
  saveChanges,
  updatePrices,
  type Changes,
} from './queries.ts';
import { findRemoved } from './removal.ts';
import { withSafeNames, type ReceivedReport, type RunReport } from './report.ts';
import type { JobFacts } from './tables.ts';

/** Records reports and resolves once they are committed. `liveAt` is when a live report arrived; backfills omit it. */
export type Recorder = {
  record: (
    orgId: string,
    reports: readonly RunReport[],
    liveAt?: Date,
    origin?: Pick<ReceivedReport, 'isGitHubEvent'>,
  ) => Promise<Refusal | null>;
};

/** The indexes of refused reports. Their runs were created before this day, and such runs have been removed. */
export type Refusal = { places: readonly number[]; before: Day };

export function whyRefused({ before }: Pick<Refusal, 'before'>): string {
  return `was created before ${before}; earlier runs were removed and are not recorded again`;
}

type Waiting = {
  reports: readonly ReceivedReport[];
  isLive: boolean;
  /** From `performance.now()`. */
  since: number;
  place: SpanPlace | null;
  resolve: (recorded: Recorded) => void;
  reject: (error: unknown) => void;
};

type RecorderProgram = Pick<Program, 'db' | 'providers' | 'subscribers' | 'telemetry'>;

/**
 * Creates a recorder with group commit: while one transaction commits, reports of the same organization queue for the
 * next, and small batches of several organizations share one.
 */
export function createRecorder(program: RecorderProgram): Recorder {
  const { metrics, tracing } = program.telemetry;
  /** In order of arrival. */
  const uncommitted = new Set<Waiting>();
  metrics.beforeScrape.push(() => {
    const [oldest] = uncommitted;
    metrics.rollupLag.set(oldest ? secondsSince(oldest.since) : 0);
  });
  const add = createBatches({ rowsOf, ...batchesTo(program) });
  return {
    record: (orgId, reports, liveAt, origin = {}) =>
      new Promise((resolve, reject) => {
        if (reports.length === 0) return resolve(null);
        const received = reports.map((report) => ({
          ...withSafeNames(report),
          ...origin,
          liveAt: liveAt ?? null,
        }));
        const waiting: Waiting = {
          reports: received,
          isLive: liveAt !== undefined,
          since: performance.now(),
          place: tracing.here(),
          resolve: (recorded) => {
            uncommitted.delete(waiting);
            if (waiting.isLive) metrics.ingestSeconds.observe(secondsSince(waiting.since));
            resolve(refusalOf(received, recorded));
          },
          reject: (error) => {
            uncommitted.delete(waiting);
            reject(error as Error);
          },
        };
        uncommitted.add(waiting);
        add(orgId, waiting);
      }),
  };
}

function batchesTo(program: RecorderProgram) {
  const { tracing } = program.telemetry;
  const inSpan = <T>({ orgId, items }: Batch<Waiting>, work: () => Promise<T>): Promise<T> => {
    const [first, ...others] = items.map(({ place }) => place);
    const attributes = { 'runcost.organization': orgId, 'runcost.reports': reportsOf(items).length };
    // A span has one parent, so the other requests of the batch become links.
    return tracing.inSpan('record reports', { attributes, parent: first ?? null, links: others }, work);
  };

  async function recordAlone(batch: Batch<Waiting>): Promise<void> {
    const { orgId, items } = batch;
    try {
      const recorded = await inSpan(batch, () =>
        recordReports(program, orgId, () => {
          batch.grow('alone');
          return reportsOf(items);
        }),
      );
      for (const waiting of items) waiting.resolve(recorded);
    } catch (error) {
      // One caller's bad data must not fail the others.
      const parts = items.length > 1 && isAboutData(error) ? items : [];
      for (const waiting of parts) await recordAlone({ orgId, items: [waiting], grow: () => {} });
      if (parts.length === 0) for (const waiting of items) waiting.reject(error);
    }
  }

  async function recordTogether(batches: readonly Batch<Waiting>[]): Promise<readonly Batch<Waiting>[]> {
    const recorded = recordFree(
      program,
      batches.map(({ orgId, items, grow }) => ({
        orgId,
        take: () => {
          grow('together');
          return reportsOf(items);
        },
      })),
    );
    const left = await Promise.all(
      batches.map(async (batch) => {
        try {
          const result = (await inSpan(batch, () => recorded)).get(batch.orgId);
          for (const waiting of batch.items) if (result) waiting.resolve(result);
          return result ? [] : [batch];
        } catch (error) {
          // An error of one organization or caller must not fail the others.
          if (batches.length > 1 || isAboutData(error)) return [batch];
          for (const waiting of batch.items) waiting.reject(error);
          return [];
        }
      }),
    );
    return left.flat();
  }

  return { alone: recordAlone, together: recordTogether };
}

function refusalOf(received: readonly ReceivedReport[], { refused, detailsFrom }: Recorded): Refusal | null {
  const places = [...received.keys()].filter((place) => refused.has(received[place]!));
  return detailsFrom === null || places.length === 0 ? null : { places, before: detailsFrom };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}

function reportsOf(items: readonly Waiting[]): ReceivedReport[] {
  return items.flatMap(({ reports }) => reports);
}

function rowsOf({ reports }: Waiting): number {
  return reports.reduce((sum, { jobs }) => sum + 1 + jobs.length, 0);
}

/** PostgreSQL's error classes for bad data. Any other error would fail every caller again. */
function isAboutData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}

type RecordingProgram = Pick<Program, 'db' | 'providers' | 'subscribers'>;

type Received = { orgId: string; take: () => readonly ReceivedReport[] };

/** Calls `take` once it holds the organization's lock. */
export async function recordReports(
  program: RecordingProgram,
  orgId: string,
  take: () => readonly ReceivedReport[],
): Promise<Recorded> {
  return inPipeline(program.db, async (tx, send) => {
    const merged = await mergeStored(tx, program, { orgId, take }, lockCosts);
    await save([tx, send], program, [merged!]);
    return merged!.recorded;
  });
}

/**
 * Records reports of several organizations in one transaction, except those that are locked, and returns the results.
 * It waits for no lock, so no organization delays the others and no two processes deadlock.
 */
async function recordFree(
  program: RecordingProgram,
  batches: readonly Received[],
): Promise<ReadonlyMap<string, Recorded | undefined>> {
  return inPipeline(program.db, async (tx, send) => {
    // All must settle before the transaction ends.
    const settled = await Promise.allSettled(
      batches.map((batch) => mergeStored(tx, program, batch, lockFreeCosts)),
    );
    const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
    const merged = settled
      .map((each) => (each as PromiseFulfilledResult<Merged | undefined>).value)
      .filter((each) => each !== undefined);
    if (merged.length > 0) await save([tx, send], program, merged);
    return new Map(merged.map(({ orgId, recorded }) => [orgId, recorded]));
  });
}

/** The result for one organization, to be saved. */
type Merged = {
  orgId: string;
  changes: Changes;
  split: SplitJobs;
  completions: Completion[];
  isAnnounced: boolean;
  reports: readonly ReceivedReport[];
  after: ReadonlyMap<string, RunHistory>;
  recorded: Recorded;
};

/** Reads what is stored and merges the reports into it. Writes nothing. Returns undefined if the lock is not available. */
async function mergeStored(
  tx: Transaction,
  { providers, subscribers }: Omit<RecordingProgram, 'db'>,
  { orgId, take }: Received,
  lock: typeof lockFreeCosts,
): Promise<Merged | undefined> {
  const locked = await lock(tx, orgId);
  if (!locked) return undefined;
  const { detailsFrom, storesJobFacts } = locked;
  const received = take();
  const isLive = received.some(({ liveAt }) => liveAt !== null);
  const [known, prices, isAnnounced] = await Promise.all([
    findReported(tx, orgId, received),
    findPriceList({ db: tx, providers }, orgId),
    isLive && areAnnounced(tx, { orgId, subscribers }),
  ]);
  const removed = await findRemoved(tx, orgId, { reports: received, known, detailsFrom });
  const refused = new Set(received.filter((report) => removed.has(runIdOf(report))));
  const reports = received.filter((report) => !refused.has(report));
  const stored = new Map([...known].filter(([id]) => !removed.has(id)));
  const first = await mergeAll(stored, reports, prices);
  // A report can move a run to another workflow or make it free. Then all of its jobs change rollups, so we load the
  // whole run and merge again.
  const moved = movedRuns(stored, first.after, providers);
  const before = moved.length > 0 ? new Map([...stored, ...(await findHistories(tx, orgId, moved))]) : stored;
  const { after, completions } = moved.length > 0 ? await mergeAll(before, reports, prices) : first;
  return {
    orgId,
    changes: await changesBetween(before, after, providers),
    split: splitter(storesJobFacts),
    completions,
    isAnnounced,
    reports,
    after,
    recorded: { refused, detailsFrom },
  };
}

async function save(
  [tx, send]: [Transaction, Send],
  { subscribers }: Pick<RecordingProgram, 'subscribers'>,
  merged: readonly Merged[],
): Promise<void> {
  await saveChanges(send, merged);
  for (const { orgId, isAnnounced, completions } of merged) {
    if (isAnnounced && completions.length > 0) send(saveCompletions(orgId, completions));
  }
  await Promise.all(merged.map(({ orgId, ...ended }) => announceEnded(tx, { orgId, subscribers }, ended)));
}

type Recorded = { refused: ReadonlySet<ReceivedReport>; detailsFrom: Day | null };

/** Runs whose jobs all move to other rollups. */
function movedRuns(
  before: ReadonlyMap<string, RunHistory>,
  after: ReadonlyMap<string, RunHistory>,
  providers: Providers,
): string[] {
  return [...before].flatMap(([id, { run }]) => {
    const now = after.get(id)!.run;
    const isSame =
      now.workflowId === run.workflowId && isFreeRun(now, providers) === isFreeRun(run, providers);
    return isSame ? [] : [id];
  });
}

type Histories = { after: Map<string, RunHistory>; completions: Completion[] };

async function mergeAll(
  before: Map<string, RunHistory>,
  reports: readonly ReceivedReport[],
  prices: PriceList,
): Promise<Histories> {
  const after = new Map<string, RunHistory>();
  const completions: Completion[] = [];
  for await (const [id, ofRun] of inTurns(Map.groupBy(reports, runIdOf))) {
    const known = before.get(id) ?? null;
    const history = mergeReports(known, ofRun, prices);
    after.set(id, history);
    completions.push(...completionsOf(known, ofRun, history));
  }
  return { after, completions };
}

async function changesBetween(
  before: Map<string, RunHistory>,
  after: Map<string, RunHistory>,
  providers: Providers,
): Promise<Changes> {
  const rollups = sumChanges(providers);
  const changed: { before: RunHistory | null; after: RunHistory }[] = [];
  for await (const [id, history] of inTurns(after)) {
    const change = { before: before.get(id) ?? null, after: history };
    if (isDeepStrictEqual(change.before, change.after)) continue;
    changed.push(change);
    rollups.add(change);
  }
  return {
    runs: changed
      .filter((history) => !isDeepStrictEqual(history.before?.run, history.after.run))
      .map(({ after: { run } }) => run),
    jobs: changed.flatMap((history) => changedJobs(history.before, history.after)),
    workflows: namedWorkflows(changed.map((history) => history.after.run)),
    rollups: rollups.total(),
    redescribed: changed.filter(isRedescribed).map((history) => history.after.run.id),
  };
}

function isRedescribed({ before, after }: HistoryChange): boolean {
  if (before === null || after === null) return false;
  if (!isDeepStrictEqual(before.run.attemptActors, after.run.attemptActors)) return true;
  return runFacts.some((fact) => before.run[fact] !== after.run[fact]);
}

function changedJobs(before: RunHistory | null, after: RunHistory): RunHistory['jobs'] {
  if (!before) return after.jobs;
  const known = new Map(before.jobs.map((job) => [jobKey(job), job]));
  return after.jobs.filter((job) => !isDeepStrictEqual(known.get(jobKey(job)), job));
}

type ChangedJob = PriceChange & { job: JobKey & Omit<JobFacts, keyof JobPrice> };

/**
 * Gives recorded jobs other prices, and updates their runs and the rollups of their days. The caller holds the
 * organization's lock and has read the prices under it.
 */
export async function changePrices(
  tx: Transaction,
  { orgId, storesJobFacts }: { orgId: string; storesJobFacts: boolean },
  changes: readonly ChangedJob[],
): Promise<void> {
  const jobs = changes.map(({ job, after }) => ({ ...job, ...after }));
  await updatePrices(tx, orgId, jobs, splitter(storesJobFacts));
  await addToRunCosts(
    tx,
    [...differencesOfRuns(changes)].map(([id, nanos]) => ({ orgId, id, nanos })),
  );
  await addToRollups(tx, orgId, rollupPriceChanges(changes));
  const runIds = [...new Set(changes.map(({ job }) => job.runId))];
  await renewCreationDays(tx, orgId, runIds);
  await renewWorkflowDays(tx, orgId, runIds);
}

function differencesOfRuns(changes: readonly ChangedJob[]): Map<string, bigint> {
  const differences = new Map<string, bigint>();
  for (const { job, before, after } of changes) {
    const known = differences.get(job.runId) ?? 0n;
    differences.set(job.runId, known + after.costNanos - before.costNanos);
  }
  return differences;
}
