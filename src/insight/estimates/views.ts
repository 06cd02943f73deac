import { usd } from '../../platform/lib/money.ts';
import type { Amount, Estimate, EstimatedJob } from './estimate.ts';

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

type AmountView = { monthly_cost: number; low: number; high: number };
type JobView = Omit<ReturnType<typeof jobView>, 'base' | 'head' | 'change'> &
  Record<'base' | 'head' | 'change', AmountView | null>;
export type EstimateAnswer = Omit<ReturnType<typeof estimateView>, 'base' | 'head' | 'change' | 'jobs'> &
  Record<'base' | 'head' | 'change', AmountView> & { jobs: JobView[] };

export function estimateOf({
  recorded_jobs: recordedJobs,
  left_out_days: leftOutDays,
  currency: _,
  ...answer
}: EstimateAnswer): Estimate {
  return {
    ...answer,
    recordedJobs,
    leftOutDays,
    change: amountIn(answer.change),
    base: amountIn(answer.base),
    head: amountIn(answer.head),
    jobs: answer.jobs.map(
      ({ runner_before, is_unpriced, basis, basis_kind: kind, base, head, change, ...job }) => ({
        ...job,
        runnerBefore: runner_before,
        isUnpriced: is_unpriced,
        basis: { kind, text: basis },
        base: base && amountIn(base),
        head: head && amountIn(head),
        change: change && amountIn(change),
      }),
    ),
  };
}

function amountIn({ monthly_cost, low, high }: AmountView): Amount {
  // Amounts are whole cents.
  const nanos = (dollars: number) => BigInt(Math.round(dollars * 100)) * 10_000_000n;
  return { nanos: nanos(monthly_cost), lowNanos: nanos(low), highNanos: nanos(high) };
}
