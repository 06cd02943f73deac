import type { Generated, GeneratedAlways } from 'kysely';
import type { LeaseColumns } from '../../platform/work/tables.ts';

export type WebhookTables = {
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
  deliveryAttempts: DeliveryAttemptsTable;
  resends: ResendsTable;
};

type WebhooksTable = {
  orgId: string;
  id: string;
  name: string | null;
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
