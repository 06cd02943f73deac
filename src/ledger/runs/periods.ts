import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, startOfDay, windowEnding, type Day, type Window } from '../../platform/lib/days.ts';

/** From one instant up to, but without, another. */
export type TimeSlice = { from: Date; until: Date };

/** From the start of the one day to the end of the other. */
export function sliceOfDays(first: Day, last: Day): TimeSlice {
  return { from: startOfDay(first), until: startOfDay(addDays(last, 1)) };
}

/**
 * Slices of time that cover all days with jobs: neighbouring days together as long as they have at most `most` jobs, a
 * day with more of them in parts of the same length.
 */
export function slicesOf(days: readonly { day: Day; jobs: number }[], most: number): TimeSlice[] {
  const slices: TimeSlice[] = [];
  let open: { first: Day; last: Day; jobs: number } | null = null;
  const close = (): void => {
    if (open) slices.push(sliceOfDays(open.first, open.last));
    open = null;
  };
  for (const { day, jobs } of days) {
    if (jobs > most) {
      close();
      slices.push(...partsOf(day, Math.ceil(jobs / most)));
    } else if (open && open.jobs + jobs <= most) {
      open = { first: open.first, last: day, jobs: open.jobs + jobs };
    } else {
      close();
      open = { first: day, last: day, jobs };
    }
  }
  close();
  return slices;
}

const mostParts = 24 * 60;

function partsOf(day: Day, wanted: number): TimeSlice[] {
  const parts = Math.min(wanted, mostParts);
  const { from, until } = sliceOfDays(day, day);
  const start = from.getTime();
  const length = until.getTime() - start;
  const cut = (index: number) => new Date(start + Math.round((length * index) / parts));
  return Array.from({ length: parts }, (_, index) => ({ from: cut(index), until: cut(index + 1) }));
}

/** Days of history that each plan shows. */
export const historyDays: Record<Plan, number> = { free: 30, pro: 365, team: 365 };

/** The window of `days` days that ends today, cut to the plan's history. */
export function planWindow(now: Date, plan: Plan, days: number): Window {
  return windowEnding(dayOf(now), Math.min(days, historyDays[plan]));
}
