import type { Context } from '../../context.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { larger, smaller } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { priceAt, type PriceBook } from './priceBook.ts';
import type { Providers } from './provider.ts';
import { findChargeDays, type ChargeDay } from './queries.ts';
import { listTerms, termsAt, type BillingTerms } from './terms.ts';

/** Each shipped price from its first day on. */
export function listByDate({ books }: Providers): PriceBook {
  return books.find(({ id }) => id === 'github_by_date')!;
}

/** Of a run: whether its provider bills no standard runner. */
export function isFreeRun(
  run: { provider: string; isPrivate: boolean | null; workflowPath: string | null },
  providers: Providers,
): boolean {
  return providers.of(run.provider)?.allowance?.isFreeRun(run) ?? false;
}

/**
 * What a job's provider takes off: all of it (`free`), included minutes and the discount (`included`), or the discount
 * (`charged`).
 */
export type Charge = { provider: string; class: 'free' | 'included' | 'charged' };

/** Null for a runner that the run's provider does not rent out: its net cost is its list cost. */
export function chargeOf(
  { provider, runnerKind, isFree }: { provider: string; runnerKind: string | null; isFree: boolean },
  providers: Providers,
): Charge | null {
  const owner = runnerKind === null ? null : providers.ofKind(runnerKind);
  if (owner === null || owner.id !== providers.of(provider)?.id) return null;
  if (!owner.allowance?.runnerKinds.includes(runnerKind!)) return { provider: owner.id, class: 'charged' };
  return { provider: owner.id, class: isFree ? 'free' : 'included' };
}

export type Fraction = { part: bigint; whole: bigint };

/** What a provider takes off on a day: the share that included minutes cover, then a share of the rest. */
export type Deduction = { covered: Fraction; discount: Fraction; nanos: Nanos };

/** By day, then by provider. Without entry, net cost is list cost. */
export type Deductions = ReadonlyMap<Day, ReadonlyMap<string, Deduction>>;

const none: Fraction = { part: 0n, whole: 1n };
const all: Fraction = { part: 1n, whole: 1n };
/** Of 100%. */
const wholeDiscount = 10_000;

export async function findDeductions(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<Deductions> {
  const days = await findChargeDays(db, actor.orgId, { start: `${start.slice(0, 7)}-01`, end });
  return deductionsOf(days, await listTerms({ db, actor }), providers);
}

/**
 * What is taken off each day. `days` must begin with the first day of a month, because its included minutes are used in
 * the order of days. Minutes draw on them in proportion to the prices of GitHub's own list, whatever list prices the jobs.
 */
function deductionsOf(
  days: readonly ChargeDay[],
  terms: readonly BillingTerms[],
  providers: Providers,
): Deductions {
  const deductions = new Map<Day, Map<string, Deduction>>();
  const used = new Map<string, bigint>();
  for (const sums of chargedDays(days, providers)) {
    const { day, provider } = sums;
    const held = termsAt(terms, provider, day);
    const month = `${provider} ${day.slice(0, 7)}`;
    const before = used.get(month) ?? 0n;
    const left = larger(0n, allowanceOf(provider, day, held?.included?.minutes ?? 0, providers) - before);
    used.set(month, before + smaller(sums.drawn, left));
    const covered = left === 0n ? none : sums.drawn <= left ? all : { part: left, whole: sums.drawn };
    const discount = { part: BigInt(held?.discount ?? 0), whole: BigInt(wholeDiscount) };
    const nanos = deductedUpTo(sums, { covered, discount });
    if (nanos === 0n) continue;
    const ofDay = deductions.get(day) ?? new Map<string, Deduction>();
    deductions.set(day, ofDay.set(provider, { covered, discount, nanos }));
  }
  return deductions;
}

/** What is taken off the first jobs of a day, by their sums: rounded down together. */
export function deductedUpTo(
  { free, included, charged }: ChargeSums,
  { covered, discount }: Pick<Deduction, 'covered' | 'discount'>,
): Nanos {
  const ofMinutes = shareOf(included, covered);
  return free + ofMinutes + shareOf(included - ofMinutes + charged, discount);
}

function shareOf(nanos: Nanos, { part, whole }: Fraction): Nanos {
  return (nanos * part) / whole;
}

export function deductedOn(deductions: Deductions, day: Day): Nanos {
  return [...(deductions.get(day)?.values() ?? [])].reduce((sum, { nanos }) => sum + nanos, 0n);
}

export type ChargeSums = Record<Charge['class'], Nanos>;

type ChargedDay = ChargeSums & { day: Day; provider: string; drawn: bigint };

/** Sums by day and provider, oldest first. */
function chargedDays(days: readonly ChargeDay[], providers: Providers): ChargedDay[] {
  const sums = new Map<string, ChargedDay>();
  for (const { day, runnerKind, minutes, costNanos, ...run } of days) {
    const charge = chargeOf({ ...run, runnerKind }, providers);
    if (!charge) continue;
    const key = `${day} ${charge.provider}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { day, provider: charge.provider, free: 0n, included: 0n, charged: 0n, drawn: 0n };
      sums.set(key, sum);
    }
    sum[charge.class] += costNanos;
    if (charge.class === 'included') sum.drawn += minutes * listPrice(runnerKind, day, providers);
  }
  return [...sums.values()].toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Included minutes as money: what they would cost on the runner that uses one for each minute. */
function allowanceOf(provider: string, day: Day, minutes: number, providers: Providers): bigint {
  const unit = providers.of(provider)?.allowance?.unitKind;
  if (unit === undefined) return 0n;
  return BigInt(minutes) * listPrice(unit, `${day.slice(0, 7)}-01`, providers);
}

function listPrice(runnerKind: string, day: Day, providers: Providers): bigint {
  return priceAt(listByDate(providers), runnerKind, day)?.nanosPerMinute ?? 0n;
}
