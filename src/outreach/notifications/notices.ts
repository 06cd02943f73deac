import type { Database, Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import type { Organization } from '../../tenancy/organizations/getOrganization.ts';
import {
  failPending,
  findAlertEmails,
  findNotifications,
  insertNotifications,
  type ListedNotification,
  type OfTrigger,
} from './queries.ts';

/** What people learn when an alert triggers. Plain JSON: it is stored with the messages until they are sent. */
export type AlertNotice = {
  alert: { id: string; name: string; type: 'budget' | 'anomaly' };
  organization: string;
  /** Exact decimals: US dollars for budgets, percent of rise for anomalies. */
  currentValue: string;
  thresholdValue: string;
  /** US dollars spent in the period. */
  observed: string;
  /** US dollars that `observed` is compared with; null where it is compared with nothing. */
  baseline: string | null;
  /** Calendar days, both included. */
  period: { start: string; end: string };
  /** ISO 8601. */
  triggeredAt: string;
  /** At most five, those behind the rise; US dollars, and the change may be negative. */
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
};

type Queued = {
  organization: Pick<Organization, 'orgId' | 'chatWebhook'>;
  triggerId: string;
  notice: AlertNotice;
  /** Whether to write to the owners and admins. */
  byEmail: boolean;
  now: Date;
};

/** Whom alerts of the organization are mailed to. */
export function listAlertEmails(db: Database, orgId: string): Promise<string[]> {
  return findAlertEmails(db, orgId);
}

/** Keeps what has not been sent of a trigger from being sent. */
export async function cancelNotices(tx: Transaction, orgId: string, triggerId: string): Promise<void> {
  await failPending(tx, { orgId, triggerId }, 'the alert is gone or switched off');
}

/**
 * Queues a notice for everybody it concerns, in the transaction that causes it: a message to each owner and admin with
 * alert emails on, and one to the organization's chat. They are sent afterwards, and until then nothing can lose them.
 */
export async function queueNotices(tx: Transaction, queued: Queued): Promise<void> {
  const { organization, triggerId, notice, byEmail, now } = queued;
  const emails = byEmail ? await findAlertEmails(tx, organization.orgId) : [];
  const recipients = [
    ...emails.map((recipient) => ({ channel: 'email' as const, recipient })),
    ...(organization.chatWebhook ? [{ channel: 'chat' as const, recipient: '' }] : []),
  ];
  await insertNotifications(
    tx,
    recipients.map((recipient) => ({
      ...recipient,
      orgId: organization.orgId,
      id: randomId('ntf'),
      triggerId,
      notice,
      status: 'pending',
      attempts: 0,
      dueAt: now,
      createdAt: now,
    })),
  );
}

/** A message to the chat, whose recipient is empty, or a mail. A pending one is tried at `dueAt`. */
export type SentNotification = ListedNotification;

/** What has become of a trigger's messages: the chat's, then the mails. None are left once they have been pruned. */
export function listNotifications(db: Database, of: OfTrigger): Promise<SentNotification[]> {
  return findNotifications(db, of);
}
