/** One run as known senders report it. The ids and times are those of `gitHubRun` and `gitHubJob`. */
import type { Attributes, Resource } from './otlp.ts';

const runUrl = 'https://github.com/octo-org/octo-repo/actions/runs/7000000001';
/** The ids that the collector's GitHub receiver derives from run 7000000001 and its attempts. */
export const firstAttemptTrace = '5f0f7001ef072159c07cd675f7d9fb8b';
export const secondAttemptTrace = '40a737326c0de4e768231be1976d09cd';
const runSpan = 'aba151af7cfbcf0f';
const jobSpan = 'e68a36b3514c8634';
const queueSpan = 'd328504edfc4f5dc';

const receiverResource: Attributes = {
  'service.name': 'octo-repo',
  'vcs.repository.name': 'octo-repo',
  'vcs.provider.name': 'github',
  'vcs.ref.head': 'main',
  'vcs.ref.type': 'branch',
  'vcs.ref.head.revision': '6077d805b0fc49f65e6dbaefc2d1fc9b4f92aa4e',
};

/** The collector's GitHub receiver, for a completed `workflow_run`. */
export function receiverRun(traceId: string, attributes: Attributes = {}): Resource {
  return {
    attributes: {
      ...receiverResource,
      'cicd.pipeline.name': 'Build',
      'cicd.pipeline.run.sender.login': 'mona',
      'cicd.pipeline.run.url.full': runUrl,
      'cicd.pipeline.run.id': 7_000_000_001,
      'cicd.pipeline.run.status': 'success',
      ...attributes,
    },
    spans: [
      {
        name: 'Build',
        traceId,
        spanId: runSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:01:10Z',
        status: 1,
      },
    ],
  };
}

/**
 * The same for a completed `workflow_job`. The job's span starts when the job was created, the pipeline's attribute has its
 * name, only the address has the run, and the steps are children of the queue's span.
 */
export function receiverJob(traceId: string, attributes: Attributes = {}): Resource {
  return {
    attributes: {
      ...receiverResource,
      'cicd.pipeline.worker.id': 5,
      'cicd.pipeline.worker.group.id': 2,
      'cicd.pipeline.worker.name': 'GitHub Actions 5',
      'cicd.pipeline.worker.group.name': 'GitHub Actions',
      'cicd.pipeline.worker.node.id': 'CR_kwDOJKXdfM8AAAAJeQ3FOg',
      'cicd.pipeline.worker.labels': ['ubuntu-latest'],
      'cicd.pipeline.name': 'test',
      'cicd.pipeline.task.run.sender.login': 'mona',
      'cicd.pipeline.task.run.url.full': `${runUrl}/job/8000000001`,
      'cicd.pipeline.task.run.id': 8_000_000_001,
      'cicd.pipeline.run.task.status': 'success',
      ...attributes,
    },
    spans: [
      {
        name: 'test',
        traceId,
        spanId: jobSpan,
        parentSpanId: runSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:01:05Z',
        status: 1,
      },
      {
        name: 'queue-test',
        traceId,
        spanId: queueSpan,
        parentSpanId: jobSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:00:05Z',
        attributes: { 'cicd.pipeline.run.queue.duration': 5e9 + 0.5 },
      },
      ...['Set up job', 'Complete job'].map((name, index) => ({
        name,
        traceId,
        spanId: `103b52e85d34ae1${index}`,
        parentSpanId: queueSpan,
        start: '2026-11-20T10:00:05Z',
        end: '2026-11-20T10:01:05Z',
        status: 1,
        attributes: { 'cicd.pipeline.task.name': name, 'cicd.pipeline.run.task.status': 'success' },
      })),
    ],
  };
}

/** The semantic conventions: one trace with a run, a job and a step. */
export function conventionsTrace(run: Attributes = {}, task: Attributes = {}): Resource {
  return {
    attributes: {
      'service.name': 'ci',
      'vcs.repository.url.full': 'https://git.acme.example/acme/api.git',
      'vcs.ref.head.name': 'main',
    },
    spans: [
      {
        name: 'RUN release',
        spanId: runSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:05:00Z',
        attributes: {
          'cicd.pipeline.name': 'release',
          'cicd.pipeline.run.id': 'r-42',
          'cicd.pipeline.result': 'success',
          'cicd.pipeline.run.url.full': 'https://ci.acme.example/r/42',
          ...run,
        },
      },
      {
        name: 'compile',
        spanId: jobSpan,
        parentSpanId: runSpan,
        start: '2026-11-20T10:01:00Z',
        end: '2026-11-20T10:03:00Z',
        attributes: {
          'cicd.pipeline.name': 'release',
          'cicd.pipeline.run.id': 'r-42',
          'cicd.pipeline.task.name': 'compile',
          'cicd.pipeline.task.run.id': 't-1',
          'cicd.pipeline.task.run.result': 'success',
          'cicd.pipeline.task.run.url.full': 'https://ci.acme.example/r/42/t/1',
          'cicd.worker.name': 'box-7',
          ...task,
        },
      },
      {
        name: 'make',
        spanId: queueSpan,
        parentSpanId: jobSpan,
        start: '2026-11-20T10:01:30Z',
        end: '2026-11-20T10:02:00Z',
        attributes: { 'cicd.pipeline.task.name': 'make', 'cicd.pipeline.task.run.id': 't-1-1' },
      },
    ],
  };
}

/** The collector's GitLab receiver. The resource has the pipeline, and each job is a span below its stage. */
export function gitLabReceiverTrace(): Resource {
  return {
    attributes: {
      'service.name': 'acme/backend/api',
      'vcs.provider.name': 'gitlab',
      'vcs.repository.name': 'api',
      'vcs.repository.url.full': 'https://gitlab.com/acme/backend/api',
      'vcs.repository.visibility': 'private',
      'cicd.pipeline.name': 'Nightly',
      'cicd.pipeline.result': 'success',
      'cicd.pipeline.run.id': 5_001,
      'cicd.pipeline.run.url.full': 'https://gitlab.com/acme/backend/api/-/pipelines/5001',
      'gitlab.pipeline.run.actor.username': 'mona',
    },
    spans: [
      {
        name: 'Nightly',
        spanId: runSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:02:01Z',
        attributes: { 'gitlab.pipeline.source': 'schedule' },
      },
      {
        name: 'test',
        spanId: queueSpan,
        parentSpanId: runSpan,
        start: '2026-11-20T10:00:30Z',
        end: '2026-11-20T10:02:00Z',
      },
      {
        name: 'test',
        spanId: jobSpan,
        parentSpanId: queueSpan,
        start: '2026-11-20T10:00:30Z',
        end: '2026-11-20T10:02:00Z',
        attributes: {
          'cicd.pipeline.task.name': 'test',
          'cicd.pipeline.task.run.id': 9_001,
          'cicd.pipeline.task.run.result': 'success',
          'cicd.pipeline.task.run.url.full': 'https://gitlab.com/acme/backend/api/-/jobs/9001',
          'cicd.worker.id': 12_270_857,
          'cicd.worker.name': 'blue-3.saas-linux-small-amd64.runners-manager.gitlab.com/default',
          'cicd.worker.tags': ['saas-linux-small-amd64', 'gitlab-org', 'docker', 'linux'],
          'cicd.worker.type': 'instance_type',
          'cicd.worker.shared': true,
        },
      },
    ],
  };
}

/** An action that exports its workflow. It sends no provider, all labels in one text, and steps without job attributes. */
export function actionTrace(): Resource {
  return {
    attributes: { 'service.name': 'Build', 'service.namespace': 'octo-org/octo-repo' },
    spans: [
      {
        name: 'Build',
        spanId: runSpan,
        start: '2026-11-20T10:00:00Z',
        end: '2026-11-20T10:01:10Z',
        status: 1,
        attributes: {
          'cicd.pipeline.name': 'Build',
          'cicd.pipeline.run.id': 7_000_000_001,
          'cicd.pipeline.run.url.full': runUrl,
          'github.run_attempt': 2,
          'github.conclusion': 'success',
        },
      },
      {
        name: 'test',
        spanId: jobSpan,
        parentSpanId: runSpan,
        start: '2026-11-20T10:00:05Z',
        end: '2026-11-20T10:01:05Z',
        status: 2,
        attributes: {
          'cicd.pipeline.task.name': 'test',
          'cicd.pipeline.task.run.id': 8_000_000_001,
          'cicd.pipeline.task.run.url.full': `${runUrl}/job/8000000001`,
          'cicd.pipeline.task.type': 'test',
          'github.job.run_attempt': 2,
          'github.job.conclusion': 'timed_out',
          'github.job.labels': 'ubuntu-latest, big',
          'github.job.runner_name': 'GitHub Actions 5',
          'github.job.runner_group_name': 'GitHub Actions',
          error: false,
        },
      },
      {
        name: 'Run make',
        spanId: queueSpan,
        parentSpanId: jobSpan,
        start: '2026-11-20T10:00:06Z',
        end: '2026-11-20T10:01:04Z',
        attributes: { 'github.job.step.name': 'Run make', 'github.conclusion': 'success' },
      },
    ],
  };
}
