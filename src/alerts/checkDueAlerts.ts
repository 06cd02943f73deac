import { getDayCosts } from '../dashboard/getDayCosts.ts';
import { addDays, dayOf } from '../lib/days.ts';
import { applyCheck } from './applyCheck.ts';
import type { AlertProgram } from './context.ts';
import { dueAfter } from './createAlert.ts';
import { measuredDays } from './measure.ts';
import { previousTick } from './periods.ts';
import { claimDueAlerts, findLatestTriggers, scheduleChecks } from './queries.ts';

const mostAtOnce = 200;

/**
 * Checks the alerts that are due, each as of its latest tick: ticks missed while nothing ran are made up for by one
 * check. The rows stay locked until all of it is committed, so that no other worker checks them as well, and one that
 * dies leaves them due. Answers how many were checked.
 */
export async function checkDueAlerts(program: AlertProgram): Promise<number> {
  const now = program.clock.now();
  return program.db.transaction().execute(async (tx) => {
    const due = await claimDueAlerts(tx, now, mostAtOnce);
    for (const [orgId, alerts] of Map.groupBy(due, (alert) => alert.orgId)) {
      const end = dayOf(now);
      const costs = await getDayCosts(tx, orgId, { start: addDays(end, -measuredDays), end });
      const ids = alerts.map((alert) => alert.id);
      const latest = await findLatestTriggers(tx, orgId, ids);
      for (const alert of alerts) {
        const at = previousTick(now, alert.checkFrequency);
        await applyCheck(tx, program, { alert, latest: latest.get(alert.id), costs, at, how: 'scheduled' });
      }
    }
    const next = due.map(({ orgId, id, checkFrequency }) => ({
      orgId,
      id,
      nextCheckAt: dueAfter(now, checkFrequency, id),
    }));
    if (next.length > 0) await scheduleChecks(tx, next);
    return due.length;
  });
}
