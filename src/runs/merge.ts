import { derivedId } from '../lib/ids.ts';
import { earliest, latest } from '../lib/instant.ts';
import { priceJob } from '../pricing/cost.ts';
import { defaultPriceList, type PriceList } from '../pricing/priceList.ts';
import { concludeRun, outcomeOfJobs } from './conclusion.ts';
import { runIdOf, statusRank, type RunHistory, type StoredJob, type StoredRun } from './history.ts';
import type { JobReport, RunReport } from './report.ts';

/**
 * The history of a run after one more report. Reports may come late, twice and in any order: the result depends on
 * which reports came, not on when. `before` is null for a run not seen before and is left as it is. Jobs that are new
 * or have changed are priced with `prices`; the others keep the price they have.
 */
export function mergeReport(
  before: RunHistory | null,
  report: RunReport,
  prices: PriceList = defaultPriceList,
): RunHistory {
  const price: Pricing = (job) => priced(job, report.provider, prices);
  const jobs = markCarriedOver(mergeJobs(before?.jobs ?? [], report, price), price);
  const facts = mergeRunFacts(before?.run ?? null, report);
  return { run: deriveRun(facts, jobs, report), jobs };
}

type RunFacts = Pick<
  StoredRun,
  | 'repository'
  | 'isPrivate'
  | 'workflowName'
  | 'workflowPath'
  | 'event'
  | 'branch'
  | 'actor'
  | 'reportedAttempt'
  | 'reportedStatus'
  | 'reportedRawConclusion'
  | 'reportedStartedAt'
  | 'reportedCompletedAt'
  | 'reportedAt'
> & { createdAt: Date | null };

/** The winning report's facts; what it does not tell is filled in from the other. */
function mergeRunFacts(stored: StoredRun | null, report: RunReport): RunFacts {
  const told = factsOfReport(report);
  if (!stored) return told;
  const known: RunFacts = { ...stored, createdAt: stored.reportedAttempt === 0 ? null : stored.createdAt };
  return isNewer(told, known) ? fillIn(told, known) : fillIn(known, told);
}

function factsOfReport(report: RunReport): RunFacts {
  const { state, repository, isPrivate, workflowName, workflowPath, event, branch, actor } = report;
  return {
    repository,
    isPrivate,
    workflowName,
    workflowPath,
    event,
    branch,
    actor,
    reportedAttempt: state ? report.attempt : 0,
    reportedStatus: state?.status ?? 'queued',
    reportedRawConclusion: state?.rawConclusion ?? null,
    reportedStartedAt: state?.startedAt ?? null,
    reportedCompletedAt: state?.completedAt ?? null,
    reportedAt: report.observedAt,
    createdAt: state?.createdAt ?? null,
  };
}

/** A higher attempt beats a later status, and that beats a later look at the same status. */
function isNewer(told: RunFacts, known: RunFacts): boolean {
  if (told.reportedAttempt !== known.reportedAttempt) return told.reportedAttempt > known.reportedAttempt;
  const step = statusRank[told.reportedStatus] - statusRank[known.reportedStatus];
  if (step !== 0) return step > 0;
  return isLaterLook(told.reportedAt, known.reportedAt, () => [stateText(told), stateText(known)]);
}

/** Of two looks in the same second that differ, always the same one must win: here, the one whose text sorts last. */
function isLaterLook(told: Date, known: Date, texts: () => [string, string]): boolean {
  const difference = told.getTime() - known.getTime();
  if (difference !== 0) return difference > 0;
  const [toldText, knownText] = texts();
  return toldText >= knownText;
}

function stateText(facts: RunFacts): string {
  const {
    reportedRawConclusion,
    reportedStartedAt,
    reportedCompletedAt,
    workflowName,
    workflowPath,
    branch,
  } = facts;
  return JSON.stringify([
    reportedRawConclusion,
    reportedStartedAt,
    reportedCompletedAt,
    workflowName,
    workflowPath,
    branch,
  ]);
}

function fillIn(winner: RunFacts, loser: RunFacts): RunFacts {
  const sameAttempt = winner.reportedAttempt === loser.reportedAttempt;
  return {
    ...winner,
    isPrivate: winner.isPrivate ?? loser.isPrivate,
    workflowName: winner.workflowName ?? loser.workflowName,
    workflowPath: winner.workflowPath ?? loser.workflowPath,
    event: winner.event ?? loser.event,
    branch: winner.branch ?? loser.branch,
    actor: winner.actor ?? loser.actor,
    createdAt: winner.createdAt ?? loser.createdAt,
    reportedStartedAt: winner.reportedStartedAt ?? (sameAttempt ? loser.reportedStartedAt : null),
    reportedCompletedAt: winner.reportedCompletedAt ?? (sameAttempt ? loser.reportedCompletedAt : null),
  };
}

type Pricing = (job: UnpricedJob) => StoredJob;

function mergeJobs(stored: readonly StoredJob[], report: RunReport, price: Pricing): StoredJob[] {
  const jobs = new Map(stored.map((job) => [jobKey(job), job]));
  const runId = runIdOf(report);
  for (const told of report.jobs) {
    const known = jobs.get(jobKey(told));
    jobs.set(
      jobKey(told),
      known ? mergeJob(known, told, price) : price({ ...told, runId, isCarriedOver: false }),
    );
  }
  return [...jobs.values()];
}

function jobKey(job: { attempt: number; jobId: string }): string {
  return `${job.attempt}/${job.jobId}`;
}

export type UnpricedJob = JobReport & { runId: string; isCarriedOver: boolean };

function mergeJob(known: StoredJob, told: JobReport, price: Pricing): StoredJob {
  const step = statusRank[told.status] - statusRank[known.status];
  const toldWins =
    step !== 0
      ? step > 0
      : isLaterLook(told.observedAt, known.observedAt, () => [costFacts(told), costFacts(known)]);
  const [winner, loser] = toldWins ? [told, known] : [known, told];
  const merged: UnpricedJob = {
    ...winner,
    runId: known.runId,
    isCarriedOver: known.isCarriedOver,
    name: winner.name ?? loser.name,
    labels: winner.labels.length > 0 ? winner.labels : loser.labels,
    runnerName: winner.runnerName ?? loser.runnerName,
    runnerGroup: winner.runnerGroup ?? loser.runnerGroup,
    createdAt: winner.createdAt ?? loser.createdAt,
    // Not the start: a queued job's is a placeholder, and would bill the waiting of a job that never ran.
  };
  // A job that did not change keeps the price it has: a newer price book never alters history.
  return costFacts(merged) === costFacts(known) ? { ...known, ...merged } : price(merged);
}

/** Everything of a report that the price of a job depends on, as one comparable text. */
function costFacts(job: JobReport): string {
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

/** The job as it is stored when it is priced with a list. */
export function priced(job: UnpricedJob, provider: string, prices: PriceList): StoredJob {
  const cost = priceJob({ ...job, provider }, prices);
  const isPaid = !job.isCarriedOver;
  return {
    ...job,
    runnerKind: cost.kind,
    runnerRule: cost.rule,
    billedMinutes: isPaid ? cost.billedMinutes : 0,
    nanosPerMinute: cost.nanosPerMinute,
    rounding: cost.rounding,
    priceBookId: cost.priceBookId,
    priceRuleId: cost.priceRuleId,
    costNanos: isPaid ? cost.costNanos : 0n,
    isUnpriced: isPaid && cost.isUnpriced,
    flags: cost.flags,
  };
}

/**
 * "Re-run failed jobs" repeats the jobs that had succeeded, with their old times, in the new attempt. The job of
 * the lowest attempt is paid; those of one name, start and end in later attempts are carried over.
 */
function markCarriedOver(jobs: StoredJob[], price: Pricing): StoredJob[] {
  const paidAttempts = new Map<string, number>();
  for (const job of jobs) {
    const key = performanceKey(job);
    if (key) paidAttempts.set(key, Math.min(job.attempt, paidAttempts.get(key) ?? job.attempt));
  }
  return jobs.map((job) => {
    const key = performanceKey(job);
    const isCarriedOver = key !== null && job.attempt > paidAttempts.get(key)!;
    return isCarriedOver === job.isCarriedOver ? job : price({ ...job, isCarriedOver });
  });
}

function performanceKey(job: StoredJob): string | null {
  if (job.status !== 'completed' || !job.startedAt || !job.completedAt) return null;
  return `${job.startedAt.getTime()} ${job.completedAt.getTime()} ${job.name}`;
}

function deriveRun(facts: RunFacts, jobs: StoredJob[], report: RunReport): StoredRun {
  const attempt = jobs.reduce((highest, job) => Math.max(highest, job.attempt), facts.reportedAttempt);
  const latestJobs = jobs.filter((job) => job.attempt === attempt && !job.isCarriedOver);
  const isReported = facts.reportedAttempt === attempt;
  const { status, rawConclusion } = isReported
    ? { status: facts.reportedStatus, rawConclusion: facts.reportedRawConclusion }
    : outcomeOfJobs(jobs.filter((job) => job.attempt === attempt));
  const startedAt =
    (isReported ? facts.reportedStartedAt : null) ?? earliest(latestJobs.map((job) => job.startedAt));
  const completedAt =
    status === 'completed'
      ? ((isReported ? facts.reportedCompletedAt : null) ?? latest(latestJobs.map((job) => job.completedAt)))
      : null;
  return {
    ...facts,
    id: runIdOf(report),
    provider: report.provider,
    workflowId: derivedId(
      'wf',
      facts.repository.toLowerCase(),
      facts.workflowPath ?? facts.workflowName ?? '',
    ),
    attempt,
    status,
    rawConclusion,
    conclusion: concludeRun(
      rawConclusion,
      jobs.some((job) => job.billedMinutes > 0),
    ),
    createdAt:
      facts.createdAt ?? earliest(jobs.map((job) => job.createdAt ?? job.observedAt)) ?? facts.reportedAt,
    startedAt,
    completedAt,
    durationSeconds: secondsBetween(startedAt, completedAt),
    costNanos: jobs.reduce((sum, job) => sum + job.costNanos, 0n),
  };
}

function secondsBetween(start: Date | null, end: Date | null): number {
  return start && end ? Math.max(0, Math.round((end.getTime() - start.getTime()) / 1000)) : 0;
}
