import { conclusionWord } from './conclusion.ts';
import type { ReportedJob, StoredJob } from './history.ts';
import {
  byFields,
  byProvider,
  byStatus,
  deciding,
  greatest,
  inTurn,
  instantOf,
  keepDeciding,
  type Decision,
} from './keptReports.ts';
import type { JobReport } from './report.ts';

/** What reports say of a job. */
export type JobFacts = Omit<JobReport, 'jobId' | 'attempt'> & Pick<StoredJob, 'reports'>;

/** The kept reports of a stored job. */
export function reportsOfJob(job: StoredJob): readonly ReportedJob[] {
  return job.reports ?? [reportedJob(job, false)];
}

/** What a report says, or a row that one report of the provider itself makes up. */
export function reportedJob(job: Omit<JobReport, 'jobId' | 'attempt'>, isTrace: boolean): ReportedJob {
  return {
    name: job.name,
    labels: job.labels,
    runnerName: job.runnerName,
    runnerGroup: job.runnerGroup,
    status: job.status,
    rawConclusion: conclusionWord(job.rawConclusion),
    createdAt: job.createdAt?.toISOString() ?? null,
    startedAt: job.startedAt?.toISOString() ?? null,
    completedAt: job.completedAt?.toISOString() ?? null,
    ran: job.ran,
    observedAt: job.observedAt.toISOString(),
    isTrace,
  };
}

/** The reports to keep of those kept so far and more. */
export function mergeJobReports(
  known: readonly ReportedJob[],
  reports: readonly ReportedJob[],
): readonly ReportedJob[] {
  const kept = keepDeciding([...known, ...reports], Object.values(decisions), byProgress);
  return kept.length === known.length && kept.every((report, place) => report === known[place])
    ? known
    : kept;
}

/** The later look; of two looks in the same second that differ, always the same one must win. */
const look = byFields<ReportedJob>(
  'observedAt',
  'completedAt',
  'startedAt',
  'rawConclusion',
  'ran',
  'labels',
  'runnerName',
  'runnerGroup',
  'name',
  'createdAt',
);

/** A later status beats who reports it, and that a later look at the same status. */
const byProgress = inTurn<ReportedJob>(byStatus, byProvider, look);
/** What the provider itself says counts before what a trace says, however far that is. */
const byReporter = inTurn<ReportedJob>(byProvider, byStatus, look);
const earliestCreation = greatest<ReportedJob>((report) => -Date.parse(report.createdAt ?? ''));

const decisions = {
  state: { order: byProgress, says: () => true },
  name: { order: byReporter, says: (report) => report.name !== null },
  labels: { order: byReporter, says: (report) => report.labels.length > 0 },
  runnerName: { order: byReporter, says: (report) => report.runnerName !== null },
  runnerGroup: { order: byReporter, says: (report) => report.runnerGroup !== null },
  createdAt: {
    order: inTurn(byProvider, earliestCreation, byReporter),
    says: (report) => report.createdAt !== null,
  },
  /** Goes with the end that a trace reports, until the provider reports one. */
  start: {
    order: byReporter,
    says: ({ isTrace, status: at, startedAt }) => !isTrace && at === 'in_progress' && startedAt !== null,
  },
} satisfies Record<string, Decision<ReportedJob>>;

/** Clocks differ: a start after the end that a trace reports would bill nothing. */
function startBefore({ completedAt }: ReportedJob, start: ReportedJob | null): ReportedJob | null {
  if (!start?.startedAt || !completedAt) return start;
  return Date.parse(start.startedAt) <= Date.parse(completedAt) ? start : null;
}

/** What the kept reports of a job say together. */
export function factsOfJob(reports: readonly ReportedJob[]): JobFacts {
  const state = deciding(reports, decisions.state)!;
  const start = state.isTrace ? startBefore(state, deciding(reports, decisions.start)) : null;
  return {
    name: deciding(reports, decisions.name)?.name ?? null,
    labels: deciding(reports, decisions.labels)?.labels ?? [],
    runnerName: deciding(reports, decisions.runnerName)?.runnerName ?? null,
    runnerGroup: deciding(reports, decisions.runnerGroup)?.runnerGroup ?? null,
    status: state.status,
    rawConclusion: state.rawConclusion,
    createdAt: instantOf(deciding(reports, decisions.createdAt)?.createdAt ?? null),
    // Not that of an earlier status: a queued job's is a placeholder, and would bill the waiting of a job that never ran.
    startedAt: instantOf((start ?? state).startedAt),
    completedAt: instantOf(state.completedAt),
    ran: state.ran,
    observedAt: new Date(state.observedAt),
    reports: reports.length === 1 && !state.isTrace ? null : [...reports],
  };
}
