import type { JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import { invalidAt, PublicError } from '../../../platform/lib/errors.ts';
import { attemptOf, contextOf, originOf, refuseForeignId } from './origin.ts';
import {
  checked,
  checkedId,
  labelsOf,
  longestText,
  type OtlpResource,
  type OtlpSpan,
  type Seen,
  textOf,
  timesOf,
  attribute,
} from './spans.ts';

export type TracesReading = { reports: RunReport[]; rejected: number; reasons: string[] };

const maxReports = 20_000;

/** By the semantic conventions for CI/CD; ignores other spans. */
export function readTraces(resources: readonly OtlpResource[], receivedAt: Date): TracesReading {
  const trace = indexSpans(resources);
  const reports: RunReport[] = [];
  const reasons = new Set<string>();
  let rejected = 0;
  for (const seen of trace.all) {
    try {
      const report = readSpan(seen, trace, receivedAt);
      if (report) reports.push(report);
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      rejected += 1;
      reasons.add(error.message);
    }
    if (reports.length > maxReports)
      throw invalidAt(
        'resourceSpans',
        `must contain at most ${maxReports} runs and jobs: lower the batch size`,
      );
  }
  return { reports, rejected, reasons: [...reasons] };
}

type Trace = {
  all: Seen[];
  parentOf: (seen: Seen) => Seen | null;
  queuedUntil: (seen: Seen) => number | null;
};

function indexSpans(resources: readonly OtlpResource[]): Trace {
  const all = resources.flatMap(({ attributes, spans }) => {
    const own = new Set(spans.map(keyOf));
    return spans.map((span) => ({ span, resource: attributes, isTop: !own.has(parentKeyOf(span)) }));
  });
  const byKey = new Map(all.map((seen) => [keyOf(seen.span), seen]));
  const queues = new Map(all.filter(isQueue).map(({ span }) => [parentKeyOf(span), span.endMilliseconds]));
  return {
    all,
    parentOf: ({ span }) => (span.parentSpanId === '' ? null : (byKey.get(parentKeyOf(span)) ?? null)),
    queuedUntil: ({ span }) => queues.get(keyOf(span)) ?? null,
  };
}

const keyOf = ({ traceId, spanId }: OtlpSpan) => `${traceId}/${spanId}`;
const parentKeyOf = ({ traceId, parentSpanId }: OtlpSpan) => `${traceId}/${parentSpanId}`;
/** The collector's GitHub receiver reports the time in the queue as a span below the job's. */
const isQueue = ({ span }: Seen) => span.attributes.has('cicd.pipeline.run.queue.duration');

function readSpan(seen: Seen, trace: Trace, receivedAt: Date): RunReport | null {
  const taskId = taskIdOf(seen);
  const runId = taskId === null ? runIdOf(seen) : null;
  if (taskId === null && runId === null) return null;
  const ofRun = runId ?? givenRunIdOf(seen);
  // Spans below a job are its steps. Spans below a run that are not jobs are its stages.
  const isPartOfOther = ancestorsOf(seen, trace).some((each) => {
    const isSameRun = ofRun === null || givenRunIdOf(each) === ofRun;
    return isSameRun && (taskIdOf(each) !== null || (taskId === null && runIdOf(each) !== null));
  });
  if (isPartOfOther) return null;
  if (taskId !== null) return readJob(seen, taskId, trace, receivedAt);
  if (runId !== null) return readRun(seen, runId, receivedAt);
  return null;
}

/** Unchecked, so that a bad id rejects its own span, not the spans below it. */
function givenRunIdOf({ span, resource }: Seen): string | null {
  const keys = ['cicd.pipeline.run.id'];
  return textOf(span.attributes, keys) ?? textOf(resource, keys);
}

/** On a resource, the id may only mean that a program ran in the job, without saying how the job ended. */
function taskIdOf({ span, resource, isTop }: Seen): string | null {
  const own = textOf(span.attributes, ['cicd.pipeline.task.run.id']);
  if (own !== null || !isTop || isPart(span)) return own;
  const hasEnded = textOf(resource, [...taskResults, 'cicd.pipeline.run.status']) !== null;
  return hasEnded ? textOf(resource, ['cicd.pipeline.task.run.id']) : null;
}

function runIdOf({ span, resource, isTop }: Seen): string | null {
  if (isPart(span)) return null;
  const own = textOf(span.attributes, ['cicd.pipeline.run.id']);
  if (own !== null || !isTop || resource.has('cicd.pipeline.task.run.id')) return own;
  const hasEnded = textOf(resource, runResults) !== null || textOf(span.attributes, runResults) !== null;
  return hasEnded ? textOf(resource, ['cicd.pipeline.run.id']) : null;
}

function isPart({ attributes }: OtlpSpan): boolean {
  return attributes.has('cicd.pipeline.task.name') || attributes.has('cicd.pipeline.run.queue.duration');
}

const deepest = 32;

function ancestorsOf(seen: Seen, trace: Trace): Seen[] {
  const ancestors: Seen[] = [];
  for (let at = trace.parentOf(seen); at && ancestors.length < deepest; at = trace.parentOf(at))
    ancestors.push(at);
  return ancestors;
}

const runResults = ['cicd.pipeline.result', 'cicd.pipeline.run.status', 'cicd.pipeline.run.state'];
const taskResults = ['cicd.pipeline.task.run.result', 'cicd.pipeline.run.task.status'];

function readRun(seen: Seen, runId: string, receivedAt: Date): RunReport {
  const origin = originOf(seen, runId);
  const state = attribute(seen, ['cicd.pipeline.run.state']);
  const result = attribute(seen, ['cicd.pipeline.result', 'cicd.pipeline.run.status', 'github.conclusion']);
  const status: Status =
    result !== null
      ? 'completed'
      : state === 'pending'
        ? 'queued'
        : state === 'executing'
          ? 'in_progress'
          : 'completed';
  const { startedAt, endedAt } = timesOf(seen.span, receivedAt);
  return {
    ...origin,
    ...contextOf(seen),
    attempt: attemptOf(seen, origin),
    workflowName: attribute(seen, ['cicd.pipeline.name']),
    observedAt: endedAt,
    isTrace: true,
    state: {
      status,
      rawConclusion: status === 'completed' ? conclusionOf(result, seen.span) : null,
      createdAt: startedAt,
      startedAt: status === 'queued' ? null : startedAt,
      // GitHub reports no end of a run, and the span ends at `updated_at`.
      completedAt: status === 'completed' && !origin.provider.startsWith('github') ? endedAt : null,
    },
    jobs: [],
  };
}

function readJob(seen: Seen, taskId: string, trace: Trace, receivedAt: Date): RunReport {
  const runId =
    attribute(seen, ['cicd.pipeline.run.id']) ??
    ancestorsOf(seen, trace)
      .map(runIdOf)
      .find((id) => id !== null);
  const origin = originOf(seen, runId ?? null);
  refuseForeignId(origin.provider, taskId);
  const taskName = attribute(seen, ['cicd.pipeline.task.name']);
  const pipelineName = attribute(seen, ['cicd.pipeline.name']);
  const job = jobReport(
    seen,
    { jobId: checkedId('cicd.pipeline.task.run.id', taskId), name: taskName },
    trace,
    receivedAt,
  );
  const attempt = attemptOf(seen, origin);
  return {
    ...origin,
    ...contextOf(seen),
    attempt,
    // The collector's GitHub receiver sends a job's name as the pipeline's.
    workflowName: taskName === null ? null : pipelineName,
    actor: null,
    observedAt: job.observedAt,
    isTrace: true,
    state: null,
    jobs: [{ ...job, attempt }],
  };
}

function jobReport(
  seen: Seen,
  { jobId, name }: { jobId: string; name: string | null },
  trace: Trace,
  receivedAt: Date,
): JobReport {
  const { span } = seen;
  const { startedAt: spanStart, endedAt } = timesOf(span, receivedAt);
  const queuedUntil = trace.queuedUntil(seen);
  const result = attribute(seen, [...taskResults, 'github.job.conclusion', 'cicd.pipeline.run.status']);
  const rawConclusion = conclusionOf(result, span);
  const runnerNames = ['cicd.worker.name', 'cicd.pipeline.worker.name', 'github.job.runner_name'];
  const runnerName = attribute(seen, runnerNames);
  const isWithoutRunner = runnerNames.some(
    (key) => (span.attributes.get(key) ?? seen.resource.get(key)) === '',
  );
  return {
    jobId,
    attempt: 1,
    name: name ?? checked('name', span.name, longestText),
    labels: labelsOf(seen),
    runnerName,
    runnerGroup: attribute(seen, [
      'cicd.worker.type',
      'cicd.pipeline.worker.group.name',
      'github.job.runner_group_name',
    ]),
    status: 'completed',
    rawConclusion,
    createdAt: queuedUntil === null ? null : spanStart,
    startedAt: queuedUntil === null ? spanStart : new Date(Math.max(queuedUntil, spanStart.getTime())),
    completedAt: endedAt,
    ran: rawConclusion === 'skipped' || isWithoutRunner ? false : runnerName === null ? null : true,
    observedAt: endedAt,
  };
}

const conclusions: ReadonlyMap<string, string> = new Map([
  ['failed', 'failure'],
  ['error', 'failure'],
  ['timeout', 'timed_out'],
  ['cancellation', 'cancelled'],
  ['canceled', 'cancelled'],
  ['skip', 'skipped'],
]);

/** Without a result, the span's status decides. By the conventions, only errors set it. */
function conclusionOf(result: string | null, { statusCode }: OtlpSpan): string {
  const word = (result ?? (statusCode === 2 ? 'failure' : 'success')).toLowerCase();
  return conclusions.get(word) ?? word;
}
