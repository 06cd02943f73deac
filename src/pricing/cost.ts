import { dayOf } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';
import { priceAt, type PriceBook } from './priceBook.ts';
import { classifyRunner, type RunnerClassification, type RunnerFacts } from './runnerKind.ts';

/** What the cost of a job depends on. */
export type BillableJob = RunnerFacts & {
  /** The provider's own word for how the job ended. */
  rawConclusion: string | null;
  status: 'queued' | 'in_progress' | 'completed';
  /** Whether a runner took the job; null where the provider does not tell. */
  ran: boolean | null;
  startedAt: Date | null;
  completedAt: Date | null;
};

export type JobCost = RunnerClassification & {
  /** Whole minutes. */
  billedMinutes: number;
  /** 0 for an unpriced job, and as long as the job has not completed. */
  nanosPerMinute: Nanos;
  costNanos: Nanos;
  /** The job took minutes that no price is known for. */
  isUnpriced: boolean;
  flags: CostFlag[];
};

/** What makes a cost doubtful; none of it changes the cost. */
type CostFlag = 'guessed_runner' | 'negative_duration' | 'over_time_limit';

/**
 * What a job costs: its minutes, rounded up per job, times the price of its runner on the UTC day it completed. Jobs
 * that have not completed, were skipped, or never started cost nothing. The rounding is that of GitHub's billing.
 */
export function priceJob(job: BillableJob, book: PriceBook): JobCost {
  const runner = classifyRunner(job);
  const elapsed = millisecondsBetween(job);
  const billed = isBillable(job) ? Math.max(0, elapsed) : 0;
  const billedMinutes = wholeMinutes(billed);
  const price = runner.kind && job.completedAt ? priceAt(book, runner.kind, dayOf(job.completedAt)) : null;
  const nanosPerMinute = price?.nanosPerMinute ?? 0n;
  return {
    ...runner,
    billedMinutes,
    nanosPerMinute,
    costNanos: BigInt(billedMinutes) * nanosPerMinute,
    isUnpriced: billedMinutes > 0 && price === null,
    flags: flagsOf(runner, elapsed, billed),
  };
}

/** Below 0 when a provider reports an end before the start, as GitHub does for some cancelled jobs. */
function millisecondsBetween({ status, startedAt, completedAt }: BillableJob): number {
  if (status !== 'completed' || !startedAt || !completedAt) return 0;
  return completedAt.getTime() - startedAt.getTime();
}

function isBillable(job: BillableJob): boolean {
  return job.rawConclusion !== 'skipped' && job.ran !== false;
}

const millisecondsPerMinute = 60_000;

function wholeMinutes(milliseconds: number): number {
  const begun = milliseconds % millisecondsPerMinute;
  return (milliseconds - begun) / millisecondsPerMinute + (begun > 0 ? 1 : 0);
}

function flagsOf(runner: RunnerClassification, elapsed: number, billed: number): CostFlag[] {
  const flags: CostFlag[] = [];
  if (runner.confidence === 'guessed') flags.push('guessed_runner');
  if (elapsed < 0) flags.push('negative_duration');
  if (billed > timeLimit(runner)) flags.push('over_time_limit');
  return flags;
}

const millisecondsPerHour = 3_600_000;

/** GitHub ends jobs on its own runners after 6 hours, on all others after 5 days. */
function timeLimit({ kind }: RunnerClassification): number {
  const isHosted = kind !== null && kind !== 'self_hosted' && kind !== 'third_party';
  return (isHosted ? 6 : 5 * 24) * millisecondsPerHour;
}
