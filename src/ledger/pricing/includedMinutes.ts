import type { Context } from '../../context.ts';
import { addDays, dayOf, startOfDay, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { added, fraction, isAtLeast, numberOf, type Fraction } from '../../platform/lib/fractions.ts';
import { chargeOf, includedMinutesOf } from './netCost.ts';
import type { Providers } from './provider.ts';
import { findChargeDays, type ChargeDay } from './queries.ts';
import { getIncluded } from './settings.ts';
import type { Included } from './terms.ts';

export type IncludedMinutes = Consumption & { included: Included | null; month: Window };

export async function getIncludedMinutes({
  db,
  actor,
  clock,
  providers,
}: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'>): Promise<IncludedMinutes> {
  const now = clock.now();
  const today = dayOf(now);
  const month = windowBetween(`${today.slice(0, 7)}-01`, addDays(dayOf(startOfNextMonth(now)), -1));
  const included = await getIncluded({ db, actor, clock });
  const days = await findChargeDays(db, actor.orgId, { start: month.start, end: today });
  const usage = days.filter(
    (entry) => chargeOf(entry, providers)?.class === 'included' && entry.minutes > 0n,
  );
  return { included, month, ...consume(usage, included?.minutes ?? null, now, providers) };
}

export type UsedMinutes = Pick<ChargeDay, 'day' | 'runnerKind' | 'minutes'>;

export type Consumption = {
  usedHundredths: number;
  runnerKinds: { runnerKind: string; minutes: number; usedHundredths: number }[];
  /** The day on which the minutes are used up, or will be at this month's rate. Null if that is not this month. */
  exhaustedOn: Day | null;
  isExhausted: boolean;
};

export function consume(
  usage: readonly UsedMinutes[],
  included: number | null,
  now: Date,
  providers: Providers,
): Consumption {
  const sumOf = (days: readonly UsedMinutes[]) =>
    days.reduce((sum, entry) => added(sum, includedMinutesOf(entry, providers)), fraction(0n));
  const runnerKinds = [...Map.groupBy(usage, ({ runnerKind }) => runnerKind)].map(([runnerKind, days]) => ({
    runnerKind,
    minutes: Number(days.reduce((sum, { minutes }) => sum + minutes, 0n)),
    usedHundredths: hundredthsOf(sumOf(days)),
  }));
  const used = sumOf(usage);
  const isExhausted = included !== null && isAtLeast(used, fraction(BigInt(included)));
  return {
    usedHundredths: hundredthsOf(used),
    runnerKinds: runnerKinds.toSorted((a, b) => b.usedHundredths - a.usedHundredths),
    isExhausted,
    exhaustedOn: isExhausted
      ? dayOfLastMinute(usage, included, providers)
      : included === null
        ? null
        : predictedDay(numberOf(used), included, now),
  };
}

function hundredthsOf(minutes: Fraction): number {
  return Math.round(numberOf(minutes) * 100);
}

function dayOfLastMinute(usage: readonly UsedMinutes[], included: number, providers: Providers): Day | null {
  let used = fraction(0n);
  for (const entry of usage.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    used = added(used, includedMinutesOf(entry, providers));
    if (isAtLeast(used, fraction(BigInt(included)))) return entry.day;
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

export function drawRatio(runnerKind: string, day: Day, providers: Providers): number {
  return numberOf(includedMinutesOf({ day, runnerKind, minutes: 1n }, providers));
}
