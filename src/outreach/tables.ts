import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { LeaseColumns } from '../platform/tables.ts';
import type { AlertTypeName } from './alerts/alertTypes.ts';
import type { Frequency, Period } from './alerts/periods.ts';
import type { Scope, Verdict } from './alerts/rules/rule.ts';

export type OutreachTables = NotificationTables & AlertTables & WebhookTables;

type NotificationTables = {
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

type AlertTables = {
  alerts: AlertsTable;
  alertTriggers: AlertTriggersTable;
};

type AlertsTable = {
  orgId: string;
  id: string;
  name: string;
  alertType: AlertTypeName;
  thresholdNanos: bigint;
  checkFrequency: Frequency;
  period: Period;
  notifyEmail: boolean;
  enabled: boolean;
  state: Verdict['state'];
  lastTriggeredAt: Date | null;
  nextCheckAt: Date;
  announcedSince: string | null;
  announced: Generated<unknown>;
  createdAt: Date;
  updatedAt: Date;
};

type AlertTriggersTable = {
  orgId: string;
  id: string;
  alertId: string;
  /** The alert may have changed since it triggered. */
  alertType: AlertTypeName;
  scope: JSONColumnType<Scope>;
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

type WebhookTables = {
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
  deliveryAttempts: DeliveryAttemptsTable;
  resends: ResendsTable;
};

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

type WebhookStatus = 'active' | 'paused' | 'failing';

type DeliveryStatus = 'pending' | 'success' | 'failed' | 'held';

type DeliveriesTable = LeaseColumns & {
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
