import type { Program } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import { recordEvents } from '../../events/outbox.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { usd } from '../../platform/lib/money.ts';
import { earliest, latest } from '../../platform/lib/time.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import {
  claimDueCompletions,
  findDueOrganizations,
  markAnnounced,
  removeAnnounced,
  type Completion,
  type DueCompletion,
} from './completion.queries.ts';
import { decideRun, mergeRunReports, reportsOfRun, type DecidedRun } from './decideFields.ts';
import type { CountedJob, ReportedRun, RunHistory } from './history.ts';
import { concludeRun, type ReceivedReport, type RunReport, type RunState } from './report.ts';

const jobsAwaitedMilliseconds = 60_000;
const newsMilliseconds = 24 * 3_600_000;

/**
 * Attempts that live reports completed less than 24 hours ago. An attempt ends only when the run ends, because more
 * jobs may follow. Its cost is final when all its jobs have ended, or a minute later.
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

/** Goes through the reports one by one, because the merged fields describe only the latest attempt. */
function endsOf(
  before: RunHistory | null,
  reports: readonly ReceivedReport[],
): Map<number, AttemptEnd & { liveAt: Date | null }> {
  const ends = new Map<number, AttemptEnd & { liveAt: Date | null }>();
  let known: readonly ReportedRun[] = before ? reportsOfRun(before.run) : [];
  for (const report of reports) {
    const { attempt } = report;
    known = mergeRunReports(known, [report]);
    const end = endOf(decideRun(known), report);
    if (end)
      ends.set(attempt, { ...end, liveAt: latest([report.liveAt, ends.get(attempt)?.liveAt ?? null]) });
  }
  return ends;
}

/** If a later attempt has followed, only the report itself has the end of its attempt. */
function endOf(known: DecidedRun, { attempt, state, observedAt }: RunReport): AttemptEnd | null {
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

const day = 86_400_000;
const keptMilliseconds = 30 * day;
const atOnce = 200;
const announced = 'workflow.completed';

type CompletionProgram = Pick<Program, 'db' | 'clock' | 'subscribers'>;

export function areAnnounced(
  tx: Transaction,
  { orgId, subscribers }: { orgId: string } & Pick<Program, 'subscribers'>,
): Promise<boolean> {
  return subscribers.isSubscribed(tx, orgId, announced);
}

/**
 * Announces each saved attempt with a final cost to webhooks, once. Its rows stay locked until the events are committed,
 * so it needs no lease. Returns whether there may be more.
 */
async function announceCompletions(program: CompletionProgram): Promise<boolean> {
  const now = program.clock.now();
  const organizations = await findDueOrganizations(program.db, now, atOnce);
  await oneByOne(organizations, (orgId) => announceCompletionsOf(program, orgId, now), {
    nameOf: (orgId) => ['runs', orgId],
    message: 'could not announce ended runs',
  });
  return organizations.length > 0;
}

async function announceCompletionsOf(
  { db, subscribers }: CompletionProgram,
  orgId: string,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const due = await claimDueCompletions(tx, { orgId, now, limit: atOnce });
    if (due.length === 0) return;
    await recordEvents(tx, { orgId, now, subscribers }, announced, due.map(dataOf));
    await markAnnounced(tx, orgId, due, now);
  });
}

async function pruneCompletions({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  return (await removeAnnounced(db, new Date(clock.now().getTime() - keptMilliseconds))) > 0;
}

function dataOf(completion: DueCompletion): EventData[typeof announced] {
  const { runId, attempt, conclusion, startedAt, completedAt, repository } = completion;
  const end = completion.lastJobCompletedAt ?? completedAt;
  const milliseconds = startedAt ? Math.max(0, end.getTime() - startedAt.getTime()) : 0;
  const [owner = '', name] = repository.split('/');
  return {
    run: {
      id: runId,
      workflow_id: completion.workflowId,
      workflow_name: completion.workflowName,
      repository: name ?? repository,
      organization: name === undefined ? '' : owner,
      status: conclusion,
      duration_minutes: Math.round(milliseconds / 600) / 100,
      cost: usd(completion.costNanos),
      started_at: startedAt,
      completed_at: completedAt,
      repository_full_name: repository,
      run_attempt: attempt,
      attempt_cost: usd(completion.attemptCostNanos),
    },
  };
}

export function completionPollers(program: Pick<Program, 'db' | 'clock' | 'subscribers'>): Poller[] {
  return [
    { name: 'announce completions', everyMilliseconds: 500, run: () => announceCompletions(program) },
    { name: 'prune completions', everyMilliseconds: 60_000, run: () => pruneCompletions(program) },
  ];
}
