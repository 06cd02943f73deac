import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { reportedName } from '../../platform/lib/text.ts';
import type { SpanPlace } from '../../platform/telemetry/tracing.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import { findPriceList, type PriceList } from '../pricing/priceList.ts';
import type { Providers } from '../pricing/provider.ts';
import type { Completion } from './completion.queries.ts';
import { completionsOf, recordCompletions } from './completions.ts';
import {
  namedWorkflows,
  rollupChanges,
  rollupPriceChanges,
  type HistoryChange,
  type PriceChange,
} from './contributions.ts';
import { findHistories, findReported } from './history.queries.ts';
import { runFacts, runIdOf, type JobKey, type RunHistory } from './history.ts';
import { mergeReports } from './merge.ts';
import { addToRollups, addToRunCosts, renewCreationDays, saveChanges, updatePrices } from './queries.ts';
import type { JobReport, ReceivedReport, RunReport } from './report.ts';

/**
 * Records reports and resolves once they are committed. `liveAt` is the time a live report arrived; backfills leave it
 * out.
 */
export type Recorder = {
  record: (orgId: string, reports: readonly RunReport[], liveAt?: Date) => Promise<void>;
};

type Waiting = {
  reports: readonly ReceivedReport[];
  isLive: boolean;
  /** By the clock of the process. */
  since: number;
  place: SpanPlace | null;
  resolve: () => void;
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
      recordReports(program, orgId, reports),
    );
  };

  async function drain(orgId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        await write(orgId, batch);
        for (const waiting of batch) waiting.resolve();
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
    record: (orgId, reports, liveAt) =>
      new Promise((resolve, reject) => {
        const received = reports.map((report) => ({ ...withSafeNames(report), liveAt: liveAt ?? null }));
        const waiting: Waiting = {
          reports: received,
          isLive: liveAt !== undefined && reports.length > 0,
          since: performance.now(),
          place: tracing.here(),
          resolve: () => {
            uncommitted.delete(waiting);
            if (waiting.isLive) metrics.ingestSeconds.observe(secondsSince(waiting.since));
            resolve();
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
  reports: readonly ReceivedReport[],
): Promise<void> {
  if (reports.length === 0) return;
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const before = await findReported(tx, orgId, reports);
    const prices = await findPriceList({ db: tx, providers }, orgId);
    const first = mergeAll(before, reports, prices);
    const moved = movedRuns(before, first.after, providers);
    for (const [id, whole] of await findHistories(tx, orgId, moved)) before.set(id, whole);
    const { after, completions } = moved.length === 0 ? first : mergeAll(before, reports, prices);
    await saveChanges(tx, orgId, changesBetween(before, after, providers));
    await recordCompletions(tx, { orgId, subscribers }, completions);
  });
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

function mergeAll(
  before: Map<string, RunHistory>,
  reports: readonly ReceivedReport[],
  prices: PriceList,
): Merged {
  const after = new Map<string, RunHistory>();
  const completions: Completion[] = [];
  for (const [id, ofRun] of Map.groupBy(reports, runIdOf)) {
    const known = before.get(id) ?? null;
    const history = mergeReports(known, ofRun, prices);
    after.set(id, history);
    completions.push(...completionsOf(known, ofRun, history));
  }
  return { after, completions };
}

function changesBetween(
  before: Map<string, RunHistory>,
  after: Map<string, RunHistory>,
  providers: Providers,
) {
  const histories = [...after].map(([id, history]) => ({ before: before.get(id) ?? null, after: history }));
  const changed = histories.filter((history) => !isDeepStrictEqual(history.before, history.after));
  return {
    runs: changed
      .filter((history) => !isDeepStrictEqual(history.before?.run, history.after.run))
      .map(({ after: { run } }) => run),
    jobs: changed.flatMap((history) => changedJobs(history.before, history.after)),
    workflows: namedWorkflows(changed.map((history) => history.after.run)),
    rollups: rollupChanges(changed, providers),
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

type ChangedJob = PriceChange & { job: JobKey };

/**
 * Gives recorded jobs other prices: changes the jobs, their runs and the rollups of their days together. The caller
 * holds the organization's ledger lock and has read the prices under it.
 */
export async function changePrices(
  tx: Transaction,
  orgId: string,
  changes: readonly ChangedJob[],
): Promise<void> {
  await updatePrices(
    tx,
    changes.map(({ job: { runId, attempt, jobId }, after }) => ({ orgId, runId, attempt, jobId, ...after })),
  );
  await addToRunCosts(
    tx,
    [...differencesOfRuns(changes)].map(([id, nanos]) => ({ orgId, id, nanos })),
  );
  await addToRollups(tx, orgId, rollupPriceChanges(changes));
  await renewCreationDays(tx, orgId, [...new Set(changes.map(({ job }) => job.runId))]);
}

function differencesOfRuns(changes: readonly ChangedJob[]): Map<string, bigint> {
  const differences = new Map<string, bigint>();
  for (const { job, before, after } of changes) {
    const known = differences.get(job.runId) ?? 0n;
    differences.set(job.runId, known + after.costNanos - before.costNanos);
  }
  return differences;
}
