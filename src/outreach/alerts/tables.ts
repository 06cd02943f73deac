import type { Generated, JSONColumnType } from 'kysely';
import type { CostMeasure } from '../../ledger/costs/costMeasures.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { AlertTypeName } from './alertTypes.ts';
import type { Frequency, Period } from './periods.ts';
import type { Condition } from './rules/rule.ts';
import type { Scope } from './scope.ts';

export type AlertTables = {
  alerts: AlertsTable;
  alertTriggers: AlertTriggersTable;
};

type AlertsTable = {
  orgId: string;
  id: string;
  name: string;
  alertType: AlertTypeName;
  /** The database's default is list cost. */
  measure: Generated<CostMeasure>;
  scope: JSONColumnType<Scope>;
  thresholdNanos: bigint;
  checkFrequency: Frequency;
  period: Period;
  notifyEmail: boolean;
  notifyChat: boolean;
  /** If there are none, `notifyChat` says whether the channels of its team, or the default one, are notified. */
  channelIds: string[];
  /** Email addresses. If there are none, owners and admins are notified. */
  recipients: string[];
  /** Nobody is notified until then. It may be in the past. */
  snoozedUntil: Date | null;
  enabled: boolean;
  state: Condition['state'];
  lastTriggeredAt: Date | null;
  nextCheckAt: Date;
  announcedSince: string | null;
  /** A list of `Announced`, with nano-dollars as text. */
  announced: Generated<unknown>;
  judgedCostsVersion: Generated<bigint>;
  createdAt: Date;
  updatedAt: Date;
};

type AlertTriggersTable = {
  orgId: string;
  id: string;
  alertId: string;
  /** The alert may have changed since it triggered. */
  alertType: AlertTypeName;
  measure: Generated<CostMeasure>;
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
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  acknowledgedNote: string | null;
};

/** The percentages of an amount that are settled in a period: announced, or never to be announced. */
export type Announced = {
  periodStart: Day;
  budgetNanos: Nanos;
  percentages: number[];
  /** Those of them that were reached before the budget was created, changed or turned on. */
  before: number[];
  /** Percentages in a month say nothing about a week that starts on the same day, or about another scope or measure. */
  period: Period;
  scope: Scope;
  measure: CostMeasure;
};
