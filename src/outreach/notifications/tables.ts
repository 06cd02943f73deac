export type NotificationTables = {
  notifications: NotificationsTable;
};

type NotificationsTable = {
  orgId: string;
  id: string;
  triggerId: string;
  channel: 'email' | 'chat';
  recipient: string;
  notice: unknown;
  status: 'pending' | 'sent' | 'failed';
  attempts: number;
  dueAt: Date;
  lease: string | null;
  leasedUntil: Date | null;
  lastError: string | null;
  createdAt: Date;
  sentAt: Date | null;
};
