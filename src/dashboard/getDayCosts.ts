import type { Database } from '../db/database.ts';
import type { Day, Window } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';
import { findDayTotals, findFirstDay, findRunnerUse, type RunnerUse } from './queries.ts';

export type CostHistory = {
  /** Days without cost are left out. */
  costs: ReadonlyMap<Day, Nanos>;
  /** The organization's first day with anything on it. */
  firstDay: Day | null;
};

/** The costs that the dashboard shows, by day; for those who decide by them. */
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

/** What ran on which kind of runner in any of the windows, by workflow. */
export function getRunnerUse(db: Database, orgId: string, windows: readonly Window[]): Promise<RunnerUse[]> {
  return findRunnerUse(db, orgId, windows);
}
