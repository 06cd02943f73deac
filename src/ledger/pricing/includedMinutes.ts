import type { Context } from '../../context.ts';
import { addDays, dayOf, startOfDay, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { chargeOf, listByDate } from './netCost.ts';
import { priceAt, type PriceBook } from './priceBook.ts';
import { findChargeDays } from './queries.ts';
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
  const usage = days
    .filter((entry) => chargeOf(entry, providers)?.class === 'included' && entry.minutes > 0n)
    .map((entry) => ({ ...entry, minutes: Number(entry.minutes) }));
  return { included, month, ...consume(usage, included?.minutes ?? null, now, listByDate(providers)) };
}

export type UsedMinutes = { day: Day; runnerKind: string; minutes: number };

export type Consumption = {
  usedHundredths: number;
  runnerKinds: { runnerKind: string; minutes: number; usedHundredths: number }[];
  /** The day on which the minutes are used up, or will be at this month's rate; null if not this month. */
  exhaustedOn: Day | null;
  isExhausted: boolean;
};

/**
 * A minute uses as many included ones as its price is a multiple of 2-core Linux on that day. GitHub no
 * longer documents this ratio, so the result is an estimate.
 */
export function consume(
  usage: readonly UsedMinutes[],
  included: number | null,
  now: Date,
  list: PriceBook,
): Consumption {
  const sumOf = (days: readonly UsedMinutes[]) => days.reduce((sum, entry) => sum + drawn(entry, list), 0);
  const runnerKinds = [...Map.groupBy(usage, ({ runnerKind }) => runnerKind)].map(([runnerKind, days]) => ({
    runnerKind,
    minutes: days.reduce((sum, { minutes }) => sum + minutes, 0),
    usedHundredths: Math.round(sumOf(days) * 100),
  }));
  const used = sumOf(usage);
  return {
    usedHundredths: Math.round(used * 100),
    runnerKinds: runnerKinds.toSorted((a, b) => b.usedHundredths - a.usedHundredths),
    isExhausted: included !== null && used >= included,
    exhaustedOn: included === null ? null : exhaustedOn(usage, included, now, list),
  };
}

function exhaustedOn(
  usage: readonly UsedMinutes[],
  included: number,
  now: Date,
  list: PriceBook,
): Day | null {
  let used = 0;
  for (const entry of usage.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    used += drawn(entry, list);
    if (used >= included) return entry.day;
  }
  const monthStart = startOfDay(`${dayOf(now).slice(0, 7)}-01`);
  const elapsed = now.getTime() - monthStart.getTime();
  if (used === 0 || elapsed === 0) return null;
  const predicted = monthStart.getTime() + (elapsed * included) / used;
  return predicted < startOfNextMonth(now).getTime() ? dayOf(new Date(predicted)) : null;
}

function startOfNextMonth(now: Date): Date {
  return startOfDay(`${addDays(`${dayOf(now).slice(0, 7)}-01`, 31).slice(0, 7)}-01`);
}

function drawn({ day, runnerKind, minutes }: UsedMinutes, list: PriceBook): number {
  return minutes * drawRatio(runnerKind, day, list);
}

export function drawRatio(runnerKind: string, day: Day, list: PriceBook): number {
  const nanosOf = (kind: string) => Number(priceAt(list, kind, day)!.nanosPerMinute);
  return nanosOf(runnerKind) / nanosOf('linux_2_core');
}
