import type { ChangeQuestion, CostChange } from '../../ledger/costs/change.ts';
import type { Parts } from '../../ledger/costs/changeParts.ts';
import type { NamedEvent } from '../../ledger/costs/whatChanged/firstJobs.ts';
import { eventParts } from '../../ledger/costs/whatChanged/words.ts';
import { usd } from '../../platform/lib/money.ts';
import { narrow, readableName } from './costsView.ts';

const maxJobs = 20;
type Figures = Parts & { costNanos: bigint; usualNanos: bigint };

export function eventView(question: ChangeQuestion, change: CostChange, event: NamedEvent) {
  const parts = eventParts(event, change);
  const runnerOf = (kind: string | null | undefined) =>
    kind === undefined ? null : { value: kind, name: readableName('runner', kind, change) };
  const described =
    event.type === 'jobs'
      ? jobsView(change, event)
      : {
          kind: 'price' as const,
          from: event.from,
          to: event.to,
          is_drift: false,
          over_since: null,
          is_lasting: true,
          last_ran_on: null,
          ...figuresView(priceFigures(event)),
          workflow: null,
          job_count: 0,
          jobs: [],
          minutes_per_job: null,
          previous_minutes_per_job: null,
          origin: null,
        };
  return {
    ...described,
    runner: event.type === 'jobs' ? runnerOf(event.runner) : null,
    previous_runner: event.type === 'jobs' ? runnerOf(event.previousRunner) : null,
    prices: (event.type === 'price' ? event.runners : []).map((each) => ({
      runner: runnerOf(each.runner)!,
      usd_per_minute: usd(each.nanosPerMinute),
      previous_usd_per_minute: usd(each.previousNanosPerMinute),
      change: usd(each.costNanos - each.usualNanos),
    })),
    sentence: parts.map(({ text }) => text).join(''),
    sentence_parts: parts,
    costs: costsPath(question, event, described),
  };
}

function jobsView({ workflows }: CostChange, event: Extract<NamedEvent, { type: 'jobs' }>) {
  const { span, absence, jobs, origin, firstJob, centiminutes } = event;
  const workflow = workflows.get(event.workflowId);
  return {
    kind: event.kind,
    from: span.from,
    to: span.to,
    is_drift: span.isDrift,
    over_since: span.overSince,
    is_lasting: span.isLasting,
    last_ran_on: absence?.isKnown ? absence.since : null,
    ...figuresView(event.figures),
    workflow: {
      id: event.workflowId,
      name: workflow?.name ?? null,
      repository: workflow?.repository ?? null,
    },
    job_count: jobs.length,
    jobs: jobs
      .slice(0, maxJobs)
      .map(({ name, kind, ...figures }) => ({ name, kind, ...figuresView(figures) })),
    minutes_per_job: centiminutes && Number(centiminutes.now) / 100,
    previous_minutes_per_job: centiminutes && Number(centiminutes.before) / 100,
    origin: origin && {
      by: origin.by,
      date: origin.day,
      pull_request: origin.pullRequest,
      branch: origin.branch,
      commit: firstJob?.commit ?? null,
      actor: origin.actor,
      run_id: firstJob?.runId ?? null,
    },
  };
}

function priceFigures({ costNanos, usualNanos }: NamedEvent): Figures {
  const priceNanos = costNanos - usualNanos;
  return { costNanos, usualNanos, volumeNanos: 0n, durationNanos: 0n, priceNanos, mixNanos: 0n };
}

function figuresView({ costNanos, usualNanos, ...parts }: Figures) {
  return {
    value: usd(costNanos),
    usual_value: usd(usualNanos),
    change: usd(costNanos - usualNanos),
    volume: usd(parts.volumeNanos),
    duration: usd(parts.durationNanos),
    price: usd(parts.priceNanos),
    mix: usd(parts.mixNanos),
  };
}

function costsPath(
  question: ChangeQuestion,
  event: NamedEvent,
  { from, to }: { from: string; to: string },
): string {
  const parameters = new URLSearchParams({ from, to });
  if (question.ownersOn) parameters.set('ownership', 'today');
  if (event.type === 'jobs') narrow(parameters, { ...question, groupBy: ['workflowId'] }, [event.workflowId]);
  else narrow(parameters, { ...question, groupBy: [] }, []);
  parameters.set('group_by', event.type === 'jobs' ? 'job' : 'runner');
  return `/api/v1/costs?${parameters.toString()}`;
}
