import type { PullRequestReport } from '../../../ledger/pullRequests/pullRequests.ts';
import type { JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import { latest } from '../../../platform/lib/time.ts';
import {
  commitIn,
  filled,
  invalidPayload,
  isRepositoryPath,
  type Maybe,
  storableNumber,
  readTimes,
  repositoryPathOf,
  textIn,
} from '../payload.schema.ts';
import { checkJobPayload, checkMergeRequestPayload, checkPipelinePayload } from './payload.schema.ts';
import type {
  JobPayload,
  MergeRequestPayload,
  PipelineJob,
  PipelinePayload,
  Runner,
  User,
} from './payload.schema.ts';

type GitLabEvent =
  | { kind: 'report'; report: RunReport }
  | { kind: 'pull_request'; pullRequest: PullRequestReport }
  | { kind: 'ignored'; reason: string };

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
export function readGitLabEvent(
  header: string | undefined,
  payload: unknown,
  receivedAt: Date,
): { kind: string; event: GitLabEvent } {
  const kind = textIn(payload, 'object_kind') ?? kindsByHeader.get(header ?? '') ?? 'unknown';
  const reported = (report: RunReport) => ({ kind, event: { kind: 'report', report } as const });
  switch (kind) {
    case 'build':
      return reported(readJob(checkJobPayload(payload), receivedAt));
    case 'pipeline':
      return reported(readPipeline(checkPipelinePayload(payload), receivedAt));
    case 'merge_request':
      return { kind, event: readMergeRequest(checkMergeRequestPayload(payload), receivedAt) };
    default:
      return {
        kind,
        event: { kind: 'ignored', reason: 'only job, pipeline and merge request events are recorded' },
      };
  }
}

const kindsByHeader: ReadonlyMap<string, string> = new Map([
  ['Job Hook', 'build'],
  ['Pipeline Hook', 'pipeline'],
  ['Merge Request Hook', 'merge_request'],
]);

const unnamedPipeline = 'pipeline';
/** A retry is another job. Pipeline events have no `retries_count`, so we cannot number attempts. */
const onlyAttempt = 1;

function readPipeline(payload: PipelinePayload, receivedAt: Date): RunReport {
  const { object_attributes: pipeline, project, user } = payload;
  const times = timesOf('object_attributes', pipeline, ['created_at', 'finished_at'], receivedAt);
  const { created_at: createdAt, finished_at: finishedAt } = times;
  const jobs = (payload.builds ?? []).map((job, index) => readPipelineJob(job, index, receivedAt));
  const status = statusOf(pipeline.status, null, finishedAt);
  const seenAt = latest([createdAt, ...jobs.map((job) => job.observedAt)]) ?? receivedAt;
  const observedAt = (status === 'completed' ? finishedAt : null) ?? seenAt;
  return {
    provider: providerOf(project.web_url),
    runId: String(pipeline.id),
    attempt: onlyAttempt,
    repository: project.path_with_namespace,
    isPrivate: isPrivate(project.visibility_level),
    workflowName: filled(pipeline.name) ?? unnamedPipeline,
    workflowPath: null,
    event: filled(pipeline.source),
    branch: filled(pipeline.ref),
    actor: nameOf(user),
    pullRequest: mergeRequestOf(payload),
    runNumber: storableNumber(pipeline.iid),
    commit: commitIn(pipeline.sha),
    observedAt,
    state: {
      status,
      rawConclusion: conclusionOf(status, pipeline.status),
      createdAt: createdAt ?? observedAt,
      startedAt: null,
      completedAt: status === 'completed' ? finishedAt : null,
    },
    jobs,
  };
}

/** A fork's pipeline has the merge request's number in the target project. */
function mergeRequestOf({ merge_request: request, project }: PipelinePayload): number | null {
  const target = request?.target_project_id ?? null;
  return target === null || target === (project.id ?? target) ? storableNumber(request?.iid) : null;
}

const mergeRequestStates = new Map([
  ['opened', 'open'],
  // While GitLab merges it.
  ['locked', 'open'],
  ['merged', 'merged'],
  ['closed', 'closed'],
] as const);

/** Events name neither the author, unless the person who acts is the author, nor when it was merged or closed. */
function readMergeRequest(
  { object_attributes: request, project, user }: MergeRequestPayload,
  receivedAt: Date,
): GitLabEvent {
  const times = timesOf('object_attributes', request, ['created_at', 'updated_at'], receivedAt);
  const state = mergeRequestStates.get(request.state as 'opened');
  if (!state)
    throw invalidPayload([
      { path: 'object_attributes.state', message: 'must be opened, locked, merged or closed' },
    ]);
  const isEnd = request.action === 'merge' || request.action === 'close';
  if (state !== 'open' && !isEnd)
    return { kind: 'ignored', reason: 'it changes a merge request that has ended' };
  const isDraft = request.draft ?? request.work_in_progress ?? false;
  const authorId = request.author_id ?? null;
  const observedAt = times.updated_at ?? receivedAt;
  return {
    kind: 'pull_request',
    pullRequest: {
      provider: providerOf(project.web_url),
      repository: project.path_with_namespace,
      number: request.iid,
      state: state === 'open' && isDraft ? 'draft' : state,
      title: filled(request.title),
      author: authorId !== null && authorId === user?.id ? nameOf(user) : null,
      createdAt: times.created_at,
      endedAt: state === 'open' ? null : observedAt,
      observedAt,
    },
  };
}

function readPipelineJob(job: PipelineJob, index: number, receivedAt: Date): JobReport {
  const times = timesOf(`builds.${index}`, job, ['created_at', 'started_at', 'finished_at'], receivedAt);
  return jobReport(
    { ...job, createdAt: times.created_at, startedAt: times.started_at, finishedAt: times.finished_at },
    receivedAt,
  );
}

function readJob(payload: JobPayload, receivedAt: Date): RunReport {
  const times = timesOf(
    '',
    {
      build_created_at: filled(payload.build_created_at) ?? payload.build_created_at_iso,
      build_started_at: filled(payload.build_started_at) ?? payload.build_started_at_iso,
      build_finished_at: filled(payload.build_finished_at) ?? payload.build_finished_at_iso,
    },
    ['build_created_at', 'build_started_at', 'build_finished_at'],
    receivedAt,
  );
  const job = jobReport(
    {
      id: payload.build_id,
      name: payload.build_name,
      status: payload.build_status,
      duration: payload.build_duration,
      runner: payload.runner,
      user: payload.user,
      createdAt: times.build_created_at,
      startedAt: times.build_started_at,
      finishedAt: times.build_finished_at,
    },
    receivedAt,
  );
  const { project, repository } = payload;
  return {
    provider: providerOf(project?.web_url ?? repository?.homepage),
    runId: String(payload.pipeline_id),
    attempt: onlyAttempt,
    repository: projectPathOf(payload),
    isPrivate: isPrivate(project?.visibility_level ?? repository?.visibility_level),
    workflowName: filled(payload.commit?.name) ?? unnamedPipeline,
    workflowPath: null,
    event: null,
    branch: filled(payload.ref),
    // The user of a job may not have started the pipeline.
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: commitIn(payload.sha),
    observedAt: job.observedAt,
    state: null,
    jobs: [job],
  };
}

/** How much rounding can change a time between two events. */
const maxRoundingMilliseconds = 1_500;

type Job = {
  id: number;
  name?: Maybe<string>;
  status?: Maybe<string>;
  duration?: Maybe<number>;
  runner?: Maybe<Runner>;
  user?: Maybe<User>;
  createdAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
};

function jobReport(job: Job, receivedAt: Date): JobReport {
  const { createdAt, runner } = job;
  const status = statusOf(job.status, job.startedAt, job.finishedAt);
  const completedAt = status === 'completed' ? job.finishedAt : null;
  const startedAt = status === 'queued' ? null : startOf(job, completedAt);
  const seenAt = completedAt ?? startedAt ?? createdAt ?? receivedAt;
  return {
    jobId: String(job.id),
    attempt: onlyAttempt,
    // A retry, and a manual job, belong to the person who started them.
    actor: nameOf(job.user),
    name: filled(job.name),
    labels: runner?.tags ?? [],
    runnerName: filled(runner?.description),
    runnerGroup: filled(runner?.runner_type) ?? (runner?.is_shared ? 'instance_type' : null),
    status,
    rawConclusion: conclusionOf(status, job.status),
    createdAt,
    startedAt,
    completedAt,
    ran: hasRun(job, status),
    // GitLab forgets removed runners, so reports from before the removal must win.
    observedAt: runner ? seenAt : new Date(seenAt.getTime() - maxRoundingMilliseconds),
    ...(job.status === 'manual' && { awaitsApproval: true }),
  };
}

function nameOf(user: Maybe<User>): string | null {
  return filled(user?.username) ?? filled(user?.name);
}

/** GitLab bills by `duration`, but rounds times differently in different events. */
function startOf({ startedAt, duration }: Job, completedAt: Date | null): Date | null {
  if (!startedAt || !completedAt || typeof duration !== 'number') return startedAt;
  const start = completedAt.getTime() - Math.round(duration * 1_000);
  return Math.abs(start - startedAt.getTime()) <= maxRoundingMilliseconds ? new Date(start) : startedAt;
}

/** Skipped jobs, jobs canceled in the queue and trigger jobs use no runner. */
function hasRun({ startedAt, runner }: Job, status: Status): boolean | null {
  if (status === 'completed' && (startedAt === null || runner === null)) return false;
  // Old servers do not report runners.
  return runner ? true : null;
}

const statuses: ReadonlyMap<string, Status> = new Map([
  ...['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending'].map(queued),
  // These wait for a person or a schedule.
  ...['manual', 'scheduled'].map(queued),
  ['running', 'in_progress'],
  ['canceling', 'in_progress'],
  ['success', 'completed'],
  ['failed', 'completed'],
  ['canceled', 'completed'],
  ['skipped', 'completed'],
]);

function queued(word: string): [string, Status] {
  return [word, 'queued'];
}

function statusOf(word: Maybe<string>, startedAt: Date | null, finishedAt: Date | null): Status {
  const known = statuses.get(word ?? '');
  if (known !== undefined) return known;
  if (finishedAt !== null) return 'completed';
  return startedAt === null ? 'queued' : 'in_progress';
}

const conclusions: ReadonlyMap<string, string> = new Map([
  ['success', 'success'],
  ['failed', 'failure'],
  ['canceled', 'cancelled'],
  ['skipped', 'skipped'],
]);

function conclusionOf(status: Status, word: Maybe<string>): string | null {
  return status === 'completed' ? (conclusions.get(word ?? '') ?? filled(word)) : null;
}

/** Pipeline ids are unique only per server. */
function providerOf(address: Maybe<string>): string {
  const host = URL.parse(address ?? '')?.host || 'gitlab.com';
  return host === 'gitlab.com' ? 'gitlab' : `gitlab.${host}`;
}

/** Old servers have the path only in an address; `project_name` contains titles. */
function projectPathOf({ project, repository, project_name: title }: JobPayload): string {
  if (project) return project.path_with_namespace;
  const titled = title?.replaceAll(' / ', '/') ?? '';
  const known = repositoryPathOf(repository?.homepage) ?? (isRepositoryPath(titled) ? titled : null);
  if (known) return known;
  throw invalidPayload([{ path: 'project.path_with_namespace', message: 'is required' }]);
}

/** 0 is private, 10 internal, 20 public. */
function isPrivate(visibilityLevel: Maybe<number>): boolean | null {
  return visibilityLevel === null || visibilityLevel === undefined ? null : visibilityLevel < 20;
}

/** GitLab sends some missing times as empty texts. */
function timesOf<Field extends string>(
  path: string,
  record: { [name in Field]?: Maybe<string> },
  fields: readonly Field[],
  receivedAt: Date,
): Record<Field, Date | null> {
  const texts = Object.fromEntries(fields.map((field) => [field, filled(record[field])]));
  return readTimes(path, texts as Record<Field, string | null>, fields, receivedAt);
}
