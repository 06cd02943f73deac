import { PublicError } from '../../../platform/lib/errors.ts';

/** The spans of one resource, as far as they matter here; ids are lower-case hexadecimal, '' where there is none. */
export type OtlpResource = { attributes: Attributes; spans: OtlpSpan[] };

export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** Of the Unix epoch; 0 where it is not told. */
  startMilliseconds: number;
  endMilliseconds: number;
  /** 0 unset, 1 ok, 2 error. */
  statusCode: number;
  attributes: Attributes;
};

/** Those of `readAttributes` that are there; numbers and booleans as text. */
export type Attributes = ReadonlyMap<string, string | readonly string[]>;

/** Several times what a collector sends at once by default. */
const mostSpans = 50_000;

/** Counts spans as they are read, and refuses a request with too many before they fill the memory. */
export function spanCounter(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= mostSpans) return;
    const detail = `A request must hold at most ${mostSpans} spans: set a lower batch size in the exporter.`;
    throw new PublicError('invalid', 'too_many_spans', detail);
  };
}

/** The body cannot be read as what its content type says. */
export function unreadable(detail: string): PublicError {
  return new PublicError('invalid', 'invalid_otlp', `This is no OTLP request for traces: ${detail}.`);
}

/** All other attributes are skipped unread. */
export const readAttributes: ReadonlySet<string> = new Set([
  // https://opentelemetry.io/docs/specs/semconv/cicd/cicd-spans/ and its resources
  'cicd.pipeline.name',
  'cicd.pipeline.result',
  'cicd.pipeline.run.id',
  'cicd.pipeline.run.state',
  'cicd.pipeline.run.url.full',
  'cicd.pipeline.task.name',
  'cicd.pipeline.task.run.id',
  'cicd.pipeline.task.run.result',
  'cicd.pipeline.task.run.url.full',
  'cicd.worker.name',
  'vcs.owner.name',
  'vcs.provider.name',
  'vcs.ref.head.name',
  'vcs.repository.name',
  'vcs.repository.url.full',
  // The collector's receiver for GitHub
  'cicd.pipeline.file.path',
  'cicd.pipeline.run.previous_attempt.url.full',
  'cicd.pipeline.run.queue.duration',
  'cicd.pipeline.run.sender.login',
  'cicd.pipeline.run.status',
  'cicd.pipeline.run.task.status',
  'cicd.pipeline.worker.group.name',
  'cicd.pipeline.worker.labels',
  'cicd.pipeline.worker.name',
  'github.workflow.run.attempt',
  'vcs.ref.head',
  'vcs.repository.owner',
  'vcs.vendor.name',
  // The collector's receiver for GitLab
  'cicd.pipeline.run.actor.name',
  'cicd.worker.tags',
  'cicd.worker.type',
  'gitlab.pipeline.run.actor.username',
  'gitlab.pipeline.source',
  'vcs.repository.visibility',
  // Exporters that run as a step of a GitHub workflow
  'github.conclusion',
  'github.job.conclusion',
  'github.job.labels',
  'github.job.run_attempt',
  'github.job.runner_group_name',
  'github.job.runner_name',
  'github.run_attempt',
]);
