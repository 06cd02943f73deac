import type { Database, Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import type { Organization } from '../../tenancy/organizations/organizations.ts';
import {
  failPending,
  findNotifications,
  insertNotifications,
  type ListedNotification,
  type OfTrigger,
} from './queries.ts';
import type { AlertNotice } from './wording.ts';

type Queued = {
  organization: Pick<Organization, 'orgId' | 'chatWebhook'>;
  triggerId: string;
  notice: AlertNotice;
  /** Whether to write to the owners and admins. */
  byEmail: boolean;
  now: Date;
};

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
  const emails = byEmail ? await listAlertEmails(tx, organization.orgId) : [];
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
