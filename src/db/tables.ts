import type { Generated } from 'kysely';
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
  toldPeriodStart: string | null;
  toldBudgetNanos: bigint | null;
  toldPercentages: number[];
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
  resolvedAt: Date | null;
  resolution: string | null;
};

type EventsTable = { orgId: string; id: string; kind: string; createdAt: Date; body: string };

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
