import type { Database } from '../../platform/db/database.ts';
import { addDays, dayOf, startOfDay, windowEnding, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import {
  findDayTotals,
  findFirstDay,
  findPartCosts,
  findRunnerUse,
  type PartOfDay,
  type RunnerUse,
} from './queries.ts';

export type CostHistory = {
  /** Days without cost are left out. */
  costs: ReadonlyMap<Day, Nanos>;
  firstDay: Day | null;
};

/** The organization's cost per day, as the dashboard shows it. */
export async function getDayCosts(
  db: Database,
  orgId: string,
  window: Pick<Window, 'start' | 'end'>,
): Promise<CostHistory> {
  const totals = await findDayTotals(db, orgId, window);
  return {
    costs: new Map(totals.map(({ day, costNanos }) => [day, costNanos])),
    firstDay: await findFirstDay(db, orgId),
  };
}

/** What each day had cost by the time of day of `at`. Reads the jobs of these hours, so pass only a few days. */
export async function getCostsByTime(
  db: Database,
  orgId: string,
  days: readonly Day[],
  at: Date,
): Promise<ReadonlyMap<Day, Nanos>> {
  if (days.length === 0) return new Map();
  const parts = await findPartCosts(
    db,
    orgId,
    days.map((day) => partUntil(day, at)),
  );
  return new Map(parts.map(({ day, costNanos }) => [day, costNanos]));
}

/**
 * Use of each runner kind in any of the windows, by workflow. With `until`, the last day of each window counts only up
 * to that time of day.
 */
export function getRunnerUse(
  db: Database,
  orgId: string,
  windows: readonly Window[],
  until: Date | null = null,
): Promise<RunnerUse[]> {
  if (until === null) return findRunnerUse(db, orgId, windows, []);
  const whole = windows
    .filter(({ days }) => days > 1)
    .map(({ end, days }) => windowEnding(addDays(end, -1), days - 1));
  const parts = windows.map(({ end }) => partUntil(end, until));
  return findRunnerUse(db, orgId, whole, parts);
}

function partUntil(day: Day, at: Date): PartOfDay {
  const sinceMidnight = at.getTime() - startOfDay(dayOf(at)).getTime();
  return { day, until: new Date(startOfDay(day).getTime() + sinceMidnight) };
}
