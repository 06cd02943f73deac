import {
  addDays,
  addMonths,
  type Day,
  dayOf,
  daysOf,
  monthAround,
  startOfDay,
  type Window,
  windowBetween,
} from '../../platform/lib/days.ts';

/** `2026-03` */
export type Month = string;

/** When a month was last stored, and its last day with a line. */
export type StoredMonths = Record<Month, { at: string; lastDay: Day | null }>;

const firstMonths = 13;

/** A bill is corrected for weeks. What is read a month after the month's end stays. */
export function isSettled(month: Month, at: Date): boolean {
  return at >= startOfDay(addMonths(`${month}-01`, 2));
}

/** Newest first: the months of the last year that are not stored, or may still change. */
export function monthsToFetch(stored: StoredMonths, until: Day): Month[] {
  const months = Array.from({ length: firstMonths }, (_, ago) =>
    addMonths(`${until.slice(0, 7)}-01`, -ago).slice(0, 7),
  );
  return months.filter((month) => {
    const known = stored[month];
    return known === undefined || !isSettled(month, new Date(known.at));
  });
}

/** Yesterday. Today's bill is not complete, and comparing a part of a day shows differences that are none. */
export function lastWholeDay(now: Date): Day {
  return addDays(dayOf(now), -1);
}

export function daysWithin(month: Month, until: Day): Day[] {
  return daysOf(windowWithin(month, until));
}

export function windowWithin(month: Month, until: Day): Window {
  const { start, end } = monthAround(`${month}-01`);
  return windowBetween(start, end < until ? end : until);
}
