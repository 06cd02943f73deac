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
  recipient: string;
  notice: unknown;
  status: 'pending' | 'sent' | 'failed';
  attempts: number;
  dueAt: Date;
  lastError: string | null;
  createdAt: Date;
  sentAt: Date | null;
};
