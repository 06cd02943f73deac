import type { Generated, GeneratedAlways } from 'kysely';
import type { Plan, Role } from '../lib/actor.ts';

/** The database's tables as Kysely sees them: camelCase here, snake_case in SQL. */
export type Tables = {
  installation: { encryptionKeyFingerprint: string };
  organizations: OrganizationsTable;
  members: MembersTable;
  tokens: TokensTable;
  auditEntries: AuditEntriesTable;
  sources: SourcesTable;
  workflows: WorkflowsTable;
  runs: RunsTable;
  jobs: JobsTable;
  workflowDays: RollupMeasures & { orgId: string; day: string; workflowId: string };
  organizationDays: RollupMeasures & { orgId: string; day: string };
  unpricedDays: UnpricedDaysTable;
  runnerDays: RunnerDaysTable;
  alerts: AlertsTable;
  alertTriggers: AlertTriggersTable;
  events: EventsTable;
  notifications: NotificationsTable;
  webhooks: WebhooksTable;
  deliveries: DeliveriesTable;
  deliveryAttempts: DeliveryAttemptsTable;
  resends: ResendsTable;
  runCompletions: RunCompletionsTable;
  sessions: SignInsTable;
  signInCodes: SignInsTable;
};

type OrganizationsTable = {
  orgId: string;
  name: string;
  login: string | null;
  plan: Plan;
  chatWebhookUrl: Buffer | null;
  chatWebhookHost: string | null;
  chatWebhookFormat: 'slack' | 'teams' | 'discord' | 'json' | null;
  createdAt: Date;
  updatedAt: Date;
  costsVersion: Generated<bigint>;
  costsCheckedVersion: Generated<bigint>;
};

type MembersTable = {
  orgId: string;
  id: string;
  email: string;
  name: string | null;
  role: Role;
  alertEmails: boolean;
  createdAt: Date;
  updatedAt: Date;
};

type TokensTable = {
  orgId: string;
  id: string;
  memberId: string | null;
  name: string;
  role: Role;
  scopes: string[];
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

type AuditEntriesTable = {
  orgId: string;
  id: string;
  createdAt: Date;
  actor: string;
  action: string;
  target: string;
  details: unknown;
};

type SourcesTable = {
  orgId: string;
  id: string;
  kind: 'github' | 'gitlab';
  name: string;
  secret: Buffer;
  createdAt: Date;
  lastEventAt: Date | null;
};

type WorkflowsTable = { orgId: string; id: string; repository: string; name: string; namedAt: Date };

type Status = 'queued' | 'in_progress' | 'completed';

type RunsTable = {
  orgId: string;
  id: string;
  workflowId: string;
  provider: string;
  repository: string;
  isPrivate: boolean | null;
  workflowName: string | null;
  workflowPath: string | null;
  event: string | null;
  branch: string | null;
  actor: string | null;
  reportedAttempt: number;
  reportedStatus: Status;
  reportedRawConclusion: string | null;
  reportedStartedAt: Date | null;
  reportedCompletedAt: Date | null;
  reportedAt: Date;
  attempt: number;
  status: Status;
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  rawConclusion: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  durationSeconds: number;
  costNanos: bigint;
};

type JobsTable = {
  orgId: string;
  runId: string;
  attempt: number;
  jobId: string;
  name: string | null;
  labels: string[];
  runnerName: string | null;
  runnerGroup: string | null;
  status: Status;
  rawConclusion: string | null;
  createdAt: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  ran: boolean | null;
  observedAt: Date;
  isCarriedOver: boolean;
  runnerKind: string | null;
  runnerRule: string;
  billedMinutes: number;
  nanosPerMinute: bigint;
  costNanos: bigint;
  isUnpriced: boolean;
  flags: string[];
};

type RollupMeasures = {
  costNanos: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  unpricedMinutes: bigint;
  runs: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  durationSeconds: bigint;
};

type UnpricedDaysTable = {
  orgId: string;
  day: string;
  runner: string;
  labels: string[];
  runnerGroup: string | null;
  jobs: bigint;
  minutes: bigint;
};

type RunnerDaysTable = {
  orgId: string;
  day: string;
  workflowId: string;
  runnerKind: string;
  jobs: bigint;
  minutes: bigint;
  costNanos: bigint;
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

type RunCompletionsTable = {
  orgId: string;
  runId: string;
  attempt: number;
  conclusion: string;
  startedAt: Date | null;
  completedAt: Date;
  dueAt: Date;
  toldAt: Date | null;
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

/** Sessions and the one-time codes that begin them. */
type SignInsTable = {
  orgId: string;
  id: string;
  tokenId: string | null;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};
