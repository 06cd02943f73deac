import { randomUUID } from 'node:crypto';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/locks.ts';
import type { AlertContext } from './context.ts';
import { passOverReachedShares } from './crossBudgets.ts';
import { nextTick, spreadMilliseconds } from './periods.ts';
import { countAlerts, insertAlert, type AlertRow } from './queries.ts';

export type AlertSettings = {
  name: string;
  alert_type: AlertRow['alertType'];
  threshold_amount: number;
  check_frequency?: AlertRow['checkFrequency'];
  period?: AlertRow['period'];
  notify_email?: boolean;
  enabled?: boolean;
};

const mostAlerts = 500;

/** Creates an alert, checked daily, telling by email, and on, unless the settings say otherwise. */
export async function createAlert(ctx: AlertContext, settings: AlertSettings): Promise<AlertRow> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  const id = randomUUID();
  const checkFrequency = settings.check_frequency ?? 'daily';
  const thresholdNanos = readThreshold(settings.threshold_amount, settings.alert_type);
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    if ((await countAlerts(tx, actor.orgId)) >= mostAlerts) {
      const message = `An organization can have at most ${mostAlerts} alerts. Delete one first.`;
      throw new PublicError('conflict', 'too_many_alerts', message);
    }
    const alert = await insertAlert(tx, {
      orgId: actor.orgId,
      id,
      name: settings.name,
      alertType: settings.alert_type,
      thresholdNanos,
      checkFrequency,
      period: settings.period ?? 'month',
      notifyEmail: settings.notify_email ?? true,
      enabled: settings.enabled ?? true,
      state: 'ok',
      nextCheckAt: dueAfter(now, checkFrequency, id),
      createdAt: now,
      updatedAt: now,
    });
    await passOverReachedShares(tx, alert, now);
    await recordAudit(tx, ctx, 'alert.create', id, { ...settings });
    return alert;
  });
}

/** When an alert is checked next: soon after the boundary of its frequency, not all of them at once. */
export function dueAfter(now: Date, frequency: AlertRow['checkFrequency'], id: string): Date {
  return new Date(nextTick(now, frequency).getTime() + spreadMilliseconds(id));
}

const highestPercent = 1_000_000n;
const nanosPerPercent = 1_000_000_000n;

/** The threshold in billionths; throws where the amount is no such number or too high for the type. */
export function readThreshold(amount: number, type: AlertRow['alertType']): bigint {
  const nanos = toNanos(amount);
  if (nanos === null) throw invalid('body.threshold_amount', 'must have at most nine decimals');
  requireBounds(nanos, type);
  return nanos;
}

export function requireBounds(thresholdNanos: bigint, type: AlertRow['alertType']): void {
  if (type === 'anomaly' && thresholdNanos > highestPercent * nanosPerPercent) {
    throw invalid('body.threshold_amount', `must be at most ${highestPercent} percent for an anomaly`);
  }
}
