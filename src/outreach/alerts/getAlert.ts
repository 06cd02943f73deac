import type { Database } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { listNotifications, type SentNotification } from '../notifications/notifications.ts';
import type { Explained } from './explain.ts';
import {
  findAlert,
  findAlerts,
  findTrigger,
  findTriggers,
  type AlertRow,
  type TriggerRow,
} from './queries.ts';

export type Alert = AlertRow;

type Reader = Pick<NotificationContext, 'db' | 'actor'>;

/** All alerts of the organization, newest first. */
export async function listAlerts({ db, actor }: Reader): Promise<Alert[]> {
  return findAlerts(db, actor.orgId);
}

/** One alert. Throws `PublicError` where the organization has none of that id. */
export async function getAlert({ db, actor }: Reader, id: string): Promise<Alert> {
  const alert = isUuid(id) ? await findAlert(db, actor.orgId, id) : undefined;
  if (!alert) throw notFound('alert');
  return alert;
}

/** What keeps an alert's messages from arriving. */
export async function warningsOf(
  { db, mailer }: Pick<NotificationContext, 'db' | 'mailer'>,
  { orgId, notifyEmail }: Alert,
): Promise<string[]> {
  if (!notifyEmail) return [];
  if (!mailer) return ['No email will be sent: SMTP_URL and EMAIL_FROM are not set.'];
  return recipientWarnings(db, orgId);
}

/** What keeps mails from being addressed to anybody. */
export async function recipientWarnings(db: Database, orgId: string): Promise<string[]> {
  if ((await listAlertEmails(db, orgId)).length > 0) return [];
  return ['No email will be sent: no owner or admin with alert_emails on is a member yet.'];
}

export type ExplainedTrigger = TriggerRow & { explanation: Explained; notifications: SentNotification[] };

/** How often an alert has triggered, newest first. */
export async function listTriggers(
  ctx: Reader,
  alertId: string,
  page: Page,
): Promise<{ triggers: TriggerRow[]; total: number }> {
  const alert = await getAlert(ctx, alertId);
  return findTriggers(ctx.db, alert.orgId, alert.id, rowsOf(page));
}

/**
 * One trigger, with what explains it as of when it happened, and its messages as far as they are still kept. Amounts in
 * the explanation are nano-dollars as text.
 */
export async function getTrigger(ctx: Reader, alertId: string, id: string): Promise<ExplainedTrigger> {
  const alert = await getAlert(ctx, alertId);
  const trigger = await findTrigger(ctx.db, alert.orgId, alert.id, id);
  if (!trigger) throw notFound('trigger');
  const notifications = await listNotifications(ctx.db, { orgId: alert.orgId, triggerId: id });
  return { ...trigger, explanation: trigger.explanation as Explained, notifications };
}
