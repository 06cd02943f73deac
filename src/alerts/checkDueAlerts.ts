import { getDayCosts } from '../dashboard/getDayCosts.ts';
import { addDays, dayOf } from '../lib/days.ts';
import { carryOut } from './carryOut.ts';
import type { AlertProgram } from './context.ts';
import { dueAfter } from './createAlert.ts';
import { judge, type Judgement } from './judge.ts';
import { measuredDays } from './measure.ts';
import { previousTick } from './periods.ts';
import { claimDueAlerts, findLatestTriggers, inSavepoint, scheduleChecks } from './queries.ts';

/** Few enough that nobody waits long for the transaction, also where the database has one session. */
const mostAtOnce = 50;

/**
 * Checks the alerts that are due, each as of its latest tick: ticks missed while nothing ran are made up for by one
 * check. The rows stay locked until all of it is committed, so that no other worker checks them as well, and one that
 * dies leaves them due. A check that fails changes nothing and costs the others nothing: it is thrown at the end, and its
 * alert is due again at its next tick. Answers how many were checked.
 */
export async function checkDueAlerts(program: AlertProgram): Promise<number> {
  const now = program.clock.now();
  const failures: unknown[] = [];
  const checked = await program.db.transaction().execute(async (tx) => {
    const due = await claimDueAlerts(tx, now, mostAtOnce);
    for (const [orgId, alerts] of Map.groupBy(due, (alert) => alert.orgId)) {
      const end = dayOf(now);
      const costs = await getDayCosts(tx, orgId, { start: addDays(end, -measuredDays), end });
      const ids = alerts.map((alert) => alert.id);
      const latest = await findLatestTriggers(tx, orgId, ids);
      for (const alert of alerts) {
        const at = previousTick(now, alert.checkFrequency);
        try {
          const judgement = judge({ alert, latest: latest.get(alert.id), costs, at, how: 'scheduled' });
          if (changesNothing(judgement)) continue;
          await inSavepoint(tx, () => carryOut(tx, program, judgement));
        } catch (error) {
          failures.push(error);
        }
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
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} alerts could not be checked`);
  return checked;
}

function changesNothing({ alert, evaluation }: Judgement): boolean {
  return evaluation.signals.length === 0 && evaluation.state === alert.state;
}
