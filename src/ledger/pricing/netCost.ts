import type { Context } from '../../context.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import {
  added,
  divided,
  fraction,
  isAtLeast,
  subtracted,
  type Fraction,
} from '../../platform/lib/fractions.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { priceAt, type PriceBook } from './priceBook.ts';
import type { Providers } from './provider.ts';
import { findChargeDays, type ChargeDay } from './queries.ts';
import { listTerms, termsAt, type BillingTerms } from './terms.ts';

/** The shipped list that has each of the provider's prices from the day it took effect. */
export function listByDate({ of, books }: Providers, provider: string): PriceBook {
  const own = new Set(of(provider)!.priceLists.map(({ id }) => id));
  return books.find(({ id, isByDate }) => isByDate && own.has(id))!;
}

/** Whether the provider bills no standard runner for the run. */
export function isFreeRun(
  run: { provider: string; isPrivate: boolean | null; workflowPath: string | null },
  providers: Providers,
): boolean {
  return providers.of(run.provider)?.allowance?.isFreeRun(run) ?? false;
}

/** All of the cost (`free`), included minutes and discount (`included`), or the discount (`charged`). */
export type Charge = { provider: string; class: 'free' | 'included' | 'charged' };

/** Null for a runner that the run's provider does not rent out. Its net cost is its list cost. */
export function chargeOf(
  { provider, runnerKind, isFree }: { provider: string; runnerKind: string | null; isFree: boolean },
  providers: Providers,
): Charge | null {
  const owner = runnerKind === null ? null : providers.ofKind(runnerKind);
  if (owner === null || owner.id !== providers.of(provider)?.id) return null;
  if (!owner.allowance?.runnerKinds.includes(runnerKind!)) return { provider: owner.id, class: 'charged' };
  return { provider: owner.id, class: isFree ? 'free' : 'included' };
}

/** A provider's deductions on a day: the share that included minutes cover, and the discount on the rest. */
export type Deduction = { covered: Fraction; discount: Fraction };

/** Deductions by day and provider. Without an entry, net cost is list cost. */
export type Deductions = ReadonlyMap<Day, ReadonlyMap<string, Deduction>>;

const none = fraction(0n);
const all = fraction(1n);
/** 100%, in hundredths of a percent. */
const wholeDiscount = 10_000n;

export async function findDeductions(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<Deductions> {
  const days = await findChargeDays(db, actor.orgId, { start: `${start.slice(0, 7)}-01`, end });
  return deductionsOf(days, await listTerms({ db, actor }), providers);
}

/** `days` must start on the first day of a month, because included minutes are used day by day. */
function deductionsOf(
  days: readonly ChargeDay[],
  terms: readonly BillingTerms[],
  providers: Providers,
): Deductions {
  const deductions = new Map<Day, Map<string, Deduction>>();
  const used = new Map<string, Fraction>();
  for (const sums of chargedDays(days, providers)) {
    const { day, provider } = sums;
    const held = termsAt(terms, provider, day);
    const month = `${provider} ${day.slice(0, 7)}`;
    const before = used.get(month) ?? none;
    const minutes = fraction(BigInt(held?.included?.minutes ?? 0));
    const left = isAtLeast(before, minutes) ? none : subtracted(minutes, before);
    const isEnough = isAtLeast(left, sums.drawn);
    used.set(month, added(before, isEnough ? sums.drawn : left));
    const covered = left.part === 0n ? none : isEnough ? all : divided(left, sums.drawn);
    const discount = fraction(BigInt(held?.discount ?? 0), wholeDiscount);
    if (sums.free === 0n && covered.part === 0n && discount.part === 0n) continue;
    const ofDay = deductions.get(day) ?? new Map<string, Deduction>();
    deductions.set(day, ofDay.set(provider, { covered, discount }));
  }
  return deductions;
}

/** What included minutes could cover if there were enough, and the price of one at the period's end. */
export async function findCoverable(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  { start, end }: Pick<Window, 'start' | 'end'>,
  providerId: string,
): Promise<{ nanos: Nanos; nanosPerMinute: Nanos }> {
  const days = chargedDays(await findChargeDays(db, actor.orgId, { start, end }), providers);
  const own = days.filter(({ provider }) => provider === providerId);
  const { unitKind } = providers.of(providerId)!.allowance!;
  return {
    nanos: own.reduce((sum, { included }) => sum + included, 0n),
    nanosPerMinute: priceAt(listByDate(providers, providerId), unitKind, end)!.nanosPerMinute,
  };
}

type ChargedDay = Record<Charge['class'], Nanos> & { day: Day; provider: string; drawn: Fraction };

function chargedDays(days: readonly ChargeDay[], providers: Providers): ChargedDay[] {
  const sums = new Map<string, ChargedDay>();
  for (const { day, runnerKind, minutes, costNanos, ...run } of days) {
    const charge = chargeOf({ ...run, runnerKind }, providers);
    if (!charge) continue;
    const key = `${day} ${charge.provider}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { day, provider: charge.provider, free: 0n, included: 0n, charged: 0n, drawn: none };
      sums.set(key, sum);
    }
    sum[charge.class] += costNanos;
    if (charge.class === 'included') {
      sum.drawn = added(sum.drawn, includedMinutesOf({ day, runnerKind, minutes }, providers));
    }
  }
  return [...sums.values()].toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** In proportion to the runner's price, relative to 2-core Linux. GitHub no longer documents this ratio. */
export function includedMinutesOf(
  { day, runnerKind, minutes }: Pick<ChargeDay, 'day' | 'runnerKind' | 'minutes'>,
  providers: Providers,
): Fraction {
  const { id, allowance } = providers.ofKind(runnerKind)!;
  const list = listByDate(providers, id);
  const priceOf = (kind: string) => priceAt(list, kind, day)!.nanosPerMinute;
  const { unitKind } = allowance!;
  return fraction(minutes * priceOf(runnerKind), priceOf(unitKind));
}
