import { addDays, dayOf, startOfDay, startUpTo, type Day } from '../../platform/lib/days.ts';

export const frequencies = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof frequencies)[number];

/** Both days are inclusive. */
export type Period = { start: Day; end: Day };

/** How long we wait for late reports. */
const settleMilliseconds = 2 * 3_600_000;

/** From this day to the end of its day, week or month. This leaves no gap if the first weekday changes. */
export function periodFrom(start: Day, frequency: Frequency, weekStart: string): Period {
  const isStart = (day: Day) => startUpTo(day, frequency, weekStart) === day;
  let end = start;
  while (!isStart(addDays(end, 1))) end = addDays(end, 1);
  return { start, end };
}

/** The first day of the first period that is not due yet. */
export function currentStart(now: Date, frequency: Frequency, weekStart: string): Day {
  const settled = new Date(now.getTime() - settleMilliseconds);
  return startUpTo(dayOf(settled), frequency, weekStart);
}

/** The first day of the latest period that is over. */
export function latestStart(now: Date, frequency: Frequency, weekStart: string): Day {
  return startUpTo(addDays(currentStart(now, frequency, weekStart), -1), frequency, weekStart);
}

export function dueAt({ end }: Period): Date {
  return new Date(startOfDay(addDays(end, 1)).getTime() + settleMilliseconds);
}
