import type { JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import { latest } from '../../../platform/lib/time.ts';
import {
  filled,
  invalidPayload,
  isRepositoryPath,
  type Maybe,
  readTimes,
  repositoryPathOf,
  textIn,
} from '../payload.schema.ts';
import { checkJobPayload, checkPipelinePayload } from './payload.schema.ts';
import type { JobPayload, PipelineJob, PipelinePayload, Runner } from './payload.schema.ts';

type GitLabEvent = { kind: 'report'; report: RunReport } | { kind: 'ignored'; reason: string };

/**
 * Reads one GitLab webhook by the body's `object_kind`, or by the `X-Gitlab-Event` header where the body does not say;
 * `payload` is the parsed body. Throws `PublicError` (code `invalid_payload`, naming each field) for a "Job Hook" or
 * "Pipeline Hook" that lacks what recording needs.
 * https://docs.gitlab.com/user/project/integrations/webhook_events/
 */
export function readGitLabEvent(
  header: string | undefined,
  payload: unknown,
  receivedAt: Date,
): { kind: string; event: GitLabEvent } {
  const kind = textIn(payload, 'object_kind') ?? kindsByHeader.get(header ?? '') ?? null;
  switch (kind) {
    case 'build':
      return { kind, event: { kind: 'report', report: readJob(checkJobPayload(payload), receivedAt) } };
    case 'pipeline':
      return {
        kind,
        event: { kind: 'report', report: readPipeline(checkPipelinePayload(payload), receivedAt) },
      };
    default:
      return {
        kind: kind ?? 'unknown',
        event: { kind: 'ignored', reason: 'only job and pipeline events are recorded' },
      };
  }
}

const kindsByHeader: ReadonlyMap<string, string> = new Map([
  ['Job Hook', 'build'],
  ['Pipeline Hook', 'pipeline'],
]);

/** What a pipeline without a name of its own is called, as GitLab does. */
const unnamedPipeline = 'pipeline';
/**
 * A retried job is a new job, with an id of its own, of the same pipeline, so a pipeline has a single attempt.
 * `retries_count` cannot tell attempts apart: pipeline events leave it out.
 */
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
    actor: filled(user?.username) ?? filled(user?.name),
    observedAt,
    state: {
      status,
      rawConclusion: conclusionOf(status, pipeline.status),
      createdAt: createdAt ?? observedAt,
      // Not told: the first job's start is taken.
      startedAt: null,
      completedAt: status === 'completed' ? finishedAt : null,
    },
    jobs,
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
    // Whoever runs or retries a job is not always who started the pipeline.
    actor: null,
    observedAt: job.observedAt,
    state: null,
    jobs: [job],
  };
}

/** By how much two events can differ in one time, as they round it. */
const mostRoundingMilliseconds = 1_500;

type Job = {
  id: number;
  name?: Maybe<string>;
  status?: Maybe<string>;
  duration?: Maybe<number>;
  runner?: Maybe<Runner>;
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
    // GitLab forgets a runner that was taken away: then what was told while it was there must count for more.
    observedAt: runner ? seenAt : new Date(seenAt.getTime() - mostRoundingMilliseconds),
  };
}

/**
 * GitLab bills by `duration`, and writes times to the second in some events and to the millisecond in others. By the
 * duration a job costs the same whichever event tells it.
 */
function startOf({ startedAt, duration }: Job, completedAt: Date | null): Date | null {
  if (!startedAt || !completedAt || typeof duration !== 'number') return startedAt;
  const start = completedAt.getTime() - Math.round(duration * 1_000);
  return Math.abs(start - startedAt.getTime()) <= mostRoundingMilliseconds ? new Date(start) : startedAt;
}

/** Jobs that were skipped, canceled before a runner came, or only trigger another pipeline took no runner. */
function hasRun({ startedAt, runner }: Job, status: Status): boolean | null {
  if (status === 'completed' && (startedAt === null || runner === null)) return false;
  // Old servers do not tell of runners at all.
  return runner ? true : null;
}

const statuses: ReadonlyMap<string, Status> = new Map([
  ...['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending'].map(queued),
  // A person has to start it, or it has its time.
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

/** A status word we do not know counts as what the times tell. */
function statusOf(word: Maybe<string>, startedAt: Date | null, finishedAt: Date | null): Status {
  const known = statuses.get(word ?? '');
  if (known !== undefined) return known;
  if (finishedAt !== null) return 'completed';
  return startedAt === null ? 'queued' : 'in_progress';
}

/** The conclusion in the words that all providers share. */
const conclusions: ReadonlyMap<string, string> = new Map([
  ['success', 'success'],
  ['failed', 'failure'],
  ['canceled', 'cancelled'],
  ['skipped', 'skipped'],
]);

function conclusionOf(status: Status, word: Maybe<string>): string | null {
  return status === 'completed' ? (conclusions.get(word ?? '') ?? filled(word)) : null;
}

/** Pipeline ids are unique on gitlab.com and on each server of one's own, but not over them all. */
function providerOf(address: Maybe<string>): string {
  const host = URL.parse(address ?? '')?.host || 'gitlab.com';
  return host === 'gitlab.com' ? 'gitlab' : `gitlab.${host}`;
}

/** `group/subgroup/project`; old servers tell it in the project's address alone, `project_name` holds titles. */
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

/** As `readTimes`; GitLab writes some times that it does not have as empty texts. */
function timesOf<Field extends string>(
  path: string,
  record: { [name in Field]?: Maybe<string> },
  fields: readonly Field[],
  receivedAt: Date,
): Record<Field, Date | null> {
  const texts = Object.fromEntries(fields.map((field) => [field, filled(record[field])]));
  return readTimes(path, texts as Record<Field, string | null>, fields, receivedAt);
}
