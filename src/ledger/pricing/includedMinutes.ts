import type { Context } from '../../context.ts';
import { addDays, dayOf, startOfDay, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { added, fraction, isAtLeast, numberOf, type Fraction } from '../../platform/lib/fractions.ts';
import type { Included } from './included.ts';
import {
  chargeOf,
  countsSeconds,
  coveredClasses,
  includedMinutesOf,
  type ReadTime,
  type TimeUsed,
} from './netCost.ts';
import { unitNanosOn, type Providers } from './provider.ts';
import type { Draw } from './publishedTerms.ts';
import { findChargeDays, type ChargeDay } from './queries.ts';
import { listTerms, termsAt, type OfOrganization } from './terms.ts';

export type IncludedMinutes = Consumption & {
  provider: string;
  included: Included | null;
  month: Window;
  /** Today's price of an included minute. */
  unitNanos: bigint;
};

export async function getIncludedMinutes(
  { db, actor, clock, providers }: Pick<Context, 'db' | 'clock' | 'providers'> & OfOrganization,
  provider: string,
  readTime: ReadTime,
): Promise<IncludedMinutes> {
  const now = clock.now();
  const today = dayOf(now);
  const month = windowBetween(`${today.slice(0, 7)}-01`, addDays(dayOf(startOfNextMonth(now)), -1));
  const terms = await listTerms({ db, actor });
  const includedOn = (day: Day) => termsAt(terms, provider, day, providers)?.included ?? null;
  const known = { start: month.start, end: today };
  const days: readonly UsedMinutes[] = countsSeconds(provider, providers)
    ? (await readTime(known)).filter((time) => time.provider === provider)
    : (await findChargeDays(db, actor.orgId, known)).filter((entry) => {
        const charge = chargeOf(entry, providers);
        const isDrawn = charge && coveredClasses(includedOn(entry.day)).includes(charge.class);
        return isDrawn && charge.provider === provider;
      });
  const usage = days.filter(({ minutes }) => minutes > 0n);
  const included = includedOn(today);
  const allowance = included?.allowance ?? null;
  const found = consume(usage, allowance, now, providers, (day) => includedOn(day)?.draw);
  return { provider, included, month, ...found, unitNanos: unitNanosOn(providers, provider, today) };
}

export type UsedMinutes = Pick<ChargeDay, 'day' | 'runnerKind' | 'minutes'> &
  Partial<Pick<TimeUsed, 'seconds' | 'isPublic'>>;

export type Consumption = {
  used: Fraction;
  usedHundredths: number;
  runnerKinds: { runnerKind: string; minutes: number; usedHundredths: number }[];
  /** The day on which the minutes are used up, or will be at this month's rate. Null if that is not this month. */
  exhaustedOn: Day | null;
  isExhausted: boolean;
};

/** `included` and what is used are in minutes on the unit kind. */
export function consume(
  usage: readonly UsedMinutes[],
  included: Fraction | null,
  now: Date,
  providers: Providers,
  drawOn: (day: Day) => Draw | undefined = () => undefined,
): Consumption {
  const drawn = usage.map((entry) => ({
    ...entry,
    used: includedMinutesOf(entry, providers, drawOn(entry.day)),
  }));
  const runnerKinds = [...Map.groupBy(drawn, ({ runnerKind }) => runnerKind)].map(([runnerKind, days]) => ({
    runnerKind,
    minutes: Number(days.reduce((sum, { minutes }) => sum + minutes, 0n)),
    usedHundredths: hundredthsOf(sumOf(days)),
  }));
  const used = sumOf(drawn);
  return {
    used,
    usedHundredths: hundredthsOf(used),
    runnerKinds: runnerKinds.toSorted((a, b) => b.usedHundredths - a.usedHundredths),
    ...useUp(drawn, included, now),
  };
}

/** Whether and when what is included is used up, by days since the month began. `now` is the end of what is known. */
export function useUp(
  drawn: readonly Drawn[],
  included: Fraction | null,
  now: Date,
): Pick<Consumption, 'isExhausted' | 'exhaustedOn'> {
  if (included === null) return { isExhausted: false, exhaustedOn: null };
  const used = sumOf(drawn);
  const isExhausted = isAtLeast(used, included);
  const exhaustedOn = isExhausted
    ? dayOfLastMinute(drawn, included)
    : predictedDay(numberOf(used), numberOf(included), now);
  return { isExhausted, exhaustedOn };
}

type Drawn = { day: Day; used: Fraction };

function sumOf(drawn: readonly Drawn[]): Fraction {
  return drawn.reduce((sum, { used }) => added(sum, used), fraction(0n));
}

function hundredthsOf(minutes: Fraction): number {
  return Math.round(numberOf(minutes) * 100);
}

function dayOfLastMinute(drawn: readonly Drawn[], included: Fraction): Day | null {
  let sum = fraction(0n);
  for (const { day, used } of drawn.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    sum = added(sum, used);
    if (isAtLeast(sum, included)) return day;
  }
  return null;
}

function predictedDay(used: number, included: number, now: Date): Day | null {
  const monthStart = startOfDay(`${dayOf(now).slice(0, 7)}-01`);
  const elapsed = now.getTime() - monthStart.getTime();
  if (used === 0 || elapsed === 0) return null;
  const predicted = monthStart.getTime() + (elapsed * included) / used;
  return predicted < startOfNextMonth(now).getTime() ? dayOf(new Date(predicted)) : null;
}

function startOfNextMonth(now: Date): Date {
  return startOfDay(`${addDays(`${dayOf(now).slice(0, 7)}-01`, 31).slice(0, 7)}-01`);
}

export function drawRatio(runnerKind: string, day: Day, providers: Providers, draw?: Draw): number {
  return numberOf(includedMinutesOf({ day, runnerKind, minutes: 1n }, providers, draw));
}
