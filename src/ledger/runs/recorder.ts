import type { Program } from '../../context.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { SpanPlace } from '../../platform/telemetry/tracing.ts';
import { lockCosts, lockFreeCosts } from '../../tenancy/organizations/organizations.ts';
import { createBatches, type Batch, type Sharing } from './batches.ts';
import { recordReports, type Recorded } from './recordReports.ts';
import { withSafeNames, type ReceivedReport, type RunReport } from './report.ts';

/** Records reports and resolves once they are committed. `liveAt` is when a live report arrived; backfills omit it. */
export type Recorder = {
  record: (
    orgId: string,
    reports: readonly RunReport[],
    liveAt?: Date,
    origin?: Pick<ReceivedReport, 'mayComment'>,
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

type RecorderProgram = Pick<Program, 'db' | 'isDistributed' | 'providers' | 'subscribers' | 'telemetry'>;

const sharing: Sharing = { transactions: 2, organizations: Infinity };
/** Organizations are on several servers. Some connections remain for requests. */
const sharingOnServers: Sharing = { transactions: 6, organizations: 1 };

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
  const add = createBatches({
    sharing: program.isDistributed ? sharingOnServers : sharing,
    rowsOf,
    ...batchesTo(program),
  });
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
        recordReports(program, [receivedBy(batch, 'alone')], lockCosts),
      );
      for (const waiting of items) waiting.resolve(recorded.get(orgId)!);
    } catch (error) {
      // One caller's bad data must not fail the others.
      const parts = items.length > 1 && isAboutData(error) ? items : [];
      for (const waiting of parts) await recordAlone({ orgId, items: [waiting], addQueued: () => {} });
      if (parts.length === 0) for (const waiting of items) waiting.reject(error);
    }
  }

  /** Leaves out locked organizations: as it waits for no lock, none delays others and no two processes deadlock. */
  async function recordTogether(batches: readonly Batch<Waiting>[]): Promise<readonly Batch<Waiting>[]> {
    const received = batches.map((batch) => receivedBy(batch, 'together'));
    const recorded = recordReports(program, received, lockFreeCosts);
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

/** Reports that were queued until the transaction holds its lock belong to it. */
function receivedBy(batch: Batch<Waiting>, kind: Parameters<Batch<Waiting>['addQueued']>[0]) {
  const reports = (): ReceivedReport[] => {
    batch.addQueued(kind);
    return reportsOf(batch.items);
  };
  return { orgId: batch.orgId, reports };
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
