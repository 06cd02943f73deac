import {
  byFields,
  byProvider,
  byStatus,
  deciding,
  greatest,
  instantOf,
  inTurn,
  keepDeciding,
  type Decision,
  type Order,
  type ReportedJob,
  type ReportedRun,
  type StoredJob,
  type StoredRun,
} from './history.ts';
import { conclusionWord, type JobReport, type RunReport } from './report.ts';

export type DecidedRun = Pick<
  StoredRun,
  | 'repository'
  | 'isPrivate'
  | 'workflowName'
  | 'workflowPath'
  | 'event'
  | 'branch'
  | 'startedBy'
  | 'pullRequest'
  | 'runNumber'
  | 'commit'
  | 'reportedAttempt'
  | 'reportedStatus'
  | 'reportedRawConclusion'
  | 'reportedStartedAt'
  | 'reportedCompletedAt'
  | 'reportedAt'
  | 'reports'
> & {
  createdAt: Date | null;
  /** Who triggered each attempt, as far as it is reported. */
  actors: ReadonlyMap<number, string>;
};

export function reportsOfRun(run: StoredRun): ReportedRun[] {
  if (run.reports !== null)
    return run.reports.map((report) =>
      withStarter({ startedBy: null, pullRequest: null, runNumber: null, commit: null, ...report }),
    );
  return [
    withStarter({
      repository: run.repository,
      isPrivate: run.isPrivate,
      workflowName: run.workflowName,
      workflowPath: run.workflowPath,
      event: run.event,
      branch: run.branch,
      actor: reportedActor(run),
      startedBy: run.startedBy,
      pullRequest: run.pullRequest,
      runNumber: run.runNumber,
      commit: run.commit,
      attempt: run.reportedAttempt,
      status: run.reportedStatus,
      rawConclusion: run.reportedRawConclusion,
      createdAt: run.reportedAttempt === 0 ? null : run.createdAt.toISOString(),
      startedAt: run.reportedStartedAt?.toISOString() ?? null,
      completedAt: run.reportedCompletedAt?.toISOString() ?? null,
      observedAt: run.reportedAt.toISOString(),
      isTrace: false,
    }),
  ];
}

function reportedActor({ actor, attemptActors, reportedAttempt }: StoredRun): string | null {
  if (reportedAttempt === 0) return null;
  return attemptActors ? (attemptActors[reportedAttempt] ?? null) : actor;
}

export function mergeRunReports(
  known: readonly ReportedRun[],
  reports: readonly RunReport[],
): readonly ReportedRun[] {
  const all = [...known, ...reports.map(reportedRun)];
  const decisions = [...Object.values(runDecisions), ...actorDecisions(all).values()];
  return keepDeciding(all, decisions, runByProgress);
}

function reportedRun(report: RunReport): ReportedRun {
  const { state } = report;
  return withStarter({
    repository: report.repository,
    isPrivate: report.isPrivate,
    workflowName: report.workflowName,
    workflowPath: report.workflowPath,
    event: report.event,
    branch: report.branch,
    actor: state && report.actor,
    startedBy: report.startedBy ?? null,
    pullRequest: report.pullRequest,
    runNumber: report.runNumber,
    commit: report.commit,
    attempt: state ? report.attempt : 0,
    status: state?.status ?? 'queued',
    rawConclusion: conclusionWord(state?.rawConclusion ?? null),
    createdAt: state?.createdAt.toISOString() ?? null,
    startedAt: state?.startedAt?.toISOString() ?? null,
    completedAt: state?.completedAt?.toISOString() ?? null,
    observedAt: report.observedAt.toISOString(),
    isTrace: report.isTrace ?? false,
  });
}

/** Who triggers the first attempt starts the run. */
function withStarter(report: ReportedRun): ReportedRun {
  if (report.attempt !== 1) return report;
  const { actor, startedBy } = report;
  return { ...report, actor: actor ?? startedBy, startedBy: startedBy ?? actor };
}

const byAttempt = greatest<ReportedRun>((report) => report.attempt);
/** Later observations first. The other fields break ties, so that the same report always wins. */
const runLook = byFields<ReportedRun>(
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
  'startedBy',
  'pullRequest',
  'runNumber',
  'commit',
  'repository',
  'isPrivate',
);

const runByProgress = inTurn(byAttempt, byStatus, byProvider, runLook);
/** Reports of the provider itself take precedence over traces, even if the trace is further along. */
const runByReporter = inTurn(byProvider, byAttempt, byStatus, runLook);

function said(field: keyof ReportedRun, order: Order<ReportedRun> = runByReporter): Decision<ReportedRun> {
  return { order, says: (report) => report[field] !== null };
}

const runDecisions = {
  state: said('status', runByProgress),
  repository: said('repository'),
  isPrivate: said('isPrivate'),
  workflowName: said('workflowName'),
  workflowPath: said('workflowPath'),
  event: said('event'),
  branch: said('branch'),
  startedBy: said('startedBy'),
  pullRequest: said('pullRequest'),
  runNumber: said('runNumber'),
  commit: said('commit'),
  createdAt: said('createdAt'),
  // The start and end belong to an attempt, so only those of the latest attempt count.
  startedAt: said('startedAt', inTurn(byAttempt, byProvider, byStatus, runLook)),
  completedAt: said('completedAt', inTurn(byAttempt, byProvider, byStatus, runLook)),
};

/** More than the 50 re-runs that GitHub allows. Of more attempts, the latest keep their actors. */
const maxActors = 64;

function actorDecisions(reports: readonly ReportedRun[]): Map<number, Decision<ReportedRun>> {
  const attempts = new Set(reports.filter(({ actor }) => actor !== null).map(({ attempt }) => attempt));
  const latest = [...attempts].toSorted((a, b) => b - a).slice(0, maxActors);
  return new Map(
    latest.map((attempt) => [
      attempt,
      { order: runByReporter, says: (report) => report.attempt === attempt && report.actor !== null },
    ]),
  );
}

function actorsIn(reports: readonly ReportedRun[]): Map<number, string> {
  const decisions = [...actorDecisions(reports)];
  return new Map(decisions.map(([attempt, decision]) => [attempt, deciding(reports, decision)!.actor!]));
}

export function decideRun(reports: readonly ReportedRun[]): DecidedRun {
  const state = deciding(reports, runDecisions.state)!;
  const from = <Field extends keyof typeof runDecisions & keyof ReportedRun>(field: Field) =>
    deciding(reports, runDecisions[field])?.[field] ?? null;
  const ofAttempt = (field: 'startedAt' | 'completedAt') => {
    const report = deciding(reports, runDecisions[field]);
    return report?.attempt === state.attempt ? instantOf(report[field]) : null;
  };
  return {
    repository: from('repository')!,
    isPrivate: from('isPrivate'),
    workflowName: from('workflowName'),
    workflowPath: from('workflowPath'),
    event: from('event'),
    branch: from('branch'),
    actors: actorsIn(reports),
    startedBy: from('startedBy'),
    pullRequest: from('pullRequest'),
    runNumber: from('runNumber'),
    commit: from('commit'),
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

export type DecidedJob = Omit<JobReport, 'jobId' | 'attempt' | 'actor' | 'awaitsApproval'> &
  Pick<StoredJob, 'actor' | 'reports'>;

export function reportsOfJob(job: StoredJob): readonly ReportedJob[] {
  return job.reports?.map((report) => ({ actor: null, ...report })) ?? [reportedJob(job, false)];
}

export function reportedJob(job: Omit<JobReport, 'jobId' | 'attempt'>, isTrace: boolean): ReportedJob {
  return {
    actor: job.actor ?? null,
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

export function mergeJobReports(
  known: readonly ReportedJob[],
  reports: readonly ReportedJob[],
): readonly ReportedJob[] {
  const kept = keepDeciding([...known, ...reports], Object.values(jobDecisions), jobByProgress);
  return kept.length === known.length && kept.every((report, place) => report === known[place])
    ? known
    : kept;
}

const jobLook = byFields<ReportedJob>(
  'observedAt',
  'completedAt',
  'startedAt',
  'rawConclusion',
  'ran',
  'labels',
  'runnerName',
  'runnerGroup',
  'name',
  'actor',
  'createdAt',
);

const jobByProgress = inTurn<ReportedJob>(byStatus, byProvider, jobLook);
const jobByReporter = inTurn<ReportedJob>(byProvider, byStatus, jobLook);
const earliestCreation = greatest<ReportedJob>((report) => -Date.parse(report.createdAt ?? ''));

const jobDecisions = {
  state: { order: jobByProgress, says: () => true },
  actor: { order: jobByReporter, says: (report) => report.actor !== null },
  name: { order: jobByReporter, says: (report) => report.name !== null },
  labels: { order: jobByReporter, says: (report) => report.labels.length > 0 },
  runnerName: { order: jobByReporter, says: (report) => report.runnerName !== null },
  runnerGroup: { order: jobByReporter, says: (report) => report.runnerGroup !== null },
  createdAt: {
    order: inTurn(byProvider, earliestCreation, jobByReporter),
    says: (report) => report.createdAt !== null,
  },
  /** The start to pair with the end that a trace reports, until the provider reports an end. */
  start: {
    order: jobByReporter,
    says: ({ isTrace, status: at, startedAt }) => !isTrace && at === 'in_progress' && startedAt !== null,
  },
} satisfies Record<string, Decision<ReportedJob>>;

/** Clocks can differ. If a job started after its end, it would cost nothing. */
function startBefore({ completedAt }: ReportedJob, start: ReportedJob | null): ReportedJob | null {
  if (!start?.startedAt || !completedAt) return start;
  return Date.parse(start.startedAt) <= Date.parse(completedAt) ? start : null;
}

export function decideJob(reports: readonly ReportedJob[]): DecidedJob {
  const state = deciding(reports, jobDecisions.state)!;
  const start = state.isTrace ? startBefore(state, deciding(reports, jobDecisions.start)) : null;
  return {
    actor: deciding(reports, jobDecisions.actor)?.actor ?? null,
    name: deciding(reports, jobDecisions.name)?.name ?? null,
    labels: deciding(reports, jobDecisions.labels)?.labels ?? [],
    runnerName: deciding(reports, jobDecisions.runnerName)?.runnerName ?? null,
    runnerGroup: deciding(reports, jobDecisions.runnerGroup)?.runnerGroup ?? null,
    status: state.status,
    rawConclusion: state.rawConclusion,
    createdAt: instantOf(deciding(reports, jobDecisions.createdAt)?.createdAt ?? null),
    // Only from reports with this status: the start of a queued job is a placeholder and would bill its queue time.
    startedAt: instantOf((start ?? state).startedAt),
    completedAt: instantOf(state.completedAt),
    ran: state.ran,
    observedAt: new Date(state.observedAt),
    reports: reports.length === 1 && !state.isTrace ? null : [...reports],
  };
}
