import { invalidAt, PublicError } from '../../../platform/lib/errors.ts';
import { faultOfName, isStorable } from '../../../platform/lib/text.ts';
import { plausibleTime } from '../payload.schema.ts';

/** Ids are lower-case hexadecimal, and '' if absent. */
export type OtlpResource = { attributes: Attributes; spans: OtlpSpan[] };

export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  startMilliseconds: number;
  endMilliseconds: number;
  statusCode: number;
  attributes: Attributes;
};

/** Contains only the names in `readAttributes`, with numbers and booleans as text. */
export type Attributes = ReadonlyMap<string, string | readonly string[]>;

/** Several times the default batch of a collector. */
const maxSpans = 50_000;

/** Refuses a request with too many spans before they fill the memory. */
export function spanCounter(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= maxSpans) return;
    const detail = `A request must hold at most ${maxSpans} spans: set a lower batch size in the exporter.`;
    throw new PublicError('invalid', 'too_many_spans', detail);
  };
}

export function unreadable(detail: string): PublicError {
  return new PublicError('invalid', 'invalid_otlp', `This is not an OTLP request for traces: ${detail}.`);
}

export const readAttributes: ReadonlySet<string> = new Set([
  // https://opentelemetry.io/docs/specs/semconv/cicd/cicd-spans/
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
  'vcs.change.id',
  'vcs.ref.head.revision',
  'vcs.owner.name',
  'vcs.provider.name',
  'vcs.ref.head.name',
  'vcs.repository.name',
  'vcs.repository.url.full',
  // The collector's GitHub receiver
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
  // The collector's GitLab receiver
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

export const longestText = 1_024;
const longestId = 200;

/** `isTop` means that its parent is not in the same resource. */
export type Seen = { span: OtlpSpan; resource: Attributes; isTop: boolean };

export function attribute({ span, resource }: Seen, keys: readonly string[]): string | null {
  for (const key of keys) {
    const text = textOf(span.attributes, [key]) ?? textOf(resource, [key]);
    if (text !== null) return checked(key, text, longestText);
  }
  return null;
}

export function textOf(attributes: Attributes, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = attributes.get(key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

export function checked(field: string, text: string, longest: number): string {
  if (text.length > longest) throw invalidAt(field, `must have at most ${longest} characters`);
  return text;
}

/** Throws `PublicError` for an invalid id, because replacing characters could make two ids equal. */
export function checkedId(field: string, text: string): string {
  const fault = isStorable(text)
    ? faultOfName(text)
    : 'must contain neither U+0000 nor half of a surrogate pair';
  if (fault) throw invalidAt(field, fault);
  return checked(field, text, longestId);
}

const longestLabel = 255;

const maxLabels = 100;

export function labelsOf({ span, resource }: Seen): string[] {
  const keys = ['cicd.worker.tags', 'cicd.pipeline.worker.labels', 'github.job.labels'];
  const given = keys
    .map((key) => span.attributes.get(key) ?? resource.get(key))
    .find((each) => each !== undefined);
  const labels = (typeof given === 'string' ? given.split(',') : (given ?? []))
    .map((label) => label.trim())
    .filter((label) => label !== '');
  if (labels.length > maxLabels) throw invalidAt('labels', `must be at most ${maxLabels}`);
  return labels.map((label) => checked('labels', label, longestLabel));
}

const longestMilliseconds = 35 * 24 * 3_600_000;

export function timesOf({ startMilliseconds, endMilliseconds }: OtlpSpan, receivedAt: Date) {
  const startedAt = timeOf('startTimeUnixNano', startMilliseconds, receivedAt);
  const endedAt = timeOf('endTimeUnixNano', endMilliseconds, receivedAt);
  if (endMilliseconds - startMilliseconds > longestMilliseconds) {
    throw invalidAt('endTimeUnixNano', 'must be at most 35 days after startTimeUnixNano');
  }
  return { startedAt, endedAt };
}

function timeOf(field: string, milliseconds: number, receivedAt: Date): Date {
  const time = plausibleTime(milliseconds, receivedAt);
  if (time === null) throw invalidAt(field, 'must not be before the year 2000');
  if (typeof time === 'string') throw invalidAt(field, time);
  return time;
}
