import { conclusionWord } from './conclusion.ts';
import type { ReportedRun, StoredRun } from './history.ts';
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
  type Order,
} from './keptReports.ts';
import type { RunReport } from './report.ts';

/** What reports say of the run itself; null as its creation where none does. */
export type RunFacts = Pick<
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
  | 'reports'
> & { createdAt: Date | null };

/** The kept reports of a stored run; what of it was made up from its jobs is left out. */
export function reportsOfRun(run: StoredRun): ReportedRun[] {
  if (run.reports !== null) return run.reports;
  return [
    {
      repository: run.repository,
      isPrivate: run.isPrivate,
      workflowName: run.workflowName,
      workflowPath: run.workflowPath,
      event: run.event,
      branch: run.branch,
      actor: run.actor,
      attempt: run.reportedAttempt,
      status: run.reportedStatus,
      rawConclusion: run.reportedRawConclusion,
      createdAt: run.reportedAttempt === 0 ? null : run.createdAt.toISOString(),
      startedAt: run.reportedStartedAt?.toISOString() ?? null,
      completedAt: run.reportedCompletedAt?.toISOString() ?? null,
      observedAt: run.reportedAt.toISOString(),
      isTrace: false,
    },
  ];
}

/** The reports to keep of those kept so far and more. */
export function mergeRunReports(
  known: readonly ReportedRun[],
  reports: readonly RunReport[],
): readonly ReportedRun[] {
  return keepDeciding([...known, ...reports.map(reportedRun)], Object.values(decisions), byProgress);
}

function reportedRun(report: RunReport): ReportedRun {
  const { state } = report;
  return {
    repository: report.repository,
    isPrivate: report.isPrivate,
    workflowName: report.workflowName,
    workflowPath: report.workflowPath,
    event: report.event,
    branch: report.branch,
    actor: report.actor,
    attempt: state ? report.attempt : 0,
    status: state?.status ?? 'queued',
    rawConclusion: conclusionWord(state?.rawConclusion ?? null),
    createdAt: state?.createdAt.toISOString() ?? null,
    startedAt: state?.startedAt?.toISOString() ?? null,
    completedAt: state?.completedAt?.toISOString() ?? null,
    observedAt: report.observedAt.toISOString(),
    isTrace: report.isTrace ?? false,
  };
}

const attempt = greatest<ReportedRun>((report) => report.attempt);
/** The later look; of two looks in the same second that differ, always the same one must win. */
const look = byFields<ReportedRun>(
  'observedAt',
  'completedAt',
  'startedAt',
  'createdAt',
  'rawConclusion',
  'workflowName',
  'workflowPath',
  'branch',
  'event',
  'actor',
  'repository',
  'isPrivate',
);

/** A higher attempt beats a later status, and that beats who reports it, and that a later look at the same status. */
const byProgress = inTurn(attempt, byStatus, byProvider, look);
/** What the provider itself says counts before what a trace says, however far that is. */
const byReporter = inTurn(byProvider, attempt, byStatus, look);

function said(field: keyof ReportedRun, order: Order<ReportedRun> = byReporter): Decision<ReportedRun> {
  return { order, says: (report) => report[field] !== null };
}

const decisions = {
  state: said('status', byProgress),
  repository: said('repository'),
  isPrivate: said('isPrivate'),
  workflowName: said('workflowName'),
  workflowPath: said('workflowPath'),
  event: said('event'),
  branch: said('branch'),
  actor: said('actor'),
  createdAt: said('createdAt'),
  // Those of an attempt, so only the latest one's count.
  startedAt: said('startedAt', inTurn(attempt, byProvider, byStatus, look)),
  completedAt: said('completedAt', inTurn(attempt, byProvider, byStatus, look)),
};

/** What the kept reports of a run say together. */
export function factsOfRun(reports: readonly ReportedRun[]): RunFacts {
  const state = deciding(reports, decisions.state)!;
  const from = <Field extends keyof typeof decisions & keyof ReportedRun>(field: Field) =>
    deciding(reports, decisions[field])?.[field] ?? null;
  const ofAttempt = (field: 'startedAt' | 'completedAt') => {
    const report = deciding(reports, decisions[field]);
    return report?.attempt === state.attempt ? instantOf(report[field]) : null;
  };
  return {
    repository: from('repository')!,
    isPrivate: from('isPrivate'),
    workflowName: from('workflowName'),
    workflowPath: from('workflowPath'),
    event: from('event'),
    branch: from('branch'),
    actor: from('actor'),
    createdAt: instantOf(from('createdAt')),
    reportedAttempt: state.attempt,
    reportedStatus: state.status,
    reportedRawConclusion: state.rawConclusion,
    reportedStartedAt: ofAttempt('startedAt'),
    reportedCompletedAt: ofAttempt('completedAt'),
    reportedAt: new Date(state.observedAt),
    reports: reports.length === 1 && !state.isTrace ? null : [...reports],
  };
}
