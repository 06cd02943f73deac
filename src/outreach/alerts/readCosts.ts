import { getCostsByTime, getDayCosts } from '../../ledger/costs/getDayCosts.ts';
import type { Database } from '../../platform/db/database.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import type { MeasuredHistory } from './rules/rule.ts';

/**
 * How many days back from now a check needs costs. A monthly one made up for late looks from a tick 30 days ago at the
 * 30 days before it and at the three windows before those. Shares of budgets look back two months at most.
 */
export const measuredDays = 30 + 4 * 30;

/** The organization's costs that all its alerts are measured by at `now`, or those of `days` days before as well. */
export function readCosts(db: Database, orgId: string, now: Date, days = 0): Promise<MeasuredHistory> {
  const end = dayOf(now);
  return getDayCosts(db, orgId, { start: addDays(end, -days - measuredDays), end });
}

/** The same, with what a check of the rule on demand compares today so far with. */
export async function readCostsByNow(
  db: Database,
  orgId: string,
  rule: Rule,
  { now, days = 0 }: { now: Date; days?: number },
): Promise<MeasuredHistory> {
  const history = await readCosts(db, orgId, now, days);
  const compared = typeOf(rule).daysComparedByNow(rule, now, history.firstDay);
  return { ...history, costsByNow: await getCostsByTime(db, orgId, compared, now) };
}
