import { inSnapshot } from '../../platform/db/database.ts';
import { addDays, daysOf, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { countAwaitingApproval, listUnpriced } from '../runs/reading.ts';
import { findFirstDay } from './columns/rollups.queries.ts';
import { countFlaggedJobs, findLastEventAt, type FlaggedJobs } from './queries.ts';
import { createScopeReader } from './scopes.ts';
import type { PlanCostContext } from './summary.ts';
import { readSums } from './sums.ts';

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

export async function getDataQuality(ctx: PlanCostContext, days: number): Promise<DataQuality> {
  const { db, actor, clock, plan, providers } = ctx;
  const { orgId } = actor;
  const period = planWindow(clock.now(), plan, days);
  const window = windowBetween(addDays(period.start, -quietHistoryDays), period.end);
  const { sums } = await readSums(ctx, { window, by: 'day', sums: ['runs', 'completedRuns'] });
  const dayRuns = [...sums].map(([day, runs]) => ({ day: day!, ...runs }));
  const overTimeLimit = await inSnapshot(db, (tx) =>
    createScopeReader(tx, orgId, providers).overTimeLimit([], period),
  );
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
  ctx: PlanCostContext,
  { start, end }: Window,
  dayRuns: readonly { day: Day; runs: bigint; completedRuns: bigint }[],
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
