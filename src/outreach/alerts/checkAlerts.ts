import { setTimeout as delay } from 'node:timers/promises';
import { createScopeReader } from '../../ledger/costs/scopes.ts';
import { isRepriced } from '../../ledger/repricing/reprices.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { startOfDay } from '../../platform/lib/days.ts';
import { notFound, OrganizationError } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import { awaitSent, sendNow } from '../notifications/notifications.ts';
import { alertTypes, isKnown, ruleOf } from './alertTypes.ts';
import { decideCheck, type CheckDecision } from './decide.ts';
import { createExplainer } from './explain.ts';
import { budgetPeriod, dueAfter, previousTick, startOfRecent } from './periods.ts';
import {
  claimDueAlerts,
  claimDueInScope,
  findAlert,
  findAlertToChange,
  findDueOrganizations,
  inSavepoint,
  scheduleChecks,
  type AlertRow,
  type DueOrganization,
} from './queries.ts';
import { forecastDays, prepareCosts, readCosts, readCostsByNow, slowTypes } from './readCosts.ts';
import { spreadBy } from './scope.ts';
import { findRecentTriggers, type RecentTrigger, type TriggerRow } from './triggers.queries.ts';
import { applyDecision, isSnoozed } from './triggers.ts';

export type Check = CheckDecision & { trigger: TriggerRow | null };

const maxWaitMilliseconds = 10_000;

/**
 * Checks an alert now, with today so far. The check commits first, then waits up to ten seconds for its
 * notifications. `notificationSent` says whether one was sent; failed ones are retried later.
 */
export async function checkAlert(
  ctx: NotificationContext,
  id: string,
  sentBy: 'us' | 'server',
): Promise<Check & { notificationSent: boolean }> {
  const check = await commitCheck(ctx, id, sentBy === 'server' || ctx.mailer !== null);
  if (!check.trigger || isSnoozed(check.alert, check.at)) return { ...check, notificationSent: false };
  const { orgId, id: triggerId } = check.trigger;
  const waited = new AbortController();
  const { signal } = waited;
  // From here on, failures do not undo the check. The worker retries.
  const see = sentBy === 'us' ? sendNow : awaitSent;
  const notificationSent = await Promise.race([
    see(ctx, { orgId, triggerId }, signal).catch(() => false),
    delay(maxWaitMilliseconds, false, { signal }),
  ]);
  waited.abort();
  return { ...check, notificationSent };
}

async function commitCheck(ctx: NotificationContext, id: string, hasMail: boolean): Promise<Check> {
  const { actor, clock, db, subscribers, channelKinds, providers } = ctx;
  const seen = isUuid(id) ? await findAlert(db, actor.orgId, id) : undefined;
  if (seen) await prepareCosts(ctx, actor.orgId, [seen.scope], { now: clock.now(), days: forecastDays });
  return inSnapshot(db, async (tx) => {
    const alert = isUuid(id) ? await findAlertToChange(tx, actor.orgId, id) : undefined;
    if (!alert) throw notFound('alert');
    const at = clock.now();
    const reader = createScopeReader(tx, actor.orgId, providers);
    const history = await readCostsByNow(reader, ruleOf(alert), { now: at, days: forecastDays });
    const recent = await findRecentTriggers(tx, actor.orgId, [alert.id], startOfRecent(at));
    const triggers = recent.get(alert.id) ?? [];
    const decision = decideCheck({ alert, triggers, history, at, kind: 'on_demand' });
    const explain = createExplainer(reader);
    const trigger = await applyDecision(
      tx,
      { now: at, subscribers, hasMail, channelKinds, providers },
      decision,
      explain,
    );
    if (decision.signals.length > 0) {
      const details = { name: alert.name, trigger: trigger?.id ?? null };
      await recordAudit(tx, ctx, 'alert.check', alert.id, details);
    }
    return { ...decision, trigger };
  });
}

/** Few enough for a short transaction. */
const maxAtOnce = 50;
const againAfterMilliseconds = 300_000;

/**
 * Checks a few due alerts of each organization, once for all missed ticks, and returns their number. Alerts
 * of organizations under reprice wait. Failures do not affect others and are thrown at the end.
 */
export async function checkDueAlerts(program: NotificationProgram, signal?: AbortSignal): Promise<number> {
  const now = program.clock.now();
  const failures: Error[] = [];
  let checked = 0;
  for (const due of await findDueOrganizations(program.db, now, slowTypes)) {
    if (signal?.aborted) break;
    try {
      const attributes = { 'runcost.organization': due.orgId };
      checked += await program.telemetry.tracing.inSpan('check alerts', { attributes }, () =>
        checkOrganization(program, due, { now, failures }),
      );
    } catch (cause) {
      failures.push(new OrganizationError('alerts', due.orgId, cause));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'could not check alerts');
  return checked;
}

type Round = { now: Date; failures: Error[] };

/**
 * The rows stay locked until the commit, so no other worker checks them. A failed check is due again in five
 * minutes, a failed transaction in the next round.
 */
async function checkOrganization(
  program: NotificationProgram,
  { orgId, scopes }: DueOrganization,
  { now, failures }: Round,
): Promise<number> {
  if (await isRepriced(program.db, orgId)) return 0;
  // Done here to keep the transaction short. If it fails, the check itself reports why.
  await prepareCosts(program, orgId, scopes, { now, days: forecastDays }).catch((error: unknown) =>
    program.log.warn(
      { err: error, organization: orgId },
      'the cost columns for alerts could not be prepared',
    ),
  );
  // One snapshot, so that an explanation adds up to the sum that was checked.
  const done = await inSnapshot(program.db, async (tx) => {
    const failed = new Map<string, Error>();
    const alerts = (await isRepriced(tx, orgId)) ? [] : await claimDue(tx, orgId, now);
    if (alerts.length === 0) return { checked: 0, failed };
    try {
      await inSavepoint(tx, () => checkAlertsOf(tx, program, { orgId, alerts, failed }));
    } catch (cause) {
      for (const { id } of alerts) failed.set(id, new OrganizationError(`alert ${id}`, orgId, cause));
    }
    const next = alerts.map((alert) => ({
      id: alert.id,
      nextCheckAt: failed.has(alert.id)
        ? new Date(now.getTime() + againAfterMilliseconds)
        : dueAfter(now, alert.checkFrequency, spreadBy(alert)),
    }));
    await scheduleChecks(tx, orgId, next);
    return { checked: alerts.length, failed };
  });
  failures.push(...done.failed.values());
  return done.checked;
}

/**
 * Claims a few due alerts. If one has a scope, it claims all due alerts with scopes, because they share a
 * measurement.
 */
async function claimDue(tx: Transaction, orgId: string, now: Date): Promise<AlertRow[]> {
  const due = await claimDueAlerts(tx, orgId, { now, limit: maxAtOnce });
  if (due.length < maxAtOnce || due.every(({ scope }) => scope.type === 'organization')) return due;
  return [...due, ...(await claimDueInScope(tx, orgId, { now, except: due.map(({ id }) => id) }))];
}

type Due = { orgId: string; alerts: AlertRow[]; failed: Map<string, Error> };

async function checkAlertsOf(
  tx: Transaction,
  program: NotificationProgram,
  { orgId, alerts, failed }: Due,
): Promise<void> {
  const now = program.clock.now();
  const { subscribers, channelKinds, mailer, providers } = program;
  const announcing = { now, subscribers, channelKinds, providers, hasMail: mailer !== null };
  const checks = alerts
    .map((alert) => ({ alert, instants: instantsToCheck(alert, now) }))
    .filter(({ instants }) => instants.length > 0);
  const reader = createScopeReader(tx, orgId, providers);
  const watched = checks.map(({ alert }) => alert);
  const sum = await readCosts(reader, watched, { now, days: forecastDays });
  const earliest = checks.flatMap(({ instants }) => instants).toSorted(byTime)[0] ?? now;
  const triggersOf = (ids: string[]) => findRecentTriggers(tx, orgId, ids, startOfRecent(earliest));
  const recent = await triggersOf(alerts.map((alert) => alert.id));
  const historyOf = await sum();
  const explain = createExplainer(reader);
  const decideAt = (at: Date, alert: AlertRow, triggers: RecentTrigger[]): CheckDecision =>
    decideCheck({ alert, triggers, history: historyOf(alert), at, kind: 'scheduled' });
  const applyAll = async (instants: Date[], alert: AlertRow): Promise<void> => {
    let [state, triggers] = [alert.state, recent.get(alert.id) ?? []];
    for (const at of instants) {
      const decision = decideAt(at, { ...alert, state }, triggers);
      if (changesNothing(decision)) continue;
      await applyDecision(tx, announcing, decision, explain);
      state = decision.nextState;
      triggers = (await triggersOf([alert.id])).get(alert.id) ?? [];
    }
  };
  for (const { alert, instants } of checks) {
    try {
      // Most checks change nothing, so they need no statement.
      if (instants.every((at) => changesNothing(decideAt(at, alert, recent.get(alert.id) ?? [])))) continue;
      await inSavepoint(tx, () => applyAll(instants, alert));
    } catch (cause) {
      failed.set(alert.id, new OrganizationError(`alert ${alert.id}`, orgId, cause));
    }
  }
}

/**
 * The latest tick and, for a budget, the end of the previous period if no tick has checked it yet: months end
 * between Mondays and while a server is down. Budgets ignore periods from before they were created.
 */
function instantsToCheck(alert: AlertRow, now: Date): Date[] {
  const { checkFrequency, createdAt, nextCheckAt, period } = alert;
  const tick = previousTick(now, checkFrequency);
  if (!isKnown(alert)) return [];
  if (!alertTypes[alert.alertType].isByPeriod) return [tick];
  const dueTick = previousTick(nextCheckAt, checkFrequency);
  const lastChecked = previousTick(justBefore(dueTick), checkFrequency);
  const periodStart = startOfDay(budgetPeriod(justBefore(tick), period).start);
  return periodStart > lastChecked && periodStart > createdAt ? [periodStart, tick] : [tick];
}

const byTime = (a: Date, b: Date) => a.getTime() - b.getTime();

function justBefore(instant: Date): Date {
  return new Date(instant.getTime() - 1);
}

function changesNothing({ alert, signals, nextState }: CheckDecision): boolean {
  return signals.length === 0 && nextState === alert.state;
}
