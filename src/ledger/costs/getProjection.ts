import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { DashboardContext } from './context.ts';
import { getDayCosts } from './getDayCosts.ts';
import { projectionHistoryDays, projectMonth, type Projection } from './projection.ts';

export type MonthProjection = Projection & { month: string; previousMonthNanos: Nanos };

/**
 * What the current UTC month will cost, and what the one before cost. It looks back as far as it needs, whatever the
 * plan shows: like a trend, it compares.
 */
export async function getProjection({
  db,
  actor,
  clock,
}: Pick<DashboardContext, 'db' | 'actor' | 'clock'>): Promise<MonthProjection> {
  const now = clock.now();
  const today = dayOf(now);
  const start = addDays(today, -projectionHistoryDays);
  const history = await getDayCosts(db, actor.orgId, { start, end: today });
  const previous = monthOf(addDays(`${monthOf(today)}-01`, -1));
  return {
    ...projectMonth(now, history),
    month: monthOf(today),
    previousMonthNanos: costOfMonth(history.costs, previous),
  };
}

function monthOf(day: Day): string {
  return day.slice(0, 7);
}

function costOfMonth(costs: ReadonlyMap<Day, Nanos>, month: string): Nanos {
  return [...costs].reduce((sum, [day, nanos]) => (monthOf(day) === month ? sum + nanos : sum), 0n);
}
