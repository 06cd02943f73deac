import type { JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import { invalid, PublicError } from '../../../platform/lib/errors.ts';
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
  told,
} from './spans.ts';

/** `rejected` spans told of a run or job that cannot be recorded; `reasons` says why, each once. */
export type TracesReading = { reports: RunReport[]; rejected: number; reasons: string[] };

/** What the database takes in about a second. */
const mostReports = 20_000;

/**
 * The runs and jobs that spans tell of, by the semantic conventions for CI/CD. Spans about anything else are passed
 * over: a collector sends whatever it has. Throws `PublicError` where there are too many runs and jobs.
 */
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
    if (reports.length > mostReports)
      throw invalid(
        'resourceSpans',
        `must tell of at most ${mostReports} runs and jobs: lower the batch size`,
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
/** The collector's receiver for GitHub tells the time in the queue as a span below the job's. */
const isQueue = ({ span }: Seen) => span.attributes.has('cicd.pipeline.run.queue.duration');

function readSpan(seen: Seen, trace: Trace, receivedAt: Date): RunReport | null {
  const taskId = taskIdOf(seen);
  const runId = taskId === null ? runIdOf(seen) : null;
  if (taskId === null && runId === null) return null;
  const ofRun = runId ?? givenRunIdOf(seen);
  // What is below a job is one of its steps, and what is below a run without being a job is one of its stages.
  const isPartOfOther = ancestorsOf(seen, trace).some((each) => {
    const isSameRun = ofRun === null || givenRunIdOf(each) === ofRun;
    return isSameRun && (taskIdOf(each) !== null || (taskId === null && runIdOf(each) !== null));
  });
  if (isPartOfOther) return null;
  if (taskId !== null) return readJob(seen, taskId, trace, receivedAt);
  if (runId !== null) return readRun(seen, runId, receivedAt);
  return null;
}

/** Unchecked: an id that cannot be recorded costs its own span alone, and none of those below it. */
function givenRunIdOf({ span, resource }: Seen): string | null {
  const keys = ['cicd.pipeline.run.id'];
  return textOf(span.attributes, keys) ?? textOf(resource, keys);
}

/**
 * The id of the job that a span tells of. On a resource it may also be there because programs run in that job: then
 * nothing says how the job ended.
 */
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

/** A step, or the time in the queue. */
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
  const state = told(seen, ['cicd.pipeline.run.state']);
  const result = told(seen, ['cicd.pipeline.result', 'cicd.pipeline.run.status', 'github.conclusion']);
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
    workflowName: told(seen, ['cicd.pipeline.name']),
    observedAt: endedAt,
    isTrace: true,
    state: {
      status,
      rawConclusion: status === 'completed' ? conclusionOf(result, seen.span) : null,
      createdAt: startedAt,
      startedAt: status === 'queued' ? null : startedAt,
      // GitHub tells no end of a run, neither here nor by its webhooks: `updated_at` stands in the span's place.
      completedAt: status === 'completed' && !origin.provider.startsWith('github') ? endedAt : null,
    },
    jobs: [],
  };
}

function readJob(seen: Seen, taskId: string, trace: Trace, receivedAt: Date): RunReport {
  const runId =
    told(seen, ['cicd.pipeline.run.id']) ??
    ancestorsOf(seen, trace)
      .map(runIdOf)
      .find((id) => id !== null);
  const origin = originOf(seen, runId ?? null);
  refuseForeignId(origin.provider, taskId);
  const taskName = told(seen, ['cicd.pipeline.task.name']);
  const pipelineName = told(seen, ['cicd.pipeline.name']);
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
    // The collector's receiver for GitHub gives a job's name as the pipeline's.
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
  const result = told(seen, [...taskResults, 'github.job.conclusion', 'cicd.pipeline.run.status']);
  const rawConclusion = conclusionOf(result, span);
  const runnerNames = ['cicd.worker.name', 'cicd.pipeline.worker.name', 'github.job.runner_name'];
  const runnerName = told(seen, runnerNames);
  const isWithoutRunner = runnerNames.some(
    (key) => (span.attributes.get(key) ?? seen.resource.get(key)) === '',
  );
  return {
    jobId,
    attempt: 1,
    name: name ?? checked('name', span.name, longestText),
    labels: labelsOf(seen),
    runnerName,
    runnerGroup: told(seen, [
      'cicd.worker.type',
      'cicd.pipeline.worker.group.name',
      'github.job.runner_group_name',
    ]),
    status: 'completed',
    rawConclusion,
    createdAt: queuedUntil === null ? null : spanStart,
    // A span that begins with the waiting has the waiting as a span below it, up to the real start.
    startedAt: queuedUntil === null ? spanStart : new Date(Math.max(queuedUntil, spanStart.getTime())),
    completedAt: endedAt,
    ran: rawConclusion === 'skipped' || isWithoutRunner ? false : runnerName === null ? null : true,
    observedAt: endedAt,
  };
}

/** In the words that all providers' conclusions are told in; GitHub's and GitLab's own are seen as well. */
const conclusions: ReadonlyMap<string, string> = new Map([
  ['failed', 'failure'],
  ['error', 'failure'],
  ['timeout', 'timed_out'],
  ['cancellation', 'cancelled'],
  ['canceled', 'cancelled'],
  ['skip', 'skipped'],
]);

/** Where no attribute says how it ended, the span's status does: by the conventions, it is set for errors alone. */
function conclusionOf(result: string | null, { statusCode }: OtlpSpan): string {
  const word = (result ?? (statusCode === 2 ? 'failure' : 'success')).toLowerCase();
  return conclusions.get(word) ?? word;
}
