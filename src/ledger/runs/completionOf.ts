import { earliest, latest } from '../../platform/lib/instant.ts';
import { concludeRun } from './conclusion.ts';
import type { CountedJob, ReportedRun, RunHistory } from './history.ts';
import type { Conclusion, ReceivedReport, RunReport, RunState } from './report.ts';
import { factsOfRun, mergeRunReports, reportsOfRun, type RunFacts } from './runFacts.ts';

/** An attempt of a run that has ended, and when its cost counts as final. */
export type Completion = {
  runId: string;
  attempt: number;
  /** `completed` where the provider did not say how it ended. */
  conclusion: Conclusion | 'completed';
  startedAt: Date | null;
  completedAt: Date;
  dueAt: Date;
};

/** How long after a run's own end its last jobs are waited for. */
const jobsAwaitedMilliseconds = 60_000;
/** What ended longer before it was reported is history. */
const newsMilliseconds = 24 * 3_600_000;

/**
 * The attempts to announce: those that the live reports are about and that have ended, by these reports or by one
 * before, less than 24 hours before the report. `after` is the run's history with the reports in it. That all its jobs
 * have ended is not enough: others may follow. Its cost is final once they have and the run itself has ended, or a
 * minute after that.
 */
export function completionsOf(
  before: RunHistory | null,
  reports: readonly ReceivedReport[],
  after: RunHistory,
): Completion[] {
  const ends = endsOf(before, reports);
  if (ends.size === 0) return [];
  const jobs = Map.groupBy<number, CountedJob>([...after.jobs, ...after.otherJobs], ({ attempt }) => attempt);
  return [...ends].flatMap(([attempt, { liveAt, ...end }]) => {
    if (liveAt === null) return [];
    const completion = completionOf(after.run.id, attempt, end, jobs.get(attempt) ?? []);
    return liveAt.getTime() - completion.completedAt.getTime() < newsMilliseconds ? [completion] : [];
  });
}

function completionOf(
  runId: string,
  attempt: number,
  end: AttemptEnd,
  jobsOfAttempt: CountedJob[],
): Completion {
  const jobs = jobsOfAttempt.filter((job) => !job.isCarriedOver);
  const isFinal = jobs.length > 0 && jobs.every(({ status }) => status === 'completed');
  const conclusion = concludeRun(
    end.rawConclusion,
    jobs.some(({ billedMinutes }) => billedMinutes > 0),
  );
  const completedAt = end.completedAt ?? latest(jobs.map((job) => job.completedAt)) ?? end.seenAt;
  return {
    runId,
    attempt,
    conclusion: conclusion ?? 'completed',
    startedAt: end.startedAt ?? earliest(jobs.map((job) => job.startedAt)),
    completedAt,
    // A runner's clock can be ahead of ours.
    dueAt: isFinal
      ? earliest([completedAt, end.seenAt])!
      : new Date(end.seenAt.getTime() + jobsAwaitedMilliseconds),
  };
}

type AttemptEnd = Pick<RunState, 'rawConclusion' | 'startedAt' | 'completedAt'> & { seenAt: Date };

/** By attempt; report by report, for what is known of the run speaks of its latest attempt only. */
function endsOf(
  before: RunHistory | null,
  reports: readonly ReceivedReport[],
): Map<number, AttemptEnd & { liveAt: Date | null }> {
  const ends = new Map<number, AttemptEnd & { liveAt: Date | null }>();
  let known: readonly ReportedRun[] = before ? reportsOfRun(before.run) : [];
  for (const report of reports) {
    const { attempt } = report;
    known = mergeRunReports(known, [report]);
    const end = endOf(factsOfRun(known), report);
    if (end)
      ends.set(attempt, { ...end, liveAt: latest([report.liveAt, ends.get(attempt)?.liveAt ?? null]) });
  }
  return ends;
}

/** What is known of the attempt's end: of an attempt that others have followed, the report alone knows it. */
function endOf(known: RunFacts, { attempt, state, observedAt }: RunReport): AttemptEnd | null {
  if (known.reportedAttempt !== attempt)
    return state?.status === 'completed' ? { ...state, seenAt: observedAt } : null;
  if (known.reportedStatus !== 'completed') return null;
  return {
    rawConclusion: known.reportedRawConclusion,
    startedAt: known.reportedStartedAt,
    completedAt: known.reportedCompletedAt,
    seenAt: known.reportedAt,
  };
}
