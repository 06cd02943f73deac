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
import type { Included } from './included.ts';
import { listedNanosOn, unitNanosOn, type Providers } from './provider.ts';
import { holdsOn, type Draw, type FreeUse, type JudgedRun } from './publishedTerms.ts';
import { findChargeDays, type ChargeDay } from './queries.ts';
import { listTerms, termsAt, type BillingTerms, type OfOrganization } from './terms.ts';

type ProvidedRun = JudgedRun & { provider: string };

/** The periods in which the provider bills no standard runner for the run. */
export function freePeriodsOf(
  run: ProvidedRun,
  providers: Providers,
): Pick<FreeUse, 'firstDay' | 'lastDay'>[] {
  const freeUses = providers.of(run.provider)?.allowance?.freeUses ?? [];
  return freeUses
    .filter((use) => use.status !== 'hint' && use.covers(run))
    .map(({ firstDay, lastDay }) => ({ firstDay, lastDay }));
}

/** Whether the provider bills no standard runner for the run's jobs that completed on the day. */
export function isFreeRun(run: ProvidedRun, day: Day, providers: Providers): boolean {
  return freePeriodsOf(run, providers).some((period) => holdsOn(period, day));
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

/** A provider's deductions on a day: the share of these classes that is included, and the discount on the rest. */
export type Deduction = { covers: readonly Charge['class'][]; covered: Fraction; discount: Fraction };

/** Deductions by day and provider. Without an entry, net cost is list cost. */
export type Deductions = ReadonlyMap<Day, ReadonlyMap<string, Deduction>>;

const none = fraction(0n);
const all = fraction(1n);
/** 100%, in hundredths of a percent. */
const wholeDiscount = 10_000n;

export async function findDeductions(
  { db, actor, providers }: Pick<Context, 'db' | 'providers'> & OfOrganization,
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
  const heldOn = (provider: string, day: Day) => termsAt(terms, provider, day, providers);
  for (const sums of chargedDays(days, providers, (...at) => heldOn(...at)?.included ?? null)) {
    const { day, provider } = sums;
    const held = heldOn(provider, day);
    const month = `${provider} ${day.slice(0, 7)}`;
    // After a change of plan, what was used before counts against the new allowance.
    const before = used.get(month) ?? none;
    const included = held?.included?.allowance ?? none;
    const left = isAtLeast(before, included) ? none : subtracted(included, before);
    const isEnough = isAtLeast(left, sums.drawn);
    used.set(month, added(before, isEnough ? sums.drawn : left));
    const covered = left.part === 0n ? none : isEnough ? all : divided(left, sums.drawn);
    const discount = fraction(BigInt(held?.discount ?? 0), wholeDiscount);
    if (sums.free === 0n && covered.part === 0n && discount.part === 0n) continue;
    const ofDay = deductions.get(day) ?? new Map<string, Deduction>();
    const covers = coveredClasses(held?.included ?? null);
    deductions.set(day, ofDay.set(provider, { covers, covered, discount }));
  }
  return deductions;
}

/** Included minutes are for standard runners. Included dollars are for larger ones too, also in public repositories. */
export function coveredClasses(included: Included | null): readonly Charge['class'][] {
  return included?.unit === 'usd' ? ['included', 'charged'] : ['included'];
}

/** What included minutes could cover if there were enough, and the price of one at the period's end. */
export async function findCoverable(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  { start, end }: Pick<Window, 'start' | 'end'>,
  providerId: string,
): Promise<{ nanos: Nanos; nanosPerMinute: Nanos }> {
  const days = chargedDays(await findChargeDays(db, actor.orgId, { start, end }), providers, () => null);
  const own = days.filter(({ provider }) => provider === providerId);
  return {
    nanos: own.reduce((sum, { included }) => sum + included, 0n),
    nanosPerMinute: unitNanosOn(providers, providerId, end),
  };
}

type ChargedDay = Record<Charge['class'], Nanos> & { day: Day; provider: string; drawn: Fraction };

function chargedDays(
  days: readonly ChargeDay[],
  providers: Providers,
  includedOn: (provider: string, day: Day) => Included | null,
): ChargedDay[] {
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
    const included = includedOn(charge.provider, day);
    if (coveredClasses(included).includes(charge.class)) {
      const drawn = includedMinutesOf({ day, runnerKind, minutes, costNanos }, providers, included?.draw);
      sum.drawn = added(sum.drawn, drawn);
    }
  }
  return [...sums.values()].toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** What the minutes use of the included ones, by the list prices of the day unless multipliers are chosen. */
export function includedMinutesOf(
  {
    day,
    runnerKind,
    minutes,
    costNanos,
  }: Pick<ChargeDay, 'day' | 'runnerKind' | 'minutes'> & { costNanos?: bigint },
  providers: Providers,
  draw: Draw = 'list_price_ratio',
): Fraction {
  const { id, allowance, rounding } = providers.ofKind(runnerKind)!;
  // Its minutes are not rounded up, and the cost is in proportion to the seconds.
  if (rounding === 'second' && costNanos !== undefined)
    return fraction(costNanos, unitNanosOn(providers, id, day));
  const rule = allowance!.draws.findLast((each) => each.draw === draw && holdsOn(each, day));
  if (rule?.multipliers) return fraction(minutes * rule.multipliers[providers.kind(runnerKind)!.system!]!);
  return fraction(minutes * listedNanosOn(providers, id, runnerKind, day), unitNanosOn(providers, id, day));
}
