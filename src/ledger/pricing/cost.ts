import { dayOf, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { classifyGitLabRunner, isGitLab } from './gitLabRunner.ts';
import { priceAt } from './priceBook.ts';
import {
  customName,
  kindOfRule,
  nameOfRule,
  type PriceList,
  type PriceRule,
  type Rounding,
} from './priceList.ts';
import {
  classifyRunner,
  isGitLabKind,
  isRunnerKind,
  type RunnerClassification,
  type RunnerFacts,
} from './runnerKind.ts';

/** What the cost of a job depends on. */
export type BillableJob = RunnerFacts & {
  /** The CI system, such as `github` or `gitlab`: it decides how runners are told apart and time is rounded. */
  provider: string;
  /** The provider's own word for how the job ended. */
  rawConclusion: string | null;
  status: 'queued' | 'in_progress' | 'completed';
  /** Whether a runner took the job; null where the provider does not tell. */
  ran: boolean | null;
  startedAt: Date | null;
  completedAt: Date | null;
};

export type JobCost = RunnerPrice & {
  /** Whole minutes begun, also where the cost is rounded by seconds. */
  billedMinutes: number;
  costNanos: Nanos;
  /** The job took minutes that no price is known for. */
  isUnpriced: boolean;
  flags: CostFlag[];
};

/** What a runner costs and why. */
export type RunnerPrice = Omit<RunnerClassification, 'kind'> & {
  /** A `RunnerKind`, `custom:` and the name of a rule with a rate of its own, or null for an unknown runner. */
  kind: string | null;
  /** 0 where there is no price, and as long as the job has not completed. */
  nanosPerMinute: Nanos;
  hasPrice: boolean;
  rounding: Rounding;
  priceBookId: string;
  /** The organization's rule that decided; null where none did. */
  priceRuleId: string | null;
};

/** What makes a cost doubtful; none of it changes the cost. */
type CostFlag = 'guessed_runner' | 'missing_labels' | 'negative_duration' | 'over_time_limit';

/**
 * What a job costs: its time, rounded up per job, times the price of its runner on the UTC day it completed. Jobs that
 * have not completed, were skipped, or never started cost nothing. Whole minutes are how GitHub bills, seconds GitLab.
 */
export function priceJob(job: BillableJob, list: PriceList): JobCost {
  const runner = priceRunner(job, list, job.completedAt ? dayOf(job.completedAt) : null);
  const elapsed = millisecondsBetween(job);
  const billed = billedMilliseconds(job);
  const billedMinutes = roundedUp(billed, millisecondsPerMinute);
  const isUnpriced = billedMinutes > 0 && !runner.hasPrice;
  return {
    ...runner,
    billedMinutes,
    costNanos: costOf(runner, { minutes: billedMinutes, seconds: roundedUp(billed, 1_000) }),
    isUnpriced,
    flags: flagsOf(runner, { elapsed, billed, lacksLabels: isUnpriced && namesNoRunner(job) }),
  };
}

/** The price of a job's runner on a day; null for a job that has not completed, which has no price yet. */
export function priceRunner(
  job: RunnerFacts & Pick<BillableJob, 'provider'>,
  { book, rules }: PriceList,
  day: Day | null,
): RunnerPrice {
  const rule = rules.find(({ matches }) => matches(job)) ?? null;
  const runner = rule ? classifiedBy(rule) : classify(job);
  const nanosPerMinute =
    day === null
      ? null
      : rule?.runnerKind === null
        ? rule.nanosPerMinute
        : runner.kind && isRunnerKind(runner.kind)
          ? (priceAt(book, runner.kind, day)?.nanosPerMinute ?? null)
          : null;
  return {
    ...runner,
    nanosPerMinute: nanosPerMinute ?? 0n,
    hasPrice: nanosPerMinute !== null,
    rounding: rule?.rounding ?? roundingOf(job.provider, runner.kind),
    priceBookId: book.id,
    priceRuleId: rule?.id ?? null,
  };
}

/** The cost of a job, or of many that are alike, by its minutes or its seconds. */
function costOf(
  { nanosPerMinute, rounding }: Pick<RunnerPrice, 'nanosPerMinute' | 'rounding'>,
  time: { minutes: number; seconds: number },
): Nanos {
  if (rounding === 'minute') return BigInt(time.minutes) * nanosPerMinute;
  // Half a nano-dollar and more counts as one.
  return (BigInt(time.seconds) * nanosPerMinute + 30n) / 60n;
}

function classify(job: RunnerFacts & Pick<BillableJob, 'provider'>): RunnerClassification {
  return isGitLab(job.provider) ? classifyGitLabRunner(job) : classifyRunner(job);
}

function classifiedBy(rule: PriceRule): Omit<RunnerClassification, 'kind'> & { kind: string } {
  return { kind: kindOfRule(rule), rule: nameOfRule(rule), confidence: 'certain' };
}

function roundingOf(provider: string, kind: string | null): Rounding {
  return isGitLab(provider) || (kind !== null && isGitLabKind(kind)) ? 'second' : 'minute';
}

/** Below 0 when a provider reports an end before the start, as GitHub does for some cancelled jobs. */
function millisecondsBetween({
  status,
  startedAt,
  completedAt,
}: Pick<BillableJob, 'status' | 'startedAt' | 'completedAt'>): number {
  if (status !== 'completed' || !startedAt || !completedAt) return 0;
  return completedAt.getTime() - startedAt.getTime();
}

/** What counts of a job's time; nothing of one that no runner took. */
function billedMilliseconds(job: BillableJob): number {
  const isBillable = job.rawConclusion !== 'skipped' && job.ran !== false;
  return isBillable ? Math.max(0, millisecondsBetween(job)) : 0;
}

const millisecondsPerMinute = 60_000;

function roundedUp(milliseconds: number, unit: number): number {
  const begun = milliseconds % unit;
  return (milliseconds - begun) / unit + (begun > 0 ? 1 : 0);
}

/** Nothing that a rule could find a price by. */
function namesNoRunner({ labels, runnerGroup }: RunnerFacts): boolean {
  return labels.length === 0 && !runnerGroup;
}

function flagsOf(
  runner: RunnerPrice,
  { elapsed, billed, lacksLabels }: { elapsed: number; billed: number; lacksLabels: boolean },
): CostFlag[] {
  const flags: CostFlag[] = [];
  if (runner.confidence === 'guessed') flags.push('guessed_runner');
  if (lacksLabels) flags.push('missing_labels');
  if (elapsed < 0) flags.push('negative_duration');
  if (billed > timeLimit(runner)) flags.push('over_time_limit');
  return flags;
}

const millisecondsPerHour = 3_600_000;

/** GitHub ends jobs on its own runners after 6 hours, GitLab after 3; on all others 5 days are the most there is. */
function timeLimit({ kind }: Pick<RunnerPrice, 'kind'>): number {
  const isElsewhere =
    kind === null || kind === 'self_hosted' || kind === 'third_party' || customName(kind) !== null;
  if (isElsewhere) return 5 * 24 * millisecondsPerHour;
  return (isGitLabKind(kind) ? 3 : 6) * millisecondsPerHour;
}
