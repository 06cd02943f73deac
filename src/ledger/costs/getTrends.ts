import { daysOf, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { planWindow } from '../runs/planWindow.ts';
import type { DashboardContext } from './context.ts';
import { findDayTotals } from './queries.ts';

export type Trends = { data: { day: Day; costNanos: Nanos; runs: number }[]; period: Window };

/** Cost and runs of each day of the window, oldest first, days with nothing included. */
export async function getTrends({ db, actor, clock, plan }: DashboardContext, days: number): Promise<Trends> {
  const period = planWindow(clock.now(), plan, days);
  const totals = await findDayTotals(db, actor.orgId, period);
  const byDay = new Map(totals.map((total) => [total.day, total]));
  const data = daysOf(period).map((day) => {
    const total = byDay.get(day);
    return { day, costNanos: total?.costNanos ?? 0n, runs: Number(total?.runs ?? 0n) };
  });
  return { data, period };
}
