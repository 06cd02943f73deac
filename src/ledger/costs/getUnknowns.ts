import { addDays, type Day, type Window } from '../../platform/lib/days.ts';
import { planWindow } from '../runs/planWindow.ts';
import { listUnpriced } from '../runs/reading.ts';
import type { DashboardContext } from './context.ts';
import { findFirstDay } from './queries.ts';
import { quietDays, quietHistoryDays } from './quietDays.ts';
import {
  countFlaggedJobs,
  findDayRuns,
  findLastEventAt,
  type DayRuns,
  type FlaggedJobs,
} from './unknowns.queries.ts';

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
