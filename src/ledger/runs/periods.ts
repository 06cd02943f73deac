import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, startOfDay, windowEnding, type Day, type Window } from '../../platform/lib/days.ts';

/** From one instant up to another, which is not included. */
export type TimeSlice = { from: Date; until: Date };

export function sliceOfDays(first: Day, last: Day): TimeSlice {
  return { from: startOfDay(first), until: startOfDay(addDays(last, 1)) };
}

/**
 * Cuts the days with jobs into slices: joins neighboring days while they have at most `maxJobs` jobs, and splits a day
 * with more jobs into equal parts.
 */
export function slicesOf(days: readonly { day: Day; jobs: number }[], maxJobs: number): TimeSlice[] {
  const slices: TimeSlice[] = [];
  let open: { first: Day; last: Day; jobs: number } | null = null;
  const close = (): void => {
    if (open) slices.push(sliceOfDays(open.first, open.last));
    open = null;
  };
  for (const { day, jobs } of days) {
    if (jobs > maxJobs) {
      close();
      slices.push(...partsOf(day, Math.ceil(jobs / maxJobs)));
    } else if (open && open.jobs + jobs <= maxJobs) {
      open = { first: open.first, last: day, jobs: open.jobs + jobs };
    } else {
      close();
      open = { first: day, last: day, jobs };
    }
  }
  close();
  return slices;
}

const maxParts = 24 * 60;

function partsOf(day: Day, wanted: number): TimeSlice[] {
  const parts = Math.min(wanted, maxParts);
  const { from, until } = sliceOfDays(day, day);
  const start = from.getTime();
  const length = until.getTime() - start;
  const cut = (index: number) => new Date(start + Math.round((length * index) / parts));
  return Array.from({ length: parts }, (_, index) => ({ from: cut(index), until: cut(index + 1) }));
}

export const historyDays: Record<Plan, number> = { free: 30, pro: 365, team: 365 };

/** The last `days` days up to today, or as many as the plan shows. */
export function planWindow(now: Date, plan: Plan, days: number): Window {
  return windowEnding(dayOf(now), Math.min(days, historyDays[plan]));
}
