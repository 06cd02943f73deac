import { addDays, daysOf, type Day, type Window } from '../../platform/lib/days.ts';
import { planWindow } from '../runs/periods.ts';
import { listUnpriced } from '../runs/reading.ts';
import type { DashboardContext } from './overview.ts';
import { findFirstDay } from './queries.ts';
import { countFlaggedJobs, findDayRuns, findLastEventAt, type DayRuns, type FlaggedJobs } from './queries.ts';

const mostRunners = 10;
const mostRunsExamined = 500;

export type Unknowns = {
  unpriced: Awaited<ReturnType<typeof listUnpriced>>;
  /** Runs created before yesterday that are not known to have ended. */
  incompleteRuns: number;
  flaggedJobs: FlaggedJobs;
  quietDays: Day[];
  lastEventAt: Date | null;
  period: Window;
};

/** What the sums of the window do not know, or may have wrong. */
export async function getUnknowns(ctx: DashboardContext, days: number): Promise<Unknowns> {
  const { db, actor, clock, plan } = ctx;
  const { orgId } = actor;
  const period = planWindow(clock.now(), plan, days);
  const dayRuns = await findDayRuns(db, orgId, {
    ...period,
    start: addDays(period.start, -quietHistoryDays),
  });
  const daysWithRuns = new Set(dayRuns.map(({ day }) => day));
  return {
    unpriced: await listUnpriced(ctx, { days: period.days, page: 1, perPage: mostRunners }),
    incompleteRuns: countIncomplete(period, dayRuns),
    flaggedJobs: await countFlaggedJobs(db, orgId, period, mostRunsExamined),
    quietDays: quietDays(period, daysWithRuns, await findFirstDay(db, orgId)),
    lastEventAt: await findLastEventAt(db, orgId),
    period,
  };
}

/** Days before yesterday: every run of these is more than a day old. */
function countIncomplete({ start, end }: Window, dayRuns: readonly DayRuns[]): number {
  const last = addDays(end, -2);
  const counted = dayRuns.filter(({ day }) => day >= start && day <= last);
  return Number(counted.reduce((sum, { runs, completedRuns }) => sum + runs - completedRuns, 0n));
}

/** Weeks before a day that tell whether its weekday usually has runs, and how few of them can. */
const weeksBack = 8;
const fewestWeeks = 3;

/** Days before a window that `quietDays` looks at. */
const quietHistoryDays = weeksBack * 7;

/**
 * The whole days of the window, which ends today, without any run, though at least three of four of the same weekdays in
 * the 8 weeks before had some: either nobody worked, or nothing was reported. Days before the first known one say nothing,
 * and a weekday is judged by 3 of them at least.
 */
export function quietDays(window: Window, daysWithRuns: ReadonlySet<Day>, firstDay: Day | null): Day[] {
  return daysOf(window).filter((day) => {
    if (firstDay === null || day === window.end || day < firstDay || daysWithRuns.has(day)) return false;
    const before = Array.from({ length: weeksBack }, (_, week) => addDays(day, -7 * (week + 1))).filter(
      (same) => same >= firstDay,
    );
    const busy = before.filter((same) => daysWithRuns.has(same)).length;
    return before.length >= fewestWeeks && busy * 4 >= before.length * 3;
  });
}
