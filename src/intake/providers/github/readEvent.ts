import type { PullRequestReport } from '../../../ledger/pullRequests/pullRequests.ts';
import type { JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import {
  commitIn,
  filled,
  invalidPayload,
  type Maybe,
  storableNumber,
  readTimes,
} from '../payload.schema.ts';
import {
  checkJobPayload,
  checkListedPullRequest,
  checkPullRequestPayload,
  checkRunPayload,
} from './payload.schema.ts';
import type { JobPayload, PullRequestPayload, RunPayload } from './payload.schema.ts';

export type GitHubEvent =
  | { kind: 'report'; report: RunReport }
  | { kind: 'pull_request'; pullRequest: PullRequestReport }
  | { kind: 'ping' }
  | { kind: 'ignored'; reason: string };

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
export function readGitHubEvent(eventName: string, payload: unknown, receivedAt: Date): GitHubEvent {
  switch (eventName) {
    case 'workflow_run':
      return { kind: 'report', report: readRun(checkRunPayload(payload), receivedAt) };
    case 'workflow_job':
      return { kind: 'report', report: readJob(checkJobPayload(payload), receivedAt) };
    case 'pull_request': {
      const { repository, pull_request: said } = checkPullRequestPayload(payload);
      const named = { provider: providerOf(repository), repository: repository.full_name };
      return { kind: 'pull_request', pullRequest: { ...named, ...readPullRequest(said, receivedAt) } };
    }
    case 'ping':
      return { kind: 'ping' };
    default:
      return {
        kind: 'ignored',
        reason: 'only workflow_run, workflow_job and pull_request events are recorded',
      };
  }
}

function readRun(payload: RunPayload, receivedAt: Date): RunReport {
  const { workflow_run: run, workflow } = payload;
  const times = readTimes('workflow_run', run, ['created_at', 'run_started_at', 'updated_at'], receivedAt);
  const createdAt = times.created_at ?? times.run_started_at ?? times.updated_at ?? receivedAt;
  const status = statusOf(run.status, run.conclusion, payload.action);
  const fork = forkOf(payload);
  return {
    ...(fork && { fork }),
    provider: providerOf(payload.repository),
    runId: String(run.id),
    attempt: run.run_attempt ?? 1,
    repository: payload.repository.full_name,
    isPrivate: isPrivate(payload.repository),
    workflowName: filled(run.name) ?? filled(workflow?.name),
    workflowPath: pathWithoutRef(filled(run.path) ?? filled(workflow?.path)),
    event: filled(run.event),
    branch: filled(run.head_branch),
    ...actorsOf(payload),
    pullRequest: pullRequestOf(payload),
    runNumber: storableNumber(run.run_number),
    commit: commitIn(run.head_sha),
    observedAt: times.updated_at ?? createdAt,
    state: {
      status,
      rawConclusion: status === 'completed' ? filled(run.conclusion) : null,
      createdAt,
      startedAt: times.run_started_at,
      // GitHub reports no end of a run, and `updated_at` changes long after it.
      completedAt: null,
    },
    jobs: [],
  };
}

/** Old servers report no `triggering_actor`. Then the sender re-ran the run. */
function actorsOf({
  workflow_run: run,
  sender,
}: RunPayload): Pick<RunReport, 'actor' | 'startedBy' | 'bots'> {
  const startedBy = filled(run.actor?.login);
  const ofFirst = (run.run_attempt ?? 1) === 1 ? startedBy : null;
  const bots = [run.actor, run.triggering_actor, sender]
    .filter((user) => user?.type === 'Bot')
    .flatMap((user) => filled(user?.login) ?? []);
  return {
    actor: filled(run.triggering_actor?.login) ?? ofFirst ?? filled(sender?.login),
    startedBy,
    ...(bots.length > 0 && { bots: [...new Set(bots)] }),
  };
}

/** Of a list of GitHub's API, which says when it was merged, but not whether. */
export function readListedPullRequest(listed: unknown, receivedAt: Date): ReturnType<typeof readPullRequest> {
  return readPullRequest(checkListedPullRequest(listed), receivedAt);
}

function readPullRequest(
  said: PullRequestPayload['pull_request'],
  receivedAt: Date,
): Omit<PullRequestReport, 'provider' | 'repository'> {
  const names = ['created_at', 'updated_at', 'closed_at', 'merged_at'] as const;
  const times = readTimes('pull_request', said, names, receivedAt);
  const isOpen = said.state === 'open';
  if (!isOpen && said.state !== 'closed')
    throw invalidPayload([{ path: 'pull_request.state', message: 'must be open or closed' }]);
  const isMerged = said.merged === true || times.merged_at !== null;
  return {
    number: said.number,
    state: isOpen ? (said.draft === true ? 'draft' : 'open') : isMerged ? 'merged' : 'closed',
    title: filled(said.title),
    author: filled(said.user?.login),
    createdAt: times.created_at,
    endedAt: isOpen ? null : (times.merged_at ?? times.closed_at),
    observedAt: times.updated_at ?? receivedAt,
  };
}

/** GitHub lists all pull requests of the branch, also into forks, so others than its event's must fit. */
function pullRequestOf({ repository, workflow_run: run }: RunPayload): number | null {
  const here = (run.pull_requests ?? []).filter(({ base }) => {
    const target = base?.repo?.id ?? null;
    return target === null || target === (repository.id ?? target);
  });
  if (run.event === 'pull_request' || run.event === 'pull_request_target')
    return storableNumber(here[0]?.number);
  const ofBranch = here.filter(({ head }) => head?.ref && head.ref === run.head_branch);
  return ofBranch.length === 1 ? storableNumber(ofBranch[0]!.number) : null;
}

/** The fork of a run for a pull request from another repository, if an App's installation got the event. */
function forkOf({ repository, workflow_run: run, installation }: RunPayload): RunReport['fork'] | null {
  const [name, branch] = [filled(run.head_repository?.full_name), filled(run.head_branch)];
  const isOfPullRequest = run.event === 'pull_request' || run.event === 'pull_request_target';
  if (!isOfPullRequest || name === null || branch === null || name === repository.full_name) return null;
  if ((run.pull_requests ?? []).length > 0 || typeof installation?.id !== 'number') return null;
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name) || !/^[^\p{C}]{1,255}$/u.test(branch)) return null;
  return { repository: name, branch, installationId: String(installation.id) };
}

function readJob(payload: JobPayload, receivedAt: Date): RunReport {
  const job = jobOf(payload, receivedAt);
  const {
    run_id: runId,
    workflow_name: workflowName,
    head_branch: branch,
    head_sha: commit,
  } = payload.workflow_job;
  return {
    provider: providerOf(payload.repository),
    runId: String(runId),
    attempt: job.attempt,
    repository: payload.repository.full_name,
    isPrivate: isPrivate(payload.repository),
    workflowName: filled(workflowName),
    workflowPath: null,
    event: null,
    branch: filled(branch),
    // The sender of a job event may not have started the run.
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: commitIn(commit),
    observedAt: job.observedAt,
    state: null,
    jobs: [job],
  };
}

function jobOf({ workflow_job: job, action }: JobPayload, receivedAt: Date): JobReport {
  const times = readTimes('workflow_job', job, ['created_at', 'started_at', 'completed_at'], receivedAt);
  const status = statusOf(job.status, job.conclusion, action);
  const createdAt = times.created_at;
  // While a job waits, GitHub sends its creation time as `started_at`.
  const startedAt = status === 'queued' ? null : times.started_at;
  const completedAt = status === 'completed' ? times.completed_at : null;
  const conclusion = status === 'completed' ? filled(job.conclusion) : null;
  return {
    jobId: String(job.id),
    attempt: job.run_attempt ?? 1,
    name: filled(job.name),
    labels: job.labels ?? [],
    runnerName: filled(job.runner_name),
    runnerGroup: filled(job.runner_group_name),
    status,
    rawConclusion: conclusion,
    createdAt,
    startedAt,
    completedAt,
    ran: hasRun(job, status, startedAt),
    observedAt: completedAt ?? startedAt ?? createdAt ?? times.started_at ?? receivedAt,
    ...(status === 'queued' && [job.status, action].includes('waiting') && { awaitsApproval: true }),
  };
}

/** GitHub also sends skipped jobs, and jobs canceled in the queue, as completed, but without a runner. */
function hasRun(job: JobPayload['workflow_job'], status: Status, startedAt: Date | null): boolean | null {
  const runnerName = filled(job.runner_name);
  if (status === 'completed') {
    if (job.conclusion === 'skipped' || startedAt === null) return false;
    if (runnerName === null && (job.steps ?? []).length === 0) return false;
  }
  return runnerName === null ? null : true;
}

const knownStatuses: ReadonlyMap<string, Status> = new Map([
  ['requested', 'queued'],
  ['waiting', 'queued'],
  ['pending', 'queued'],
  ['queued', 'queued'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
]);

/** For an unknown status, a conclusion decides, then the action. Otherwise nothing has started. */
function statusOf(status: Maybe<string>, conclusion: Maybe<string>, action: Maybe<string>): Status {
  const known = knownStatuses.get(status ?? '');
  if (known !== undefined) return known;
  if (filled(conclusion) !== null) return 'completed';
  return knownStatuses.get(action ?? '') ?? 'queued';
}

/** Run ids are unique only per server. */
function providerOf({ html_url: address }: RunPayload['repository']): string {
  const host = URL.parse(address ?? '')?.host || 'github.com';
  return host === 'github.com' ? 'github' : `github.${host}`;
}

function isPrivate(repository: RunPayload['repository']): boolean | null {
  const { private: hidden, visibility } = repository;
  if (hidden === true || visibility === 'private' || visibility === 'internal') return true;
  return hidden === false || visibility === 'public' ? false : null;
}

/** `.github/workflows/build.yml@main` is the same file as without the ref. */
function pathWithoutRef(path: string | null): string | null {
  return path === null ? null : path.replace(/(\.ya?ml)@.*$/is, '$1');
}
