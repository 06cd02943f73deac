import { inSnapshot } from '../../platform/db/database.ts';
import { addDays, daysOf, type Day, type Window } from '../../platform/lib/days.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { countAwaitingApproval, listUnpriced } from '../runs/reading.ts';
import type { PlanContext } from './overview.ts';
import {
  countFlaggedJobs,
  findDayRuns,
  findFirstDay,
  findLastEventAt,
  type DayRuns,
  type FlaggedJobs,
} from './queries.ts';
import { createScopeReader } from './scopes.ts';

const maxRunners = 10;
const maxExaminedJobs = 5_000;

export type DataQuality = {
  unpriced: Awaited<ReturnType<typeof listUnpriced>>;
  incompleteRuns: number;
  flaggedJobs: FlaggedJobs;
  overTimeLimit: number;
  quietDays: Day[];
  lastEventAt: Date | null;
  period: Window;
};

export async function getDataQuality(ctx: PlanContext, days: number): Promise<DataQuality> {
  const { db, actor, clock, plan } = ctx;
  const { orgId } = actor;
  const period = planWindow(clock.now(), plan, days);
  const dayRuns = await findDayRuns(db, orgId, {
    ...period,
    start: addDays(period.start, -quietHistoryDays),
  });
  const overTimeLimit = await inSnapshot(db, (tx) => createScopeReader(tx, orgId).overTimeLimit([], period));
  const daysWithRuns = new Set(dayRuns.map(({ day }) => day));
  return {
    unpriced: await listUnpriced(ctx, { days: period.days, page: 1, perPage: maxRunners }),
    incompleteRuns: await countIncomplete(ctx, period, dayRuns),
    flaggedJobs: await countFlaggedJobs(db, orgId, period, maxExaminedJobs),
    overTimeLimit: overTimeLimit.jobs,
    quietDays: quietDays(period, daysWithRuns, await findFirstDay(db, orgId)),
    lastEventAt: await findLastEventAt(db, orgId),
    period,
  };
}

/** A run that waits for an approval is not incomplete: nobody knows when it goes on. */
async function countIncomplete(
  ctx: PlanContext,
  { start, end }: Window,
  dayRuns: readonly DayRuns[],
): Promise<number> {
  const last = addDays(end, -2);
  const counted = dayRuns.filter(({ day }) => day >= start && day <= last);
  const open = Number(counted.reduce((sum, { runs, completedRuns }) => sum + runs - completedRuns, 0n));
  return open === 0 ? 0 : open - (await countAwaitingApproval(ctx, { start, end: last }));
}

const weeksBack = 8;
const minWeeks = 3;

const quietHistoryDays = weeksBack * 7;

/**
 * Whole days of the window without a run, although at least three quarters of the same weekdays in the previous 8
 * weeks had one. Needs at least 3 such weekdays since the first recorded day.
 */
export function quietDays(window: Window, daysWithRuns: ReadonlySet<Day>, firstDay: Day | null): Day[] {
  return daysOf(window).filter((day) => {
    if (firstDay === null || day === window.end || day < firstDay || daysWithRuns.has(day)) return false;
    const before = Array.from({ length: weeksBack }, (_, week) => addDays(day, -7 * (week + 1))).filter(
      (same) => same >= firstDay,
    );
    const busy = before.filter((same) => daysWithRuns.has(same)).length;
    return before.length >= minWeeks && busy * 4 >= before.length * 3;
  });
}
