import type { JobReport, RunReport } from '../../../ledger/runs/report.ts';
import {
  commitIn,
  filled,
  isRepositoryPath,
  maxLabelLength,
  type Maybe,
  readTimes,
  repositoryPathOf,
  storableNumber,
  textIn,
} from '../payload.schema.ts';
import type { ProviderEvent } from '../provider.ts';
import { checkJobPayload, checkWorkflowPayload } from './payload.schema.ts';
import type { JobPayload, WorkflowPayload } from './payload.schema.ts';

/** https://circleci.com/docs/reference/outbound-webhooks-reference/ */
export function readCircleCiEvent(payload: unknown, receivedAt: Date): ProviderEvent {
  const name = textIn(payload, 'type') ?? 'unknown';
  switch (name) {
    case 'workflow-completed':
      return { name, kind: 'report', report: readWorkflow(checkWorkflowPayload(payload), receivedAt) };
    case 'job-completed':
      return { name, kind: 'report', report: readJob(checkJobPayload(payload), receivedAt) };
    case 'ping':
      return { name, kind: 'ping' };
    default:
      return { name, kind: 'ignored', reason: 'only completed workflows and jobs are recorded' };
  }
}

const onlyAttempt = 1;

function readWorkflow(payload: WorkflowPayload, receivedAt: Date): RunReport {
  const { workflow } = payload;
  const times = readTimes('workflow', workflow, ['created_at', 'stopped_at'], receivedAt);
  const { happened_at: happenedAt } = readTimes('', payload, ['happened_at'], receivedAt);
  const observedAt = times.stopped_at ?? happenedAt ?? receivedAt;
  return {
    ...runOf(payload),
    observedAt,
    state: {
      status: 'completed',
      rawConclusion: conclusionOf(workflow.status),
      createdAt: times.created_at ?? observedAt,
      startedAt: null,
      completedAt: times.stopped_at,
    },
    jobs: [],
  };
}

function readJob(payload: JobPayload, receivedAt: Date): RunReport {
  const { job, project } = payload;
  const times = readTimes('job', job, ['started_at', 'stopped_at'], receivedAt);
  const { happened_at: happenedAt } = readTimes('', payload, ['happened_at'], receivedAt);
  const observedAt = times.stopped_at ?? happenedAt ?? receivedAt;
  const report: JobReport = {
    jobId: job.id,
    attempt: onlyAttempt,
    name: job.name,
    // No event contains the resource class, but the usage data does, and a rule can match this label.
    labels: [labelOfJob(job.name)],
    runnerName: null,
    runnerGroup: project.slug,
    status: 'completed',
    rawConclusion: conclusionOf(job.status),
    createdAt: null,
    startedAt: times.started_at,
    completedAt: times.stopped_at,
    ran: job.status === 'unauthorized' || times.started_at === null ? false : null,
    observedAt,
  };
  const { created_at: createdAt } = readTimes('workflow', payload.workflow, ['created_at'], receivedAt);
  return {
    ...runOf(payload),
    observedAt,
    state: {
      // Only completed jobs are reported, so jobs alone would make the workflow look completed.
      status: 'in_progress',
      rawConclusion: null,
      createdAt: createdAt ?? times.started_at ?? observedAt,
      startedAt: null,
      completedAt: null,
    },
    jobs: [report],
  };
}

function runOf(payload: JobPayload | WorkflowPayload) {
  const { workflow, pipeline } = payload;
  const { vcs, trigger, trigger_parameters: parameters } = pipeline ?? {};
  const branch = filled(vcs?.branch) ?? filled(parameters?.git?.branch) ?? filled(parameters?.gitlab?.branch);
  const event = filled(parameters?.circleci?.event_type) ?? filled(trigger?.type);
  return {
    provider: providerOf(workflow.url),
    runId: workflow.id,
    attempt: onlyAttempt,
    repository: repositoryOf(payload),
    isPrivate: null,
    workflowName: filled(workflow.name),
    workflowPath: null,
    // CircleCI builds pushes, also for pull requests. Tags have no branch.
    event: event === 'webhook' && branch !== null ? 'push' : event,
    branch,
    // The commit's author may not have triggered the pipeline.
    actor: filled(parameters?.gitlab?.user_username),
    // Events do not contain it.
    pullRequest: null,
    runNumber: storableNumber(pipeline?.number),
    commit: commitIn(vcs?.revision ?? parameters?.git?.checkout_sha),
  };
}

/** The name at the repository's host; otherwise CircleCI's project. */
function repositoryOf({ project, organization, pipeline }: JobPayload | WorkflowPayload): string {
  const { vcs, trigger_parameters: parameters } = pipeline ?? {};
  const addresses = [vcs?.target_repository_url, parameters?.gitlab?.web_url, parameters?.git?.checkout_url];
  const [, ofSlug = ''] = /^(?:gh|github|bb|bitbucket)\/(.+)$/.exec(project.slug) ?? [];
  const named = `${organization?.name ?? ''}/${project.name ?? ''}`;
  const candidates = [...addresses.map((address) => repositoryPathOf(address) ?? ''), ofSlug, named];
  return candidates.find(isRepositoryPath) ?? project.slug;
}

export function labelOfJob(name: string): string {
  return `job:${name}`.slice(0, maxLabelLength);
}

function providerOf(address: Maybe<string>): string {
  const host = URL.parse(address ?? '')?.host || 'app.circleci.com';
  return host === 'app.circleci.com' || host === 'circleci.com' ? 'circleci' : `circleci.${host}`;
}

const conclusions: ReadonlyMap<string, string> = new Map([
  ['success', 'success'],
  ['failed', 'failure'],
  ['error', 'failure'],
  ['infrastructure_fail', 'failure'],
  ['timedout', 'timed_out'],
  ['canceled', 'cancelled'],
  ['unauthorized', 'cancelled'],
]);

export function conclusionOf(word: Maybe<string>): string | null {
  return conclusions.get(word ?? '') ?? filled(word);
}
