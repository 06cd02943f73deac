import type { EndedRun, ForkRun, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Completion } from './completion.queries.ts';
import { runIdOf, type RunHistory } from './history.ts';
import { hasRun } from './reading.queries.ts';
import type { ReceivedReport, RunReport } from './report.ts';

type Recorded = {
  completions: readonly Completion[];
  reports: readonly ReceivedReport[];
  after: ReadonlyMap<string, RunHistory>;
};

export async function announceEnded(
  tx: Transaction,
  { orgId, subscribers }: Pick<Program, 'subscribers'> & { orgId: string },
  { completions, reports, after }: Recorded,
): Promise<void> {
  const ends = new Map(completions.map(({ runId, attempt, dueAt }) => [`${runId}/${attempt}`, dueAt]));
  const ended = reports.flatMap((report) => {
    const at = ends.get(`${runIdOf(report)}/${report.attempt}`);
    return report.mayComment && at ? [{ report, at }] : [];
  });
  const ofPullRequests = ended.flatMap((each) => endedRun(each, after));
  if (ofPullRequests.length > 0) await subscribers.pullRequestRunsEnded(tx, orgId, ofPullRequests);
  const ofForks = ended.flatMap(forkRun);
  if (ofForks.length > 0) await subscribers.forkRunsEnded(tx, orgId, ofForks);
}

type Ended = { report: ReceivedReport; at: Date };

/**
 * Only a pull request that GitHub's own event names can get a new comment, because anyone with `runs:write` can
 * report the run. Other sources only update an existing comment.
 */
function endedRun({ report, at }: Ended, after: ReadonlyMap<string, RunHistory>): EndedRun[] {
  const { provider, repository, state } = report;
  const { run } = after.get(runIdOf(report))!;
  const isNamed = state?.status === 'completed' && report.pullRequest !== null;
  const pullRequest = isNamed ? report.pullRequest : run.pullRequest;
  if (pullRequest === null) return [];
  const head =
    isNamed && report.commit !== null ? { commit: report.commit, createdAt: state.createdAt } : null;
  return [{ provider, repository, pullRequest, head, at, isNamed }];
}

function forkRun({ report, at }: Ended): ForkRun[] {
  const { provider, repository, runId, commit, state, fork } = report;
  if (!fork || state?.status !== 'completed') return [];
  const { repository: headRepository, branch: headBranch, installationId } = fork;
  const head = { headRepository, headBranch, headSha: commit, installationId };
  return [{ provider, repository, runId, ...head, createdAt: state.createdAt, at }];
}

type Recording = { record: (orgId: string, reports: readonly RunReport[]) => Promise<unknown> };

type Named = Pick<RunReport, 'provider' | 'repository' | 'runId'> & { createdAt: Date };

/** Adds the pull request that GitHub's event did not name. A run that was deleted in the meantime stays deleted. */
export async function namePullRequest(
  { db, recorder }: Pick<Program, 'db'> & { recorder: Recording },
  orgId: string,
  { createdAt: observedAt, ...run }: Named,
  pullRequest: number,
): Promise<void> {
  if (!(await hasRun(db, orgId, runIdOf(run)))) return;
  const unsaid = {
    isPrivate: null,
    workflowName: null,
    workflowPath: null,
    event: null,
    branch: null,
    actor: null,
    runNumber: null,
    commit: null,
    state: null,
    jobs: [],
  };
  await recorder.record(orgId, [{ ...run, ...unsaid, attempt: 1, pullRequest, observedAt }]);
}
