import { statusRank, type StoredRun } from './history.ts';
import type { RunReport } from './report.ts';

/** What reports told of the run itself; null as its creation where none has. */
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
> & { createdAt: Date | null };

/** The facts of a stored run; what of it was made up from its jobs is left out. */
export function factsOfRun(run: StoredRun): RunFacts {
  return { ...run, createdAt: run.reportedAttempt === 0 ? null : run.createdAt };
}

/** The winning report's facts; what it does not tell is filled in from the other. */
export function mergeRunFacts(known: RunFacts | null, report: RunReport): RunFacts {
  const told = factsOfReport(report);
  if (!known) return told;
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
export function isLaterLook(told: Date, known: Date, texts: () => [string, string]): boolean {
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
