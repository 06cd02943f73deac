import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/pipeline.ts';
import { startOfDay, type Day } from '../../platform/lib/days.ts';
import { reportedName } from '../../platform/lib/text.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import type { SpanPlace } from '../../platform/telemetry/tracing.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import { findPriceList, type PriceList } from '../pricing/priceList.ts';
import type { Providers } from '../pricing/provider.ts';
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
import { runFacts, runIdOf, type JobKey, type JobPrice, type RunHistory } from './history.ts';
import { createKnownFacts, splitter, type KnownFacts } from './jobFacts.ts';
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
import { findRemovedIds } from './removal.queries.ts';
import type { JobReport, ReceivedReport, RunReport } from './report.ts';
import type { JobFacts } from './tables.ts';

/**
 * Records reports and resolves once they are committed. `liveAt` is the time a live report arrived; backfills leave it
 * out.
 */
export type Recorder = {
  record: (
    orgId: string,
    reports: readonly RunReport[],
    liveAt?: Date,
    origin?: Pick<ReceivedReport, 'isGitHubEvent'>,
  ) => Promise<Refusal | null>;
};

/** Reports of runs that were created before this day, by their places in the list: such runs are removed. */
export type Refusal = { places: readonly number[]; before: Day };

export function whyRefused({ before }: Pick<Refusal, 'before'>): string {
  return `was created before ${before}; earlier runs were removed and are not recorded again`;
}

type Waiting = {
  reports: readonly ReceivedReport[];
  isLive: boolean;
  /** By the clock of the process. */
  since: number;
  place: SpanPlace | null;
  resolve: (recorded: Recorded) => void;
  reject: (error: unknown) => void;
};

type RecorderProgram = Pick<Program, 'db' | 'providers' | 'subscribers' | 'telemetry'>;

/** In rows of runs and jobs. */
const maxBatchRows = 5_000;

/**
 * Creates a recorder that lets concurrent callers share transactions: while one commits, the reports of the same
 * organization queue for the next. Nobody waits for a timer.
 */
export function createRecorder(program: RecorderProgram): Recorder {
  const { metrics, tracing } = program.telemetry;
  const queues = new Map<string, Waiting[]>();
  const knownFacts = createKnownFacts();
  /** In the order of their arrival. */
  const uncommitted = new Set<Waiting>();
  metrics.beforeScrape.push(() => {
    const [oldest] = uncommitted;
    metrics.rollupLag.set(oldest ? secondsSince(oldest.since) : 0);
  });
  const write = (orgId: string, waiting: readonly Waiting[]) => {
    const [first, ...others] = waiting.map(({ place }) => place);
    const reports = waiting.flatMap((each) => each.reports);
    const attributes = { 'runcost.organization': orgId, 'runcost.reports': reports.length };
    // A batch has one parent; the other requests that it serves are its links.
    return tracing.inSpan('record reports', { attributes, parent: first ?? null, links: others }, () =>
      recordReports(program, orgId, reports, knownFacts.of(orgId)),
    );
  };

  async function drain(orgId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        const recorded = await write(orgId, batch);
        for (const waiting of batch) waiting.resolve(recorded);
      } catch (error) {
        await recordSingly(orgId, batch, error);
      }
    }
    queues.delete(orgId);
  }

  /** One caller's bad data must not fail the others. */
  async function recordSingly(orgId: string, batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isAboutData(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) {
      await write(orgId, [waiting]).then(waiting.resolve, waiting.reject);
    }
  }

  return {
    record: (orgId, reports, liveAt, origin = {}) =>
      new Promise((resolve, reject) => {
        const received = reports.map((report) => ({
          ...withSafeNames(report),
          ...origin,
          liveAt: liveAt ?? null,
        }));
        const waiting: Waiting = {
          reports: received,
          isLive: liveAt !== undefined && reports.length > 0,
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
        const queue = queues.get(orgId);
        if (queue) return void queue.push(waiting);
        const started = [waiting];
        queues.set(orgId, started);
        void drain(orgId, started);
      }),
  };
}

function refusalOf(received: readonly ReceivedReport[], { refused, detailsFrom }: Recorded): Refusal | null {
  const places = [...received.keys()].filter((place) => refused.has(received[place]!));
  return detailsFrom === null || places.length === 0 ? null : { places, before: detailsFrom };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}

/**
 * Replaces characters in names that cannot be stored or shown. Ids with such characters are refused earlier, so that no
 * two become one.
 */
function withSafeNames(report: RunReport): RunReport {
  const { state, jobs } = report;
  return {
    ...report,
    repository: reportedName(report.repository),
    workflowName: safe(report.workflowName),
    workflowPath: safe(report.workflowPath),
    event: safe(report.event),
    branch: safe(report.branch),
    actor: safe(report.actor),
    state: state && { ...state, rawConclusion: safe(state.rawConclusion) },
    jobs: jobs.map(withSafeNamesOfJob),
  };
}

function withSafeNamesOfJob(job: JobReport): JobReport {
  return {
    ...job,
    name: safe(job.name),
    labels: job.labels.map(reportedName),
    runnerName: safe(job.runnerName),
    runnerGroup: safe(job.runnerGroup),
    rawConclusion: safe(job.rawConclusion),
  };
}

const safe = (name: string | null) => name && reportedName(name);

function takeBatch(queue: Waiting[]): Waiting[] {
  let size = 0;
  const end = queue.findIndex((waiting, index) => (size += rowsOf(waiting)) > maxBatchRows && index > 0);
  return queue.splice(0, end === -1 ? queue.length : end);
}

function rowsOf({ reports }: Waiting): number {
  return reports.reduce((sum, { jobs }) => sum + 1 + jobs.length, 0);
}

/** PostgreSQL's error classes for bad data. Any other error would fail every caller again. */
function isAboutData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}

export async function recordReports(
  { db, providers, subscribers }: Pick<Program, 'db' | 'providers' | 'subscribers'>,
  orgId: string,
  received: readonly ReceivedReport[],
  knownFacts: KnownFacts = createKnownFacts().of(orgId),
): Promise<Recorded> {
  if (received.length === 0) return { refused: new Set(), detailsFrom: null };
  const isLive = received.some(({ liveAt }) => liveAt !== null);
  const { addedFacts, ...recorded } = await inPipeline(db, async (tx, send) => {
    // The lock is sent first, so the others read what is stored once it is held.
    const [{ detailsFrom, storesJobFacts }, known, prices, isAnnounced] = await Promise.all([
      lockCosts(tx, orgId),
      findReported(tx, orgId, received),
      findPriceList({ db: tx, providers }, orgId),
      isLive && areAnnounced(tx, { orgId, subscribers }),
    ]);
    const removed = await findRemoved(tx, orgId, { reports: received, known, detailsFrom });
    const reports = received.filter((report) => !removed.has(runIdOf(report)));
    const before = new Map([...known].filter(([id]) => !removed.has(id)));
    const first = await mergeAll(before, reports, prices);
    const moved = movedRuns(before, first.after, providers);
    for (const [id, whole] of await findHistories(tx, orgId, moved)) before.set(id, whole);
    const { after, completions } = moved.length === 0 ? first : await mergeAll(before, reports, prices);
    const added = await saveChanges(send, orgId, await changesBetween(before, after, providers), {
      split: splitter(storesJobFacts),
      knownFacts,
    });
    if (isAnnounced && completions.length > 0) send(saveCompletions(orgId, completions));
    await announceEnded(tx, { orgId, subscribers }, { completions, reports, after });
    const refused = new Set(received.filter((report) => removed.has(runIdOf(report))));
    return { refused, detailsFrom, addedFacts: added };
  });
  // Once they are committed.
  knownFacts.add(addedFacts);
  return recorded;
}

type Recorded = { refused: ReadonlySet<ReceivedReport>; detailsFrom: Day | null };

type Reported = {
  reports: readonly RunReport[];
  known: ReadonlyMap<string, RunHistory>;
  detailsFrom: Day | null;
};

/** Reported runs from before the first day whose runs are kept: their costs have been summed up for good. */
async function findRemoved(
  tx: Transaction,
  orgId: string,
  { reports, known, detailsFrom }: Reported,
): Promise<ReadonlySet<string>> {
  if (detailsFrom === null) return new Set();
  const start = startOfDay(detailsFrom);
  const isBefore = (report: RunReport) => {
    const run = known.get(runIdOf(report))?.run;
    const createdAt = report.state?.createdAt ?? run?.createdAt ?? earliestOf(report.jobs);
    return (createdAt !== null && createdAt < start) || (run !== undefined && run.createdAt < start);
  };
  const ids = [...new Set(reports.map(runIdOf))];
  const removed = await findRemovedIds(
    tx,
    orgId,
    ids.filter((id) => !known.has(id)),
  );
  return new Set([...removed, ...reports.filter(isBefore).map(runIdOf)]);
}

/** A run is created before its jobs. */
function earliestOf(jobs: readonly JobReport[]): Date | null {
  const times = jobs
    .flatMap(({ createdAt, startedAt, completedAt }) => [createdAt, startedAt, completedAt])
    .filter((time) => time !== null);
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}

/** Runs all of whose jobs move to other sums. */
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

type Merged = { after: Map<string, RunHistory>; completions: Completion[] };

async function mergeAll(
  before: Map<string, RunHistory>,
  reports: readonly ReceivedReport[],
  prices: PriceList,
): Promise<Merged> {
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
  return before !== null && after !== null && runFacts.some((fact) => before.run[fact] !== after.run[fact]);
}

function changedJobs(before: RunHistory | null, after: RunHistory): RunHistory['jobs'] {
  if (!before) return after.jobs;
  const known = new Map(before.jobs.map((job) => [`${job.attempt}/${job.jobId}`, job]));
  return after.jobs.filter((job) => !isDeepStrictEqual(known.get(`${job.attempt}/${job.jobId}`), job));
}

type ChangedJob = PriceChange & { job: JobKey & Omit<JobFacts, keyof JobPrice> };

/**
 * Gives recorded jobs other prices: changes the jobs, their runs and the rollups of their days together. The caller
 * holds the organization's ledger lock and has read the prices under it.
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
