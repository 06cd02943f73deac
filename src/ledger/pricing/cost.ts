import { dayOf, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { beginning, priceOn, type DatedPrice } from './priceBook.ts';
import { listedPriceAt, ratesOf, type PriceList, type PriceRule } from './priceList.ts';
import {
  isHostedBy,
  type Listing,
  type Providers,
  type Rounding,
  type RunnerClassification,
  type ReportedRunner,
} from './provider.ts';
import { kindOfRule, nameOfListing, nameOfRule } from './runnerWords.ts';

export type BillableJob = ReportedRunner & {
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
  /** Set if each job is rounded up to whole credits, which is so unless a rule gives another rounding. */
  creditsPerMinute: number | null;
  /** How many equal runners the job had at once. */
  parallelism: number;
  /** Of the provider on whose own runner the job ran. Null on other runners, and if we know no limit. */
  timeLimitMinutes: number | null;
  priceBookId: string;
  priceRuleId: string | null;
};

/** Signs that someone should check a cost. */
type CostFlag = 'guessed_runner' | 'missing_labels' | 'negative_duration' | 'over_time_limit';

/** Its time, rounded up per job, times the price of its runner on the UTC day it completed. */
export function priceJob(job: BillableJob, list: PriceList): JobCost {
  const runner = priceRunner(job, list, job.completedAt ? dayOf(job.completedAt) : null);
  const elapsed = millisecondsBetween(job);
  const used = usedMilliseconds(job);
  const { minutes: billedMinutes, costNanos } = billTime(runner, used);
  const isUnpriced = billedMinutes > 0 && !runner.hasPrice;
  const lacksLabels = isUnpriced && namesNoRunner(job);
  return {
    ...runner,
    billedMinutes,
    costNanos,
    isUnpriced,
    flags: flagsOf(runner, { elapsed, used, lacksLabels }),
  };
}

/** A provider may take some minutes to stop a job, or to report that it did. */
export const minutesOverLimit = 10;

/** No time limit is shorter: the index `jobs_by_length` has only jobs that took longer. */
export const minTimeLimitMinutes = 15;

/** Infinity without a limit. */
export function maxBilledMinutes(timeLimitMinutes: number | null): number {
  return timeLimitMinutes === null ? Infinity : timeLimitMinutes + minutesOverLimit;
}

/** A job that its provider reports long after it stopped it is billed only as long as it can have run. */
export function billTime(
  runner: Pick<RunnerPrice, BillingField | 'timeLimitMinutes'>,
  used: number,
): { minutes: number; costNanos: Nanos } {
  const billed = Math.min(used, maxBilledMinutes(runner.timeLimitMinutes) * millisecondsPerMinute);
  const minutes = roundedUp(billed, millisecondsPerMinute);
  return { minutes, costNanos: costOf(runner, { minutes, seconds: roundedUp(billed, 1_000) }) };
}

export function priceRunner(
  job: ReportedRunner & Pick<BillableJob, 'provider'>,
  list: PriceList,
  day: Day | null,
): RunnerPrice {
  const { book, rules, providers } = list;
  const rule = rules.find(({ matches }) => matches(job)) ?? null;
  const rate = rule && day !== null ? priceOn(ratesOf(rule), day) : null;
  const own = classify(job, providers);
  const runner = rule ? classifiedBy(rule, rate) : (listed(job, list, day) ?? own);
  const isOfBook = day !== null && runner.kind !== null && rule?.runnerKind !== null;
  const listedPrice = isOfBook ? listedPriceAt(list, runner.kind!, day) : null;
  const price = isOfBook ? listedPrice : rate;
  const kind = runner.kind === null || rule?.rounding ? null : providers.kind(runner.kind);
  return {
    ...runner,
    nanosPerMinute: price?.nanosPerMinute ?? 0n,
    hasPrice: price !== null,
    rounding: rule?.rounding ?? roundingOf(job.provider, runner.kind, providers),
    creditsPerMinute: kind?.creditsPerMinute ?? null,
    parallelism: providers.of(job.provider)?.parallelismOf?.(job) ?? 1,
    timeLimitMinutes: timeLimitOf(job, own.kind, runner.kind, providers),
    priceBookId: listedPrice?.bookId ?? book.id,
    priceRuleId: rule?.id ?? null,
  };
}

type RecordedRunner = Pick<ReportedRunner, 'labels' | 'runnerGroup'> & {
  provider: string;
  runnerKind: string | null;
};

/** What a recorded runner costs on a day. The runner's name, which we do not keep, may have decided its kind. */
export function priceRecorded(recorded: RecordedRunner, list: PriceList, day: Day): RunnerPrice {
  const { provider, labels, runnerGroup, runnerKind: kind } = recorded;
  const found = priceRunner({ provider, labels, runnerGroup, runnerName: null }, list, day);
  if (found.priceRuleId !== null || kind === null || found.kind === kind) return found;
  const dated = listedPriceAt(list, kind, day);
  return { ...found, kind, hasPrice: dated !== null, nanosPerMinute: dated?.nanosPerMinute ?? 0n };
}

type BillingField = 'nanosPerMinute' | 'rounding' | 'creditsPerMinute' | 'parallelism';

/** Each of the runners that a job has at once is rounded by itself. */
export function costOf(
  { nanosPerMinute, rounding, creditsPerMinute, parallelism }: Pick<RunnerPrice, BillingField>,
  time: { minutes: number; seconds: number },
): Nanos {
  const runners = BigInt(parallelism);
  if (rounding === 'minute') return runners * BigInt(time.minutes) * nanosPerMinute;
  const [parts, perMinute] =
    creditsPerMinute === null
      ? [BigInt(time.seconds), 60n]
      : [BigInt(creditsOf(time.seconds, creditsPerMinute)), BigInt(creditsPerMinute)];
  return runners * ((parts * nanosPerMinute + perMinute / 2n) / perMinute);
}

/** Rounded up, after the seconds were. */
export function creditsOf(seconds: number, creditsPerMinute: number): number {
  return roundedUp(seconds * creditsPerMinute, 60);
}

type Classified = Omit<RunnerClassification, 'kind'> & { kind: string | null };

function classify(job: ReportedRunner & Pick<BillableJob, 'provider'>, providers: Providers): Classified {
  const kind = job.runnerName ? null : namedKind(job.labels, providers);
  if (kind !== null) return { kind, rule: 'runner_kind', confidence: 'certain' };
  const classified = providers.of(job.provider)?.classifyRunner(job);
  return classified ?? { kind: null, rule: 'unmatched', confidence: 'certain' };
}

/** What the provider lists under the job's label. Null if owners list different runners under this name. */
function listed(
  job: ReportedRunner & Pick<BillableJob, 'provider'>,
  { listings, providers }: PriceList,
  day: Day | null,
): Classified | null {
  const lists = providers.of(job.provider)?.listedRunners;
  const name = listings.size > 0 ? lists?.nameOf(job) : null;
  const found = (listings.get(name ?? '') ?? []).map((ofOwner) => listingOn(ofOwner, day));
  const [listing] = found;
  if (!lists || !listing) return null;
  const kind = lists.kindOf(listing);
  if (found.some((other) => lists.kindOf(other) !== kind)) return null;
  return { kind, rule: nameOfListing(listing), confidence: 'certain' };
}

/** Before the first day, what is known first; without a day, what is known last. */
function listingOn(listings: readonly Listing[], day: Day | null): Listing {
  return listings.findLast(({ firstDay }) => day === null || firstDay <= day) ?? listings[0]!;
}

function namedKind([label, ...others]: readonly string[], providers: Providers): string | null {
  if (label === undefined || others.length > 0) return null;
  return providers.kind(label.toLowerCase())?.id ?? null;
}

function classifiedBy(rule: PriceRule, rate: DatedPrice | null): Classified {
  const since = rate && rate.effectiveFrom !== beginning ? rate.effectiveFrom : null;
  return { kind: kindOfRule(rule), rule: nameOfRule(rule, since), confidence: 'certain' };
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

function usedMilliseconds(job: BillableJob): number {
  const isBillable = job.rawConclusion !== 'skipped' && job.ran !== false;
  return isBillable ? Math.max(0, millisecondsBetween(job)) : 0;
}

const millisecondsPerMinute = 60_000;

function roundedUp(milliseconds: number, unit: number): number {
  const begun = milliseconds % unit;
  return (milliseconds - begun) / unit + (begun > 0 ? 1 : 0);
}

function namesNoRunner({ labels, runnerGroup }: ReportedRunner): boolean {
  return labels.length === 0 && !runnerGroup;
}

function flagsOf(
  runner: RunnerPrice,
  { elapsed, used, lacksLabels }: { elapsed: number; used: number; lacksLabels: boolean },
): CostFlag[] {
  const flags: CostFlag[] = [];
  if (runner.confidence === 'guessed') flags.push('guessed_runner');
  if (lacksLabels) flags.push('missing_labels');
  if (elapsed < 0) flags.push('negative_duration');
  if (used > (runner.timeLimitMinutes ?? longestMinutes) * millisecondsPerMinute)
    flags.push('over_time_limit');
  return flags;
}

/** Where we know no limit, we assume 5 days: GitHub stops jobs on self-hosted runners then. */
const longestMinutes = 5 * 24 * 60;

/** Only a provider's own runners have its limit. A rule's kind counts if the facts do not say it. */
function timeLimitOf(
  job: ReportedRunner & Pick<BillableJob, 'provider'>,
  ownKind: string | null,
  kind: string | null,
  providers: Providers,
): number | null {
  const provider = providers.of(job.provider);
  const isHosted = provider !== null && isHostedBy(provider, job);
  if (provider === null || (provider.id !== job.provider && !isHosted)) return null;
  const hostedKind = ownKind ?? kind ?? '';
  const ofKind = providers.ofKind(hostedKind);
  // Runs without a provider name the kinds of any.
  const isOfProvider = ofKind === provider || provider.kinds.length === 0;
  const host = ofKind && isOfProvider ? ofKind : ownKind === null && isHosted ? provider : null;
  return host?.timeLimit?.minutesOf?.[hostedKind] ?? host?.timeLimit?.minutes ?? null;
}
