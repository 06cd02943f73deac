import { getDayCosts, type CostHistory } from '../dashboard/getDayCosts.ts';
import type { Database } from '../db/database.ts';
import { addDays, dayOf } from '../lib/days.ts';
import { measuredDays } from './measure.ts';

/** The organization's costs that checks at `now` can look at, or those of `days` days before as well. */
export function measuredCosts(db: Database, orgId: string, now: Date, days = 0): Promise<CostHistory> {
  const end = dayOf(now);
  return getDayCosts(db, orgId, { start: addDays(end, -days - measuredDays), end });
}
