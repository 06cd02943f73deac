import type { Generated, GeneratedAlways } from 'kysely';

/** What watches costs, and how others are told. */
export type EventTables = {
  alerts: AlertsTable;
  alertTriggers: AlertTriggersTable;
  events: EventsTable;
  notifications: NotificationsTable;
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
  deliveryAttempts: DeliveryAttemptsTable;
  resends: ResendsTable;
};

type AlertsTable = {
  orgId: string;
  id: string;
  name: string;
  alertType: 'budget' | 'anomaly';
  thresholdNanos: bigint;
  checkFrequency: 'daily' | 'weekly' | 'monthly';
  period: 'day' | 'week' | 'month';
  notifyEmail: boolean;
  enabled: boolean;
  state: 'ok' | 'triggered' | 'insufficient_data';
  lastTriggeredAt: Date | null;
  nextCheckAt: Date;
  toldSince: string | null;
  told: Generated<unknown>;
  createdAt: Date;
  updatedAt: Date;
};

type AlertTriggersTable = {
  orgId: string;
  id: string;
  alertId: string;
  triggeredAt: Date;
  currentNanos: bigint;
  thresholdNanos: bigint;
  observedNanos: bigint;
  baselineNanos: bigint | null;
  periodStart: string;
  periodEnd: string;
  explanation: unknown;
  notifiedAt: Date | null;
  resolvedAt: Date | null;
  resolution: string | null;
};

type EventsTable = { orgId: string; id: string; kind: string; createdAt: Date; body: string | null };

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

type WebhookStatus = 'active' | 'paused' | 'failing';
type DeliveryStatus = 'pending' | 'success' | 'failed' | 'held';

type WebhooksTable = {
  orgId: string;
  id: string;
  url: string;
  events: string[];
  status: WebhookStatus;
  secret: Buffer;
  secretPrefix: string;
  nextSecret: Buffer | null;
  nextSecretPrefix: string | null;
  promoteAt: Date | null;
  failingSince: Date | null;
  lastDeliveryAt: Date | null;
  lastDeliveryStatus: DeliveryStatus | null;
  lastResponseCode: number | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

type DeliveriesTable = {
  orgId: string;
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  status: DeliveryStatus;
  createdAt: Date;
  automaticAttempts: Generated<number>;
  dueAt: Date | null;
  resendAt: Date | null;
  nextAt: GeneratedAlways<Date | null>;
  attempts: Generated<number>;
  lease: string | null;
  leasedUntil: Date | null;
  responseCode: number | null;
  responseTimeMs: number | null;
  errorClass: string | null;
  deliveredAt: Date | null;
};

type DeliveryAttemptsTable = {
  orgId: string;
  deliveryId: string;
  number: number;
  reason: 'schedule' | 'resend';
  outcome: 'in_flight' | 'success' | 'failure' | 'unknown';
  startedAt: Date;
  endedAt: Date | null;
  url: string;
  responseCode: number | null;
  errorClass: string | null;
  message: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number | null;
  responseBody: Buffer | null;
  responseTruncated: boolean | null;
};

type ResendsTable = {
  orgId: string;
  id: string;
  webhookId: string;
  status: 'running' | 'done' | 'cancelled';
  statuses: string[];
  events: string[];
  since: Date;
  until: Date;
  cursorCreatedAt: Date | null;
  cursorId: string | null;
  total: bigint;
  resent: Generated<bigint>;
  createdAt: Date;
  endedAt: Date | null;
};
