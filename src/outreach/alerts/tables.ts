import type { Generated } from 'kysely';

export type AlertTables = {
  alerts: AlertsTable;
  alertTriggers: AlertTriggersTable;
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
