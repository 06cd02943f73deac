import { derivedId } from '../../platform/lib/ids.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { earliest, latest } from '../../platform/lib/time.ts';
import { priceJob } from '../pricing/cost.ts';
import type { PriceList } from '../pricing/priceList.ts';
import {
  decideJob,
  decideRun,
  mergeJobReports,
  mergeRunReports,
  reportedJob,
  reportsOfJob,
  reportsOfRun,
  type DecidedJob,
  type DecidedRun,
} from './decideFields.ts';
import {
  jobKey,
  runIdOf,
  storedPrice,
  type CountedJob,
  type JobKey,
  type ReportedJob,
  type RunHistory,
  type StoredJob,
  type StoredRun,
} from './history.ts';
import { concludeRun, outcomeOfJobs, type RunReport } from './report.ts';

/**
 * The result depends only on the set of reports, not on their order or repetition. `before` must have the jobs that
 * the reports name, and those that ran at the same time as one of them.
 */
export function mergeReports(
  before: RunHistory | null,
  reports: readonly RunReport[],
  prices: PriceList,
): RunHistory {
  const decided = decideRun(mergeRunReports(before ? reportsOfRun(before.run) : [], reports));
  const jobs = mergeJobs(before?.jobs ?? [], reports, prices);
  const otherJobs = before?.otherJobs ?? [];
  return { run: deriveRun(decided, [...jobs, ...otherJobs], reports[0]!), jobs, otherJobs };
}

/** What the kept reports of a run and of all its jobs come to, with the prices that the jobs have. */
export function decideAgain({ run, jobs: stored }: RunHistory): RunHistory {
  const decided = stored.map((job) => ({ ...job, ...decideJob(reportsOfJob(job)) }));
  const paidAttempts = paidAttemptsOf(decided);
  const jobs = decided.map((job) => ({ ...job, isCarriedOver: isCarried(job, paidAttempts) }));
  const runId = run.id.slice(runIdOf({ ...run, runId: '' }).length);
  return { run: deriveRun(decideRun(reportsOfRun(run)), jobs, { ...run, runId }), jobs, otherJobs: [] };
}

/** Merges all jobs first, because only then is it clear which ones are carried over. */
function mergeJobs(
  stored: readonly StoredJob[],
  reports: readonly RunReport[],
  prices: PriceList,
): StoredJob[] {
  const { provider } = reports[0]!;
  const before = new Map(stored.map((job) => [jobKey(job), job]));
  const after = jobsAfter(before, reports);
  const paidAttempts = paidAttemptsOf(after.values());
  return [...after].map(([key, job]) => {
    const known = before.get(key);
    const isCarriedOver = isCarried(job, paidAttempts);
    // An unchanged job keeps its price: a newer price list never changes history.
    if (known?.isCarriedOver !== isCarriedOver) return priced({ ...job, isCarriedOver }, provider, prices);
    if (job === known) return known;
    return costKeyOf(job) === costKeyOf(known) ? { ...known, ...job } : priced(job, provider, prices);
  });
}

function jobsAfter(
  before: ReadonlyMap<string, StoredJob>,
  reports: readonly RunReport[],
): Map<string, UnpricedJob> {
  const jobs = new Map<string, UnpricedJob>(before);
  for (const [key, { job, reported, awaitsApproval }] of reportedJobs(reports)) {
    const known = before.get(key);
    const kept = known ? reportsOfJob(known) : [];
    const merged = mergeJobReports(kept, reported);
    const { isCarriedOver = false, awaitedApproval: awaited = false } = known ?? {};
    if (merged === kept && (awaited || !awaitsApproval)) continue;
    const awaitedApproval = awaited || awaitsApproval;
    jobs.set(key, { ...job, isCarriedOver, awaitedApproval, ...decideJob(merged) });
  }
  return jobs;
}

type ReportsOfJob = { job: JobKey; reported: ReportedJob[]; awaitsApproval: boolean };

function reportedJobs(reports: readonly RunReport[]): Map<string, ReportsOfJob> {
  const jobs = new Map<string, ReportsOfJob>();
  for (const report of reports) {
    const runId = runIdOf(report);
    for (const job of report.jobs) {
      const { attempt, jobId } = job;
      const ofJob = getOrCreate(jobs, jobKey(job), () => ({
        job: { runId, attempt, jobId },
        reported: [],
        awaitsApproval: false,
      }));
      ofJob.reported.push(reportedJob(job, report.isTrace ?? false));
      ofJob.awaitsApproval ||= job.awaitsApproval ?? false;
    }
  }
  return jobs;
}

type UnpricedJob = JobKey & DecidedJob & Pick<StoredJob, 'isCarriedOver' | 'awaitedApproval'>;

function costKeyOf(job: DecidedJob): string {
  const { labels, runnerName, runnerGroup, status, rawConclusion, startedAt, completedAt, ran } = job;
  return JSON.stringify([
    labels,
    runnerName,
    runnerGroup,
    status,
    rawConclusion,
    startedAt,
    completedAt,
    ran,
  ]);
}

function priced(job: UnpricedJob, provider: string, prices: PriceList): StoredJob {
  const price = storedPrice(priceJob({ ...job, provider }, prices));
  if (!job.isCarriedOver) return { ...job, ...price };
  return { ...job, ...price, billedMinutes: 0, costNanos: 0n, isUnpriced: false };
}

/**
 * "Re-run failed jobs" copies the successful jobs with their old times into the new attempt. We bill the job of the
 * lowest attempt; later jobs of the same name, start and end are carried over.
 */
function paidAttemptsOf(jobs: Iterable<UnpricedJob>): Map<string, number> {
  const paidAttempts = new Map<string, number>();
  for (const job of jobs) {
    const key = executionKey(job);
    if (key) paidAttempts.set(key, Math.min(job.attempt, paidAttempts.get(key) ?? job.attempt));
  }
  return paidAttempts;
}

function isCarried(job: UnpricedJob, paidAttempts: ReadonlyMap<string, number>): boolean {
  const key = executionKey(job);
  return key !== null && job.attempt > paidAttempts.get(key)!;
}

function executionKey(job: UnpricedJob): string | null {
  if (job.status !== 'completed' || !job.startedAt || !job.completedAt) return null;
  return `${job.startedAt.getTime()} ${job.completedAt.getTime()} ${job.name}`;
}

function deriveRun(
  { actors, ...decided }: DecidedRun,
  jobs: readonly CountedJob[],
  report: Pick<RunReport, 'provider' | 'runId'>,
): StoredRun {
  const attempt = jobs.reduce((highest, job) => Math.max(highest, job.attempt), decided.reportedAttempt);
  const latestJobs = jobs.filter((job) => job.attempt === attempt && !job.isCarriedOver);
  const isReported = decided.reportedAttempt === attempt;
  const { status, rawConclusion } = isReported
    ? { status: decided.reportedStatus, rawConclusion: decided.reportedRawConclusion }
    : outcomeOfJobs(jobs.filter((job) => job.attempt === attempt));
  const startedAt =
    (isReported ? decided.reportedStartedAt : null) ?? earliest(latestJobs.map((job) => job.startedAt));
  const completedAt =
    status === 'completed'
      ? ((isReported ? decided.reportedCompletedAt : null) ??
        latest(latestJobs.map((job) => job.completedAt)))
      : null;
  return {
    ...decided,
    ...actorsOf(attempt, actors, decided.startedBy),
    id: runIdOf(report),
    provider: report.provider,
    workflowId: derivedId(
      'wf',
      decided.repository.toLowerCase(),
      decided.workflowPath ?? decided.workflowName ?? '',
    ),
    attempt,
    status,
    rawConclusion,
    conclusion: concludeRun(
      rawConclusion,
      jobs.some((job) => job.billedMinutes > 0),
    ),
    createdAt:
      decided.createdAt ?? earliest(jobs.map((job) => job.createdAt ?? job.observedAt)) ?? decided.reportedAt,
    startedAt,
    completedAt,
    durationSeconds: secondsBetween(startedAt, completedAt),
    costNanos: jobs.reduce((sum, job) => sum + job.costNanos, 0n),
  };
}

function actorsOf(
  latestAttempt: number,
  actors: DecidedRun['actors'],
  startedBy: string | null,
): Pick<StoredRun, 'actor' | 'attemptActors'> {
  const actor = actors.get(latestAttempt) ?? null;
  const isSame = latestAttempt === 1 || [startedBy, ...actors.values()].every((each) => each === actor);
  return { actor: actor ?? startedBy, attemptActors: isSame ? null : Object.fromEntries(actors) };
}

function secondsBetween(start: Date | null, end: Date | null): number {
  return start && end ? Math.max(0, Math.round((end.getTime() - start.getTime()) / 1000)) : 0;
}
