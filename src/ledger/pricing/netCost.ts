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

type Days = Pick<Window, 'start' | 'end'>;

/** The time of alike jobs of a provider that counts by the second, which an organization's own prices do not change. */
export type TimeUsed = {
  day: Day;
  provider: string;
  runnerKind: string;
  isPublic: boolean;
  minutes: bigint;
  seconds: bigint;
};

export type ReadTime = (days: Days) => Promise<readonly TimeUsed[]>;

export async function findDeductions(
  { db, actor, providers }: Pick<Context, 'db' | 'providers'> & OfOrganization,
  { start, end }: Days,
  readTime: ReadTime,
): Promise<Deductions> {
  const months = { start: `${start.slice(0, 7)}-01`, end };
  const terms = await listTerms({ db, actor });
  const days = await findChargeDays(db, actor.orgId, months);
  const times = includesTime(terms, providers) ? await readTime(months) : [];
  return deductionsOf({ days, times }, terms, providers);
}

/** Whether terms include minutes of a provider that counts them by the second. */
export function includesTime(terms: readonly BillingTerms[], providers: Providers): boolean {
  return terms.some(({ provider, included }) => included !== null && countsSeconds(provider, providers));
}

export function countsSeconds(provider: string, providers: Providers): boolean {
  return providers.of(provider)?.rounding === 'second';
}

/** `days` must start on the first day of a month, because included minutes are used day by day. */
function deductionsOf(charged: Charged, terms: readonly BillingTerms[], providers: Providers): Deductions {
  const deductions = new Map<Day, Map<string, Deduction>>();
  const used = new Map<string, Fraction>();
  const heldOn = (provider: string, day: Day) => termsAt(terms, provider, day, providers);
  for (const sums of chargedDays(charged, providers, (...at) => heldOn(...at)?.included ?? null)) {
    const { day, provider } = sums;
    const held = heldOn(provider, day);
    const month = `${provider} ${day.slice(0, 7)}`;
    // After a change of plan, what was used before counts against the new allowance.
    const before = used.get(month) ?? none;
    const included = held?.included?.allowance ?? none;
    const left = isAtLeast(before, included) ? none : subtracted(included, before);
    const isEnough = isAtLeast(left, sums.drawn);
    used.set(month, added(before, isEnough ? sums.drawn : left));
    const covered = isEnough && left.part > 0n ? all : coveredShare(sums, left);
    const discount = fraction(BigInt(held?.discount ?? 0), wholeDiscount);
    if (sums.free === 0n && covered.part === 0n && discount.part === 0n) continue;
    const ofDay = deductions.get(day) ?? new Map<string, Deduction>();
    const covers = coveredClasses(held?.included ?? null);
    deductions.set(day, ofDay.set(provider, { covers, covered, discount }));
  }
  return deductions;
}

/** Of what is not covered, public projects of a draw with a factor of theirs pay that part of the price. */
function coveredShare({ drawn, listed }: Pick<ChargedDay, 'drawn' | 'listed'>, left: Fraction): Fraction {
  if (listed.part === 0n) return none;
  return subtracted(all, divided(subtracted(drawn, left), listed));
}

/** Included minutes are for standard runners. Included dollars are for larger ones too, also in public repositories. */
export function coveredClasses(included: Included | null): readonly Charge['class'][] {
  return included?.unit === 'usd' ? ['included', 'charged'] : ['included'];
}

/** What included minutes could cover if there were enough, and the price of one at the period's end. */
export async function findCoverable(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  { start, end }: Days,
  providerId: string,
): Promise<{ nanos: Nanos; nanosPerMinute: Nanos }> {
  const found = await findChargeDays(db, actor.orgId, { start, end });
  const days = chargedDays({ days: found, times: [] }, providers, () => null);
  const own = days.filter(({ provider }) => provider === providerId);
  return {
    nanos: own.reduce((sum, { included }) => sum + included, 0n),
    nanosPerMinute: unitNanosOn(providers, providerId, end),
  };
}

/** `listed` is what would be drawn without factors of public projects. */
type ChargedDay = Record<Charge['class'], Nanos> & {
  day: Day;
  provider: string;
  drawn: Fraction;
  listed: Fraction;
};

type Charged = { days: readonly ChargeDay[]; times: readonly TimeUsed[] };

function chargedDays(
  { days, times }: Charged,
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
      sum = {
        day,
        provider: charge.provider,
        free: 0n,
        included: 0n,
        charged: 0n,
        drawn: none,
        listed: none,
      };
      sums.set(key, sum);
    }
    sum[charge.class] += costNanos;
    const included = includedOn(charge.provider, day);
    if (coveredClasses(included).includes(charge.class) && !countsSeconds(charge.provider, providers)) {
      const drawn = includedMinutesOf({ day, runnerKind, minutes }, providers, included?.draw);
      sum.drawn = added(sum.drawn, drawn);
    }
  }
  for (const sum of sums.values()) if (!countsSeconds(sum.provider, providers)) sum.listed = sum.drawn;
  for (const time of times) {
    const sum = sums.get(`${time.day} ${time.provider}`);
    if (!sum) continue;
    const draw = includedOn(time.provider, time.day)?.draw;
    sum.drawn = added(sum.drawn, includedMinutesOf(time, providers, draw));
    sum.listed = added(sum.listed, includedMinutesOf(time, providers));
  }
  return [...sums.values()].toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** What the minutes use of the included ones, by the list prices of the day unless multipliers are chosen. */
export function includedMinutesOf(
  {
    day,
    runnerKind,
    minutes,
    seconds,
    isPublic = false,
  }: Pick<ChargeDay, 'day' | 'runnerKind' | 'minutes'> & Partial<Pick<TimeUsed, 'seconds' | 'isPublic'>>,
  providers: Providers,
  draw: Draw = 'list_price_ratio',
): Fraction {
  const { id, allowance } = providers.ofKind(runnerKind)!;
  const rule = allowance!.draws.findLast((each) => each.draw === draw && holdsOn(each, day));
  if (rule?.multipliers) return fraction(minutes * rule.multipliers[providers.kind(runnerKind)!.system!]!);
  const [time, perMinute] = seconds === undefined ? [minutes, 1n] : [seconds, 60n];
  const ofPublic = isPublic && rule?.ofPublicProjects;
  if (ofPublic) return fraction(time * ofPublic.part, perMinute * ofPublic.whole);
  return fraction(
    time * listedNanosOn(providers, id, runnerKind, day),
    perMinute * unitNanosOn(providers, id, day),
  );
}
