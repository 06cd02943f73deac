import { usd } from '../../platform/lib/money.ts';
import type { Amount, Estimate, EstimatedJob } from './estimate.ts';
import { estimateMarkdown } from './markdown.ts';

export function estimateView(estimate: Estimate) {
  const { repository, provider, days, period, recordedJobs, leftOutDays, change, base, head, jobs } =
    estimate;
  return {
    repository,
    provider,
    currency: 'USD' as const,
    days,
    period,
    recorded_jobs: recordedJobs,
    left_out_days: leftOutDays,
    note: estimate.note,
    change: amountView(change),
    base: amountView(base),
    head: amountView(head),
    jobs: jobs.map(jobView),
    assumptions: estimate.assumptions,
    unresolved: estimate.unresolved,
    markdown: estimateMarkdown(estimate),
  };
}

function jobView({ runnerBefore, isUnpriced, base, head, change, basis, ...job }: EstimatedJob) {
  return {
    ...job,
    runner_before: runnerBefore,
    base: base && amountView(base),
    head: head && amountView(head),
    change: change && amountView(change),
    is_unpriced: isUnpriced,
    basis: basis.text,
    basis_kind: basis.kind,
  };
}

function amountView({ nanos, lowNanos, highNanos }: Amount) {
  return { monthly_cost: usd(nanos), low: usd(lowNanos), high: usd(highNanos) };
}
