import type { Database } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { listAlertEmails } from '../notifications/notices.ts';
import type { AlertContext } from './context.ts';
import { findAlert, findAlerts, type AlertRow } from './queries.ts';

export type Alert = AlertRow;

/** All alerts of the organization, newest first. */
export async function listAlerts({ db, actor }: Pick<AlertContext, 'db' | 'actor'>): Promise<Alert[]> {
  return findAlerts(db, actor.orgId);
}

/** One alert. Throws `PublicError` where the organization has none of that id. */
export async function getAlert(
  { db, actor }: Pick<AlertContext, 'db' | 'actor'>,
  id: string,
): Promise<Alert> {
  const alert = isUuid(id) ? await findAlert(db, actor.orgId, id) : undefined;
  if (!alert) throw notFound('alert');
  return alert;
}

/** What keeps an alert's messages from arriving. */
export async function warningsOf(
  { db, mailer }: Pick<AlertContext, 'db' | 'mailer'>,
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
