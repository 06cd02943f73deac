import { randomUUID } from 'node:crypto';
import { defaultThresholdNanos } from '../../ledger/costs/anomaly.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import { listNotifications, type SentNotification } from '../notifications/notifications.ts';
import { alertTypes, readThreshold, requireBounds, type AlertTypeName } from './alertTypes.ts';
import { checkDueAlerts } from './checkAlerts.ts';
import type { Explained } from './explain.ts';
import { dueAfter, type Frequency, type Period } from './periods.ts';
import {
  changeAlert,
  countAlerts,
  findAlert,
  findAlerts,
  findAlertToChange,
  findLowestThreshold,
  findTrigger,
  findTriggers,
  insertAlert,
  removeAlert,
  type AlertRow,
  type TriggerRow,
} from './queries.ts';
import { announceShares, skipReachedShares } from './shares.ts';
import { resolveOpen, type Resolution } from './triggers.ts';

export type Alert = AlertRow;

type Reader = Pick<NotificationContext, 'db' | 'actor'>;

export async function listAlerts({ db, actor }: Reader): Promise<Alert[]> {
  return findAlerts(db, actor.orgId);
}

export async function getAlert({ db, actor }: Reader, id: string): Promise<Alert> {
  const alert = isUuid(id) ? await findAlert(db, actor.orgId, id) : undefined;
  if (!alert) throw notFound('alert');
  return alert;
}

export async function warningsOf(
  { db, mailer }: Pick<NotificationContext, 'db' | 'mailer'>,
  { orgId, notifyEmail }: Alert,
): Promise<string[]> {
  if (!notifyEmail) return [];
  const ofServer = mailer ? [] : ['No email will be sent: SMTP_URL and EMAIL_FROM are not set.'];
  return [...ofServer, ...(await recipientWarnings(db, orgId))];
}

export async function recipientWarnings(db: Database, orgId: string): Promise<string[]> {
  if ((await listAlertEmails(db, orgId)).length > 0) return [];
  return ['No email will be sent: no owner or admin has alert_emails on.'];
}

export type ExplainedTrigger = TriggerRow & { explanation: Explained; notifications: SentNotification[] };

export async function listTriggers(
  ctx: Reader,
  alertId: string,
  page: Page,
): Promise<{ triggers: TriggerRow[]; total: number }> {
  const alert = await getAlert(ctx, alertId);
  return findTriggers(ctx.db, alert.orgId, alert.id, rowsOf(page));
}

/**
 * One trigger with its explanation from that time and its notifications, which are kept for 30 days. Amounts in the
 * explanation are nano-dollars as text.
 */
export async function getTrigger(ctx: Reader, alertId: string, id: string): Promise<ExplainedTrigger> {
  const alert = await getAlert(ctx, alertId);
  const trigger = await findTrigger(ctx.db, alert.orgId, alert.id, id);
  if (!trigger) throw notFound('trigger');
  const notifications = await listNotifications(ctx.db, { orgId: alert.orgId, triggerId: id });
  return { ...trigger, explanation: trigger.explanation as Explained, notifications };
}

export type AlertSettings = {
  name: string;
  alert_type: AlertTypeName;
  threshold_amount: number;
  check_frequency?: Frequency;
  period?: Period;
  notify_email?: boolean;
  enabled?: boolean;
};

/** From which rise of a day on this organization calls it anomalous. */
export async function findAnomalyThreshold({ db, actor }: Reader): Promise<bigint> {
  return (await findLowestThreshold(db, actor.orgId)) ?? defaultThresholdNanos;
}

const maxAlerts = 500;

export async function createAlert(ctx: NotificationContext, settings: AlertSettings): Promise<AlertRow> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  const id = randomUUID();
  const checkFrequency = settings.check_frequency ?? 'daily';
  const thresholdNanos = readThreshold(settings.threshold_amount, settings.alert_type);
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    if ((await countAlerts(tx, actor.orgId)) >= maxAlerts) {
      const message = `An organization can have at most ${maxAlerts} alerts. Delete one first.`;
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
    await skipReachedShares(tx, alert, now);
    await recordAudit(tx, ctx, 'alert.create', id, { ...settings });
    return alert;
  });
}

export type AlertChanges = Partial<AlertSettings>;

/**
 * Changes the given fields. A changed rule, or disabling the alert, resolves its open trigger. Warns of a threshold that
 * keeps its number while a new type changes its unit.
 */
export async function updateAlert(
  ctx: NotificationContext,
  id: string,
  changes: AlertChanges,
): Promise<{ alert: AlertRow; warnings: string[] }> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const alert = await alertToChange(tx, ctx, id);
    if (Object.keys(changes).length === 0) return { alert, warnings: [] };
    const next = applied(alert, changes);
    const details = differences(namedByTheApi(alert), namedByTheApi(next));
    if (!details) return { alert, warnings: [] };
    const resolution = resolutionOf(alert, next);
    if (resolution) await resolveOpen(tx, ctx, alert, resolution);
    const isSwitchedOn = next.enabled && !alert.enabled;
    const isOtherBudget = isOtherPeriod(alert, next) || alert.thresholdNanos !== next.thresholdNanos;
    const isRescheduled = next.checkFrequency !== alert.checkFrequency || isSwitchedOn;
    const changed = await changeAlert(tx, alert, {
      ...next,
      ...(resolution ? { state: 'ok' as const } : {}),
      ...(isOtherPeriod(alert, next) ? { announcedSince: null, announced: '[]' } : {}),
      // Costs of the time when it was off are not announced later.
      ...(isSwitchedOn ? { announcedSince: null } : {}),
      ...(isRescheduled ? { nextCheckAt: dueAfter(now, next.checkFrequency, alert.id) } : {}),
      updatedAt: now,
    });
    if (isOtherBudget || isSwitchedOn) await skipReachedShares(tx, changed, now);
    await recordAudit(tx, ctx, 'alert.update', id, details);
    return { alert: changed, warnings: warningsOfUnit(alert, changes) };
  });
}

function warningsOfUnit(
  before: AlertRow,
  { alert_type: type, threshold_amount: amount }: AlertChanges,
): string[] {
  if (type === undefined || type === before.alertType || amount !== undefined) return [];
  const [from, to] = [before.alertType, type].map((each) => alertTypes[each as AlertTypeName].schema.unit);
  const kept = formatNanos(before.thresholdNanos);
  return [`threshold_amount stays ${kept} and is now in ${to}, not ${from}. Send it to change it.`];
}

export async function deleteAlert(ctx: NotificationContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const alert = await alertToChange(tx, ctx, id);
    await resolveOpen(tx, ctx, alert, 'alert_deleted');
    await removeAlert(tx, alert.orgId, alert.id);
    await recordAudit(tx, ctx, 'alert.delete', id, { name: alert.name });
  });
}

async function alertToChange(tx: Transaction, { actor }: NotificationContext, id: string): Promise<AlertRow> {
  if (!isUuid(id)) throw notFound('alert');
  await lockCosts(tx, actor.orgId);
  const alert = await findAlertToChange(tx, actor.orgId, id);
  if (!alert) throw notFound('alert');
  return alert;
}

type Settings = Pick<
  AlertRow,
  'name' | 'alertType' | 'thresholdNanos' | 'checkFrequency' | 'period' | 'notifyEmail' | 'enabled'
>;

function applied(alert: AlertRow, changes: AlertChanges): Settings {
  const alertType = changes.alert_type ?? alert.alertType;
  const { threshold_amount: amount } = changes;
  if (amount === undefined) requireBounds(alert.thresholdNanos, alertType);
  return {
    name: changes.name ?? alert.name,
    alertType,
    thresholdNanos: amount === undefined ? alert.thresholdNanos : readThreshold(amount, alertType),
    checkFrequency: changes.check_frequency ?? alert.checkFrequency,
    period: changes.period ?? alert.period,
    notifyEmail: changes.notify_email ?? alert.notifyEmail,
    enabled: changes.enabled ?? alert.enabled,
  };
}

function namedByTheApi(settings: Settings) {
  const { name, alertType, thresholdNanos, checkFrequency, period, notifyEmail, enabled } = settings;
  return {
    name,
    alert_type: alertType,
    threshold_amount: Number(formatNanos(thresholdNanos)),
    check_frequency: checkFrequency,
    period,
    notify_email: notifyEmail,
    enabled,
  };
}

function resolutionOf(alert: AlertRow, next: Settings): Resolution | null {
  if (alert.enabled && !next.enabled) return 'alert_disabled';
  const rule = ['alertType', 'thresholdNanos', 'checkFrequency', 'period'] as const;
  return rule.some((name) => alert[name] !== next[name]) ? 'alert_changed' : null;
}

/** Shares of a month say nothing about a week that starts on the same day. */
function isOtherPeriod(alert: AlertRow, next: Settings): boolean {
  return alert.period !== next.period || alert.alertType !== next.alertType;
}

export function alertPollers(program: NotificationProgram): Poller[] {
  const check = async () => (await checkDueAlerts(program)) > 0;
  return [
    { name: 'check alerts', everyMilliseconds: 5_000, run: check },
    { name: 'announce shares of budgets', everyMilliseconds: 1_000, run: () => announceShares(program) },
  ];
}
