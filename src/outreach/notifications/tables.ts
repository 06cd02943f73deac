import type { LeaseColumns } from '../../platform/work/tables.ts';

export type NotificationTables = {
  notifications: NotificationsTable;
};

type NotificationsTable = LeaseColumns & {
  orgId: string;
  id: string;
  triggerId: string;
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
