import { findRepriced } from '../../ledger/repricing/reprices.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inSnapshot } from '../../platform/db/inSnapshot.ts';
import { startOfDay } from '../../platform/lib/days.ts';
import { carryOut } from './carryOut.ts';
import type { AlertProgram } from './context.ts';
import { dueAfter } from './createAlert.ts';
import { createExplainer } from './explainTrigger.ts';
import { judge, type Judgement } from './judge.ts';
import { measuredCosts } from './measuredCosts.ts';
import { budgetPeriod, previousTick, startOfRecent } from './periods.ts';
import {
  claimDueAlerts,
  findRecentTriggers,
  inSavepoint,
  scheduleChecks,
  type AlertRow,
  type RecentTrigger,
} from './queries.ts';

/** Few enough that nobody waits long for the transaction, also where the database has one session. */
const mostAtOnce = 50;
const againAfterMilliseconds = 300_000;

/**
 * Checks the alerts that are due, each as of its latest tick: ticks missed while nothing ran are made up for by one
 * check, and a period that ended meanwhile is judged as well. The rows stay locked until all of it is committed, so
 * that no other worker checks them as well, and one that dies leaves them due. Those of organizations that are being
 * repriced stay due until that has ended. A check that fails changes nothing and costs the others nothing: it is thrown
 * at the end, and its alert is due again in five minutes. Answers how many were checked.
 */
export async function checkDueAlerts(program: AlertProgram): Promise<number> {
  const now = program.clock.now();
  const failures = new Map<string, Error>();
  // In one snapshot, so that an explanation adds up to the sum that was judged.
  const checked = await inSnapshot(program.db, async (tx) => {
    failures.clear();
    const due = await claimDueAlerts(tx, now, { limit: mostAtOnce, except: await findRepriced(tx) });
    for (const [orgId, alerts] of Map.groupBy(due, (alert) => alert.orgId)) {
      try {
        await inSavepoint(tx, () => checkAlertsOf(tx, program, { orgId, alerts, failures }));
      } catch (cause) {
        for (const { id } of alerts) failures.set(id, new Error(`alert ${id} of ${orgId}`, { cause }));
      }
    }
    const next = due.map(({ orgId, id, checkFrequency }) => ({
      orgId,
      id,
      nextCheckAt: failures.has(id)
        ? new Date(now.getTime() + againAfterMilliseconds)
        : dueAfter(now, checkFrequency, id),
    }));
    if (next.length > 0) await scheduleChecks(tx, next);
    return due.length;
  });
  if (failures.size > 0) throw new AggregateError(failures.values(), 'alerts could not be checked');
  return checked;
}

type Due = { orgId: string; alerts: AlertRow[]; failures: Map<string, Error> };

async function checkAlertsOf(
  tx: Transaction,
  program: AlertProgram,
  { orgId, alerts, failures }: Due,
): Promise<void> {
  const now = program.clock.now();
  const history = await measuredCosts(tx, orgId, now);
  const explain = createExplainer(tx, orgId);
  const checks = alerts.map((alert) => ({ alert, instants: instantsToJudge(alert, now) }));
  const earliest = checks.flatMap(({ instants }) => instants).toSorted(byTime)[0] ?? now;
  const triggersOf = (ids: string[]) => findRecentTriggers(tx, orgId, ids, startOfRecent(earliest));
  const recent = await triggersOf(alerts.map((alert) => alert.id));
  const judgeAt = (at: Date, alert: AlertRow, triggers: RecentTrigger[]): Judgement =>
    judge({ alert, triggers, history, at, how: 'scheduled' });
  const carryOutAll = async (instants: Date[], alert: AlertRow): Promise<void> => {
    let [state, triggers] = [alert.state, recent.get(alert.id) ?? []];
    for (const at of instants) {
      const judgement = judgeAt(at, { ...alert, state }, triggers);
      if (changesNothing(judgement)) continue;
      await carryOut(tx, { clock: program.clock, hasMail: program.mailer !== null }, judgement, explain);
      state = judgement.nextState;
      triggers = (await triggersOf([alert.id])).get(alert.id) ?? [];
    }
  };
  for (const { alert, instants } of checks) {
    try {
      // Nearly all checks find nothing to do: they need no statement of their own.
      if (instants.every((at) => changesNothing(judgeAt(at, alert, recent.get(alert.id) ?? [])))) continue;
      await inSavepoint(tx, () => carryOutAll(instants, alert));
    } catch (cause) {
      failures.set(alert.id, new Error(`alert ${alert.id} of ${orgId}`, { cause }));
    }
  }
}

/**
 * The latest tick; for a budget before it the end of the period before, where that came after the last tick that was
 * judged: months end between Mondays, and while a server is down. A budget judges no period that ended before it was
 * created.
 */
function instantsToJudge(alert: AlertRow, now: Date): Date[] {
  const { alertType, checkFrequency, createdAt, nextCheckAt, period } = alert;
  const tick = previousTick(now, checkFrequency);
  if (alertType !== 'budget') return [tick];
  const dueTick = previousTick(nextCheckAt, checkFrequency);
  const judged = previousTick(justBefore(dueTick), checkFrequency);
  const periodStart = startOfDay(budgetPeriod(justBefore(tick), period).start);
  return periodStart > judged && periodStart > createdAt ? [periodStart, tick] : [tick];
}

const byTime = (a: Date, b: Date) => a.getTime() - b.getTime();

function justBefore(instant: Date): Date {
  return new Date(instant.getTime() - 1);
}

function changesNothing({ alert, evaluation, nextState }: Judgement): boolean {
  return evaluation.signals.length === 0 && nextState === alert.state;
}
