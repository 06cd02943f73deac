import type { Program } from '../../context.ts';
import { reportedName } from '../../platform/lib/text.ts';
import { recordReports } from './recordReports.ts';
import type { JobReport, ReceivedReport, RunReport } from './report.ts';

/** Records reports; resolves once they are committed. `liveAt` is when they came, for those of a CI at work. */
export type Recorder = {
  record: (orgId: string, reports: readonly RunReport[], liveAt?: Date) => Promise<void>;
};

type Waiting = { reports: readonly ReceivedReport[]; resolve: () => void; reject: (error: unknown) => void };

/** In rows, of runs and jobs. */
const largestBatch = 5_000;

/**
 * A recorder that lets concurrent callers share transactions: while one commits, those of the same organization
 * that come meanwhile gather for the next. Nobody waits for a timer, and everybody for a commit of their own.
 */
export function createRecorder(program: Pick<Program, 'db' | 'providers' | 'subscribers'>): Recorder {
  const queues = new Map<string, Waiting[]>();

  async function drain(orgId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        await recordReports(
          program,
          orgId,
          batch.flatMap((waiting) => waiting.reports),
        );
        for (const waiting of batch) waiting.resolve();
      } catch (error) {
        await recordSingly(orgId, batch, error);
      }
    }
    queues.delete(orgId);
  }

  /** What is wrong with one caller's reports must not cost the others theirs. */
  async function recordSingly(orgId: string, batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isAboutData(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) {
      await recordReports(program, orgId, waiting.reports).then(waiting.resolve, waiting.reject);
    }
  }

  return {
    record: (orgId, reports, liveAt) =>
      new Promise((resolve, reject) => {
        const received = reports.map((report) => ({ ...withSafeNames(report), liveAt: liveAt ?? null }));
        const waiting = { reports: received, resolve, reject };
        const queue = queues.get(orgId);
        if (queue) return void queue.push(waiting);
        const started = [waiting];
        queues.set(orgId, started);
        void drain(orgId, started);
      }),
  };
}

/** Replaces what cannot be stored or shown in names; ids are refused for it where they come in, so that none merge. */
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
  const end = queue.findIndex((waiting, index) => (size += rowsOf(waiting)) > largestBatch && index > 0);
  return queue.splice(0, end === -1 ? queue.length : end);
}

function rowsOf({ reports }: Waiting): number {
  return reports.reduce((sum, { jobs }) => sum + 1 + jobs.length, 0);
}

/** PostgreSQL's classes of errors for data it does not take; any other error would meet every caller again. */
function isAboutData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}
