import { createScopeReader } from '../../ledger/costs/scopes.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { inSnapshot, type Database } from '../../platform/db/database.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { isKnown, measure, ruleOf, typeOf } from './alertTypes.ts';
import { previousTick } from './periods.ts';
import { findAlerts, type AlertRow } from './queries.ts';
import { forecastDays, prepareCosts, readCosts } from './readCosts.ts';
import type { Measured, MeasuredHistory, PeriodForecast, Condition } from './rules/rule.ts';
import { findRecentTriggers, type RecentTrigger } from './triggers.queries.ts';

export type Measurement = Condition & {
  alert: AlertRow;
  /** The measurement covers costs before this time. */
  at: Date;
  isSoFar: boolean;
  measured: Measured;
  forecast: PeriodForecast | null;
  open: RecentTrigger | null;
};

/**
 * The current value of each enabled alert, from one reading of the costs: a budget with today so far, an
 * anomaly at its last scheduled check. Stores nothing.
 */
export async function measureAlerts(
  ctx: Pick<NotificationContext, 'db' | 'actor' | 'clock' | 'log' | 'providers' | 'findUnusualThreshold'>,
): Promise<Measurement[]> {
  const { db, clock, providers } = ctx;
  const { orgId } = ctx.actor;
  const now = clock.now();
  const span = { now, days: forecastDays };
  const scopes = (await findMeasured(db, orgId)).map(({ scope }) => scope);
  await prepareCosts(ctx, orgId, scopes, span);
  const { alerts, open, sum } = await inSnapshot(db, async (tx) => {
    const found = await findMeasured(tx, orgId);
    return {
      alerts: found,
      open: await findOpen(tx, orgId, found, now),
      sum: await readCosts(createScopeReader(tx, orgId, providers), found, span),
    };
  });
  const unusualRule = await findUnusualRule(ctx);
  const historyOf = await sum();
  return alerts.map((alert) => ({
    ...measurementOf(alert, { ...historyOf(alert), unusualRule }, now),
    open: open.get(alert.id)?.find(({ resolvedAt }) => resolvedAt === null) ?? null,
  }));
}

async function findMeasured(db: Database, orgId: string): Promise<AlertRow[]> {
  return (await findAlerts(db, orgId)).filter((alert) => alert.enabled && isKnown(alert));
}

async function findOpen(db: Database, orgId: string, alerts: readonly AlertRow[], now: Date) {
  const ids = alerts.filter(({ state }) => state === 'triggered').map(({ id }) => id);
  return ids.length > 0 ? findRecentTriggers(db, orgId, ids, now) : new Map<string, RecentTrigger[]>();
}

/**
 * Compares whole days for an anomaly, because the same hours of earlier days would take a reading per alert.
 */
function measurementOf(alert: AlertRow, history: MeasuredHistory, now: Date): Omit<Measurement, 'open'> {
  const rule = ruleOf(alert);
  const type = typeOf(rule);
  const isSoFar = type.isByPeriod;
  const at = isSoFar ? now : previousTick(now, rule.frequency);
  const measured = measure(rule, history, at, isSoFar ? 'on_demand' : 'scheduled');
  const forecast = type.forecast(rule, history, now);
  return { ...type.compareWithThreshold(rule, measured), alert, at, isSoFar, measured, forecast };
}
