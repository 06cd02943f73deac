import type { JobReport, RunReport } from '../../../ledger/runs/report.ts';
import {
  commitIn,
  filled,
  invalidPayload,
  isRepositoryPath,
  maxLabelLength,
  maxLabelCount,
  type Maybe,
  storableNumber,
  readTimes,
  repositoryPathOf,
  textIn,
} from '../payload.schema.ts';
import type { ProviderEvent } from '../provider.ts';
import { checkBuildPayload, checkJobPayload } from './payload.schema.ts';
import type { BuildPayload, JobPayload } from './payload.schema.ts';
import { unclustered } from './runners.ts';

/** https://buildkite.com/docs/apis/webhooks/pipelines */
export function readBuildkiteEvent(payload: unknown, receivedAt: Date): ProviderEvent {
  const name = textIn(payload, 'event') ?? 'unknown';
  switch (name) {
    case 'build.finished':
      return { name, kind: 'report', report: readBuild(checkBuildPayload(payload), receivedAt) };
    case 'job.finished':
      return { name, kind: 'report', report: readJob(checkJobPayload(payload), receivedAt) };
    case 'ping':
      return { name, kind: 'ping' };
    default:
      return { name, kind: 'ignored', reason: 'only finished builds and jobs are recorded' };
  }
}

const onlyAttempt = 1;

function readBuild({ build, pipeline }: BuildPayload, receivedAt: Date): RunReport {
  const times = readTimes('build', build, ['created_at', 'started_at', 'finished_at'], receivedAt);
  const observedAt = times.finished_at ?? times.started_at ?? times.created_at ?? receivedAt;
  // Buildkite sends the same event for a blocked build.
  const isWaiting = build.blocked === true || build.state === 'blocked';
  return {
    ...runOf(build, pipeline),
    observedAt,
    state: {
      status: isWaiting ? 'in_progress' : 'completed',
      rawConclusion: isWaiting ? null : conclusionOf(build.state, null),
      createdAt: times.created_at ?? observedAt,
      startedAt: times.started_at,
      completedAt: isWaiting ? null : times.finished_at,
    },
    jobs: [],
  };
}

function readJob({ build, pipeline, job }: JobPayload, receivedAt: Date): RunReport {
  const fields = ['created_at', 'runnable_at', 'started_at', 'finished_at'] as const;
  const times = readTimes('job', job, fields, receivedAt);
  const observedAt = times.finished_at ?? times.started_at ?? times.created_at ?? receivedAt;
  const labels = labelsOf(job);
  const report: JobReport = {
    jobId: job.id,
    attempt: onlyAttempt,
    name: nameOf(job),
    labels,
    runnerName: filled(job.agent?.name),
    runnerGroup: labels.find((label) => label.startsWith('queue='))?.slice('queue='.length) || null,
    status: 'completed',
    rawConclusion: conclusionOf(job.state, job.exit_status),
    // Before that, the job waits for other jobs.
    createdAt: times.runnable_at ?? times.created_at,
    startedAt: times.started_at,
    completedAt: times.finished_at,
    ran: hasRun(job),
    observedAt,
  };
  const ofBuild = readTimes('build', build, ['created_at', 'started_at'], receivedAt);
  return {
    ...runOf(build, pipeline),
    observedAt,
    state: {
      // Only finished jobs are reported, so jobs alone would make the build look finished.
      status: 'in_progress',
      rawConclusion: null,
      createdAt: ofBuild.created_at ?? times.created_at ?? observedAt,
      startedAt: ofBuild.started_at,
      completedAt: null,
    },
    jobs: [report],
  };
}

/** Query rules, the queue, and tags that a rule requires. Other tags differ between agents. */
function labelsOf({ agent_query_rules: rules, agent, cluster_id: cluster }: JobPayload['job']): string[] {
  const keys = new Set(['queue', ...(rules ?? []).filter((rule) => rule.includes('=')).map(keyOf)]);
  const found: unknown = agent?.meta_data;
  const tags = (Array.isArray(found) ? found : []).filter(
    (tag): tag is string => typeof tag === 'string' && tag.length <= maxLabelLength && keys.has(keyOf(tag)),
  );
  const labels = new Set([...(rules ?? []), ...tags.slice(0, maxLabelCount)]);
  return [...labels, ...(agent && cluster === null ? [unclustered] : [])];
}

function keyOf(tag: string): string {
  return tag.split('=', 1)[0]!;
}

/** Wait, block and trigger steps use no agent, and neither do jobs that end in the queue. */
function hasRun({ type, agent, started_at: startedAt }: JobPayload['job']): boolean | null {
  if ((type ?? 'script') !== 'script' || !startedAt) return false;
  return agent ? true : null;
}

function nameOf({ name, step_key: key, parallel_group_index: place }: JobPayload['job']): string | null {
  const known = filled(name) ?? filled(key);
  return known === null || typeof place !== 'number' ? known : `${known} ${place + 1}`;
}

function runOf(build: BuildPayload['build'], pipeline: BuildPayload['pipeline']) {
  return {
    provider: 'buildkite',
    runId: build.id,
    attempt: onlyAttempt,
    repository: repositoryOf(pipeline),
    isPrivate: null,
    workflowName: filled(pipeline.name) ?? filled(pipeline.slug),
    workflowPath: null,
    event: eventOf(build),
    branch: filled(build.branch),
    actor: filled(build.creator?.name),
    pullRequest: storableNumber(build.pull_request?.id),
    runNumber: storableNumber(build.number),
    // `HEAD` until an agent has read the branch.
    commit: build.commit === 'HEAD' ? null : commitIn(build.commit),
  };
}

/** As other providers name it if the repository's host sent the event; else Buildkite's source. */
function eventOf({ source, pull_request: pullRequest }: BuildPayload['build']): string | null {
  if (source !== 'webhook') return filled(source);
  return (pullRequest?.id ?? null) === null ? 'push' : 'pull_request';
}

/** The name at the repository's host; otherwise Buildkite's organization and pipeline. */
function repositoryOf({ repository, web_url: page }: BuildPayload['pipeline']): string {
  const path = repositoryPathOf(repository) ?? repositoryPathOf(page);
  if (path !== null) return path;
  if (isRepositoryPath(repository ?? '')) return repository!;
  throw invalidPayload([{ path: 'pipeline.repository', message: 'must be the address of a repository' }]);
}

const conclusions: ReadonlyMap<string, string> = new Map([
  ['passed', 'success'],
  ['failed', 'failure'],
  ['timed_out', 'timed_out'],
  ['canceled', 'cancelled'],
  ['expired', 'cancelled'],
  ['skipped', 'skipped'],
  ['broken', 'skipped'],
  ['not_run', 'skipped'],
]);

function conclusionOf(word: Maybe<string>, exitStatus: Maybe<number>): string | null {
  const known = conclusions.get(word ?? '');
  if (known !== undefined || typeof exitStatus !== 'number') return known ?? filled(word);
  return exitStatus === 0 ? 'success' : 'failure';
}
