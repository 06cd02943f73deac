import { dayOf, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { priceAt } from './priceBook.ts';
import { type PriceList, type PriceRule } from './priceList.ts';
import type { Providers, Rounding, RunnerClassification, RunnerFacts } from './provider.ts';
import { kindOfRule, nameOfRule } from './runnerWords.ts';

export type BillableJob = RunnerFacts & {
  provider: string;
  rawConclusion: string | null;
  status: 'queued' | 'in_progress' | 'completed';
  ran: boolean | null;
  startedAt: Date | null;
  completedAt: Date | null;
};

export type JobCost = RunnerPrice & {
  /** Started minutes, even if the cost is rounded by seconds. */
  billedMinutes: number;
  costNanos: Nanos;
  isUnpriced: boolean;
  flags: CostFlag[];
};

export type RunnerPrice = Omit<RunnerClassification, 'kind'> & {
  /** The id of a `RunnerKind`, `custom:` and the name of a rule with its own rate, or null for an unknown runner. */
  kind: string | null;
  /** 0 if there is no price, and until the job has completed. */
  nanosPerMinute: Nanos;
  hasPrice: boolean;
  rounding: Rounding;
  priceBookId: string;
  priceRuleId: string | null;
};

/** Signs that someone should check a cost. They do not change it. */
type CostFlag = 'guessed_runner' | 'missing_labels' | 'negative_duration' | 'over_time_limit';

/**
 * The cost of a job: its time, rounded up per job, times the price of its runner on the UTC day it completed. A job
 * that has not completed, was skipped or never started costs nothing.
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
    flags: flagsOf(runner, {
      elapsed,
      billed,
      limit: timeLimit(runner, list.providers),
      lacksLabels: isUnpriced && namesNoRunner(job),
    }),
  };
}

export function priceRunner(
  job: RunnerFacts & Pick<BillableJob, 'provider'>,
  { book, rules, providers }: PriceList,
  day: Day | null,
): RunnerPrice {
  const rule = rules.find(({ matches }) => matches(job)) ?? null;
  const runner = rule ? classifiedBy(rule) : classify(job, providers);
  const nanosPerMinute =
    day === null
      ? null
      : rule?.runnerKind === null
        ? rule.nanosPerMinute
        : runner.kind !== null
          ? (priceAt(book, runner.kind, day)?.nanosPerMinute ?? null)
          : null;
  return {
    ...runner,
    nanosPerMinute: nanosPerMinute ?? 0n,
    hasPrice: nanosPerMinute !== null,
    rounding: rule?.rounding ?? roundingOf(job.provider, runner.kind, providers),
    priceBookId: book.id,
    priceRuleId: rule?.id ?? null,
  };
}

function costOf(
  { nanosPerMinute, rounding }: Pick<RunnerPrice, 'nanosPerMinute' | 'rounding'>,
  time: { minutes: number; seconds: number },
): Nanos {
  if (rounding === 'minute') return BigInt(time.minutes) * nanosPerMinute;
  return (BigInt(time.seconds) * nanosPerMinute + 30n) / 60n;
}

type Classified = Omit<RunnerClassification, 'kind'> & { kind: string | null };

function classify(job: RunnerFacts & Pick<BillableJob, 'provider'>, providers: Providers): Classified {
  const kind = job.runnerName ? null : namedKind(job.labels, providers);
  if (kind !== null) return { kind, rule: 'runner_kind', confidence: 'certain' };
  const classified = providers.of(job.provider)?.classifyRunner(job);
  return classified ?? { kind: null, rule: 'unmatched', confidence: 'certain' };
}

function namedKind([label, ...others]: readonly string[], providers: Providers): string | null {
  if (label === undefined || others.length > 0) return null;
  return providers.kind(label.toLowerCase())?.id ?? null;
}

function classifiedBy(rule: PriceRule): Classified {
  return { kind: kindOfRule(rule), rule: nameOfRule(rule), confidence: 'certain' };
}

function roundingOf(provider: string, kind: string | null, providers: Providers): Rounding {
  const concerned = [providers.of(provider), kind === null ? null : providers.ofKind(kind)];
  return concerned.some((each) => each?.rounding === 'second') ? 'second' : 'minute';
}

/** Negative if a provider reports an end before the start, as GitHub does for some canceled jobs. */
function millisecondsBetween({
  status,
  startedAt,
  completedAt,
}: Pick<BillableJob, 'status' | 'startedAt' | 'completedAt'>): number {
  if (status !== 'completed' || !startedAt || !completedAt) return 0;
  return completedAt.getTime() - startedAt.getTime();
}

function billedMilliseconds(job: BillableJob): number {
  const isBillable = job.rawConclusion !== 'skipped' && job.ran !== false;
  return isBillable ? Math.max(0, millisecondsBetween(job)) : 0;
}

const millisecondsPerMinute = 60_000;

function roundedUp(milliseconds: number, unit: number): number {
  const begun = milliseconds % unit;
  return (milliseconds - begun) / unit + (begun > 0 ? 1 : 0);
}

function namesNoRunner({ labels, runnerGroup }: RunnerFacts): boolean {
  return labels.length === 0 && !runnerGroup;
}

function flagsOf(
  runner: RunnerPrice,
  {
    elapsed,
    billed,
    limit,
    lacksLabels,
  }: Record<'elapsed' | 'billed' | 'limit', number> & { lacksLabels: boolean },
): CostFlag[] {
  const flags: CostFlag[] = [];
  if (runner.confidence === 'guessed') flags.push('guessed_runner');
  if (lacksLabels) flags.push('missing_labels');
  if (elapsed < 0) flags.push('negative_duration');
  if (billed > limit) flags.push('over_time_limit');
  return flags;
}

const millisecondsPerHour = 3_600_000;

/**
 * Only a provider's own runners have its limit. For others we assume 5 days: GitHub ends jobs then, and no other
 * provider allows more.
 */
function timeLimit({ kind }: Pick<RunnerPrice, 'kind'>, providers: Providers): number {
  const hours = kind === null ? undefined : providers.ofKind(kind)?.timeLimitHours;
  return (hours ?? 5 * 24) * millisecondsPerHour;
}
