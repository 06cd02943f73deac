import type { LeaseColumns } from '../../platform/work/tables.ts';

export type NotificationTables = {
  notifications: NotificationsTable;
};

type NotificationsTable = LeaseColumns & {
  orgId: string;
  id: string;
  /** Null if the notification is not about an alert. */
  triggerId: string | null;
  channel: 'email' | 'chat';
  /** Null for an email to a person, and for the default channel if an earlier program queued it. */
  channelId: string | null;
  /** An email address, or empty. */
  recipient: string;
  notice: unknown;
  status: 'pending' | 'sent' | 'failed';
  attempts: number;
  dueAt: Date;
  lastError: string | null;
  createdAt: Date;
  sentAt: Date | null;
};
