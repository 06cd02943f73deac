import { earliest, latest } from '../lib/instant.ts';
import { concludeRun } from './conclusion.ts';
import { runIdOf, type RunHistory } from './history.ts';
import type { RunReport, RunState } from './report.ts';

/** An attempt of a run that has ended, and when its cost counts as final. */
export type Completion = {
  runId: string;
  attempt: number;
  conclusion: string;
  startedAt: Date | null;
  completedAt: Date;
  dueAt: Date;
};

/** How long after a run's own end its last jobs are waited for. */
const jobsAwaitedMilliseconds = 60_000;

/**
 * The attempt that the report is about, where it is known to have ended, by this report or by one before; `history` is
 * the run's with the report in it. That all its jobs have ended is not enough: others may follow. Its cost is final
 * once they have and the run itself has ended, or a minute after that.
 */
export function completionOf(history: RunHistory, report: RunReport): Completion | null {
  const { attempt } = report;
  const state = endedState(history, report);
  if (!state) return null;
  const jobs = history.jobs.filter((job) => job.attempt === attempt && !job.isCarriedOver);
  const isFinal = jobs.length > 0 && jobs.every(({ status }) => status === 'completed');
  const conclusion = concludeRun(
    state.rawConclusion,
    jobs.some(({ billedMinutes }) => billedMinutes > 0),
  );
  const completedAt = state.completedAt ?? latest(jobs.map((job) => job.completedAt)) ?? state.seenAt;
  return {
    runId: runIdOf(report),
    attempt,
    conclusion: conclusion ?? 'completed',
    startedAt: state.startedAt ?? earliest(jobs.map((job) => job.startedAt)),
    completedAt,
    // A runner's clock can be ahead of ours.
    dueAt: isFinal
      ? earliest([completedAt, state.seenAt])!
      : new Date(state.seenAt.getTime() + jobsAwaitedMilliseconds),
  };
}

type EndedState = Pick<RunState, 'rawConclusion' | 'startedAt' | 'completedAt'> & { seenAt: Date };

/** What is known of the attempt's end: of an attempt that others have followed, the report alone knows it. */
function endedState({ run }: RunHistory, { attempt, state, observedAt }: RunReport): EndedState | null {
  if (state?.status === 'completed') return { ...state, seenAt: observedAt };
  if (run.reportedAttempt !== attempt || run.reportedStatus !== 'completed') return null;
  return {
    rawConclusion: run.reportedRawConclusion,
    startedAt: run.reportedStartedAt,
    completedAt: run.reportedCompletedAt,
    seenAt: run.reportedAt,
  };
}
