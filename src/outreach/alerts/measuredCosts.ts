import { getCostsByTime, getDayCosts, type CostHistory } from '../../ledger/costs/getDayCosts.ts';
import type { Database } from '../../platform/db/database.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import { daysComparedByNow, measuredDays, type MeasuredHistory } from './measure.ts';
import type { Rule } from './rule.ts';

/** The organization's costs that checks at `now` can look at, or those of `days` days before as well. */
export function measuredCosts(db: Database, orgId: string, now: Date, days = 0): Promise<CostHistory> {
  const end = dayOf(now);
  return getDayCosts(db, orgId, { start: addDays(end, -days - measuredDays), end });
}

/** The same, with what a check of the rule on demand compares today so far with. */
export async function measuredCostsByNow(
  db: Database,
  orgId: string,
  rule: Rule,
  { now, days = 0 }: { now: Date; days?: number },
): Promise<MeasuredHistory> {
  const history = await measuredCosts(db, orgId, now, days);
  const compared = daysComparedByNow(rule, now, history.firstDay);
  return { ...history, costsByNow: await getCostsByTime(db, orgId, compared, now) };
}
