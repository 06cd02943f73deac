import { randomUUID } from 'node:crypto';
import type { CostMeasure } from '../../ledger/costs/costMeasures.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { bigintsAsText, formatNanos } from '../../platform/lib/money.ts';
import { isEmail } from '../../platform/lib/text.ts';
import { readInstant } from '../../platform/lib/time.ts';
import { units } from '../../platform/lib/units.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { readChoice } from '../channels/channels.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import { postponeNotifications } from '../notifications/notifications.ts';
import {
  describedOf,
  readThreshold,
  requireBounds,
  requireMeasure,
  type AlertTypeName,
  type Kind,
} from './alertTypes.ts';
import { checkDueAlerts } from './checkAlerts.ts';
import { announcedOf } from './crossThresholds.ts';
import { dueAfter, startOfRecent, type Frequency, type Period } from './periods.ts';
import {
  changeAlert,
  countAlerts,
  findAlert,
  findAlerts,
  findAlertToChange,
  insertAlert,
  removeAlert,
  type AlertRow,
} from './queries.ts';
import { prepareCosts, thresholdDays } from './readCosts.ts';
import { readScope } from './readScope.ts';
import { isSameScope, organizationScope, spreadBy, type Scope } from './scope.ts';
import { announceReached, announceThresholds, announceSlowThresholds } from './thresholds.ts';
import { findRecentTriggers } from './triggers.queries.ts';
import { correctClockAhead, isSnoozed, resolveOpen, type Resolution } from './triggers.ts';

export type Alert = AlertRow;

type ReadContext = Pick<NotificationContext, 'db' | 'actor'>;

export async function listAlerts({ db, actor }: ReadContext): Promise<Alert[]> {
  return findAlerts(db, actor.orgId);
}

export async function getAlert({ db, actor }: ReadContext, id: string): Promise<Alert> {
  const alert = isUuid(id) ? await findAlert(db, actor.orgId, id) : undefined;
  if (!alert) throw notFound('alert');
  return alert;
}

export type AlertSettings = {
  name: string;
  alert_type: AlertTypeName;
  measure?: CostMeasure;
  scope?: Pick<Scope, 'type' | 'value' | 'repository'>;
  threshold_amount: number;
  check_frequency?: Frequency;
  period?: Period;
  notify_email?: boolean;
  notify_chat?: boolean;
  channel_ids?: string[];
  recipients?: string[];
  snoozed_until?: string | null;
  enabled?: boolean;
};

const maxAlerts = 500;

export async function createAlert(ctx: NotificationContext, settings: AlertSettings): Promise<AlertRow> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  const id = randomUUID();
  const checkFrequency = settings.check_frequency ?? 'daily';
  const { kind, thresholdNanos, scope, period } = await readRule(ctx, settings);
  const recipients = readRecipients(settings.recipients ?? []);
  const snoozedUntil = readSnooze(settings.snoozed_until ?? null, now);
  await prepareCosts(ctx, actor.orgId, [scope], { now, days: thresholdDays });
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
      ...kind,
      scope: JSON.stringify(scope),
      thresholdNanos,
      checkFrequency,
      period,
      notifyEmail: settings.notify_email ?? true,
      notifyChat: settings.notify_chat ?? true,
      channelIds: await readChoice({ ...ctx, db: tx }, settings.channel_ids ?? []),
      recipients,
      snoozedUntil,
      enabled: settings.enabled ?? true,
      state: 'ok',
      nextCheckAt: dueAfter(now, checkFrequency, spreadBy({ orgId: actor.orgId, id, scope })),
      createdAt: now,
      updatedAt: now,
    });
    await recordAudit(tx, ctx, 'alert.create', id, { ...settings });
    return announceReached(tx, ctx, alert);
  });
}

export async function readRule(
  { db, actor }: ReadContext,
  settings: Pick<AlertSettings, 'alert_type' | 'measure' | 'threshold_amount' | 'scope' | 'period'>,
): Promise<{ kind: Kind; thresholdNanos: bigint; scope: Scope; period: Period }> {
  const { alert_type: alertType, measure = 'list_cost', period = 'month' } = settings;
  const kind = { alertType, measure };
  const scope = settings.scope ?? organizationScope;
  requireMeasure({ ...kind, period, scope });
  return {
    kind,
    thresholdNanos: readThreshold(settings.threshold_amount, kind),
    scope: await readScope(db, actor.orgId, scope),
    period,
  };
}

const maxRecipients = 20;

export function readRecipients(emails: readonly string[]): string[] {
  for (const [index, email] of emails.entries()) {
    if (!isEmail(email)) throw invalid(`recipients[${index}]`, 'must be an email address');
  }
  const distinct = [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()];
  if (distinct.length > maxRecipients) {
    throw invalid('recipients', `must have at most ${maxRecipients} addresses`);
  }
  return distinct;
}

const maxSnoozeDays = 366;

/** A time in the past means no snooze, so that callers can send back a setting that they have read. */
function readSnooze(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const until = readInstant('snoozed_until', text);
  if (until.getTime() > now.getTime() + maxSnoozeDays * 86_400_000) {
    throw invalid('snoozed_until', 'must be within a year; to stop an alert for good, turn it off');
  }
  return until > now ? until : null;
}

export type AlertChanges = Partial<AlertSettings>;

/**
 * Changes the given fields. Changing the rule or disabling the alert resolves its open trigger. Warns if a
 * new type changes the unit of the threshold but not its number.
 */
export async function updateAlert(
  ctx: NotificationContext,
  id: string,
  changes: AlertChanges,
): Promise<{ alert: AlertRow; warnings: string[] }> {
  const now = ctx.clock.now();
  const { orgId } = ctx.actor;
  const given = { ...changes, scope: changes.scope && (await readScope(ctx.db, orgId, changes.scope)) };
  const seen = await getAlert(ctx, id);
  await prepareCosts(ctx, orgId, [given.scope ?? seen.scope], { now, days: thresholdDays });
  return ctx.db.transaction().execute(async (tx) => {
    const alert = await alertToChange(tx, ctx, id);
    if (Object.keys(changes).length === 0) return { alert, warnings: [] };
    const chosen = changes.channel_ids && (await readChoice({ ...ctx, db: tx }, changes.channel_ids));
    const next = applied(alert, { ...given, channel_ids: chosen }, now);
    const details = differences(namedByTheApi(alert, now), namedByTheApi(next, now));
    if (!details) return { alert, warnings: [] };
    const resolution = resolutionOf(alert, next);
    if (resolution) await resolveOpen(tx, ctx, alert, resolution);
    const isSwitchedOn = next.enabled && !alert.enabled;
    const hasOtherScope = !isSameScope(alert.scope, next.scope);
    const isOtherBudget = isOtherPeriod(alert, next) || alert.thresholdNanos !== next.thresholdNanos;
    const isRescheduled = next.checkFrequency !== alert.checkFrequency || isSwitchedOn || hasOtherScope;
    const key = spreadBy({ ...alert, scope: next.scope });
    // With the former rule, so that its thresholds are not announced again if it returns.
    const announced = JSON.stringify(announcedOf(alert), bigintsAsText);
    const changed = await changeAlert(tx, alert, {
      ...next,
      scope: JSON.stringify(next.scope),
      ...(resolution ? { state: 'ok' as const } : {}),
      ...(isOtherPeriod(alert, next) ? { announcedSince: null, announced } : {}),
      // The period before the alert was turned on does not count.
      ...(isSwitchedOn ? { announcedSince: null } : {}),
      ...(isRescheduled ? { nextCheckAt: dueAfter(now, next.checkFrequency, key) } : {}),
      updatedAt: now,
    });
    await moveHeld(tx, alert, changed, now);
    await recordAudit(tx, ctx, 'alert.update', id, details);
    const announcedAlert = isOtherBudget || isSwitchedOn ? await announceReached(tx, ctx, changed) : changed;
    return { alert: announcedAlert, warnings: warningsOfUnit(alert, changes) };
  });
}

/** Moves messages that wait for the end of a snooze if the snooze is moved or ends early. */
async function moveHeld(tx: Transaction, before: AlertRow, alert: AlertRow, now: Date): Promise<void> {
  if (before.snoozedUntil?.getTime() === alert.snoozedUntil?.getTime()) return;
  const recent = await findRecentTriggers(tx, alert.orgId, [alert.id], startOfRecent(now));
  const open = (recent.get(alert.id) ?? []).filter(({ resolvedAt }) => resolvedAt === null);
  const dueAt = isSnoozed(alert, now) ? alert.snoozedUntil! : now;
  await postponeNotifications(tx, alert.orgId, { triggerIds: open.map(({ id }) => id), dueAt });
}

function warningsOfUnit(
  before: AlertRow,
  { alert_type: type, measure, threshold_amount: amount }: AlertChanges,
): string[] {
  if (amount !== undefined) return [];
  const next = { alertType: type ?? before.alertType, measure: measure ?? before.measure };
  const [from, to] = [before, next].map((each) => units[describedOf(each).unit].title);
  if (from === to) return [];
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
  | 'name'
  | 'alertType'
  | 'measure'
  | 'scope'
  | 'thresholdNanos'
  | 'checkFrequency'
  | 'period'
  | 'notifyEmail'
  | 'notifyChat'
  | 'channelIds'
  | 'recipients'
  | 'snoozedUntil'
  | 'enabled'
>;

function applied(
  alert: AlertRow,
  changes: Omit<AlertChanges, 'scope' | 'channel_ids'> & {
    scope: Scope | undefined;
    channel_ids: string[] | undefined;
  },
  now: Date,
): Settings {
  const kind = {
    alertType: changes.alert_type ?? alert.alertType,
    measure: changes.measure ?? alert.measure,
  };
  const { scope = alert.scope, period = alert.period, threshold_amount: amount } = changes;
  requireMeasure({ ...kind, scope, period });
  if (amount === undefined) requireBounds(alert.thresholdNanos, kind);
  return {
    name: changes.name ?? alert.name,
    ...kind,
    scope,
    thresholdNanos: amount === undefined ? alert.thresholdNanos : readThreshold(amount, kind),
    checkFrequency: changes.check_frequency ?? alert.checkFrequency,
    period,
    notifyEmail: changes.notify_email ?? alert.notifyEmail,
    notifyChat: changes.notify_chat ?? alert.notifyChat,
    channelIds: changes.channel_ids ?? alert.channelIds,
    recipients: changes.recipients === undefined ? alert.recipients : readRecipients(changes.recipients),
    snoozedUntil:
      changes.snoozed_until === undefined ? alert.snoozedUntil : readSnooze(changes.snoozed_until, now),
    enabled: changes.enabled ?? alert.enabled,
  };
}

function namedByTheApi(settings: Settings, now: Date) {
  const { name, alertType, measure, scope, thresholdNanos, checkFrequency, period, enabled } = settings;
  return {
    name,
    alert_type: alertType,
    measure,
    scope,
    threshold_amount: Number(formatNanos(thresholdNanos)),
    check_frequency: checkFrequency,
    period,
    notify_email: settings.notifyEmail,
    notify_chat: settings.notifyChat,
    channel_ids: settings.channelIds,
    recipients: settings.recipients,
    snoozed_until: isSnoozed(settings, now) ? settings.snoozedUntil!.toISOString() : null,
    enabled,
  };
}

function resolutionOf(alert: AlertRow, next: Settings): Resolution | null {
  if (alert.enabled && !next.enabled) return 'alert_disabled';
  const rule = ['alertType', 'measure', 'thresholdNanos', 'checkFrequency', 'period'] as const;
  const isOther = !isSameScope(alert.scope, next.scope) || rule.some((name) => alert[name] !== next[name]);
  return isOther ? 'alert_changed' : null;
}

function isOtherPeriod(alert: AlertRow, next: Settings): boolean {
  return (
    alert.period !== next.period ||
    alert.alertType !== next.alertType ||
    alert.measure !== next.measure ||
    !isSameScope(alert.scope, next.scope)
  );
}

export function alertPollers(program: NotificationProgram): Poller[] {
  const check = async (signal: AbortSignal) => (await checkDueAlerts(program, signal)) > 0;
  // Not again at once, because the costs of a busy organization always change meanwhile.
  const announceSlow = async () => {
    await announceSlowThresholds(program);
    return false;
  };
  const correct = async () => {
    await correctClockAhead(program);
    return false;
  };
  return [
    { name: 'correct times in the future', everyMilliseconds: 60_000, run: correct },
    { name: 'check alerts', everyMilliseconds: 5_000, run: check },
    { name: 'announce shares of budgets', everyMilliseconds: 1_000, run: () => announceThresholds(program) },
    {
      name: 'announce shares of budgets of branches',
      everyMilliseconds: 60_000,
      run: announceSlow,
    },
  ];
}
