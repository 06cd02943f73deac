import type { Generated } from 'kysely';
import type { Plan } from '../../platform/lib/actor.ts';

export const weekStarts = ['monday', 'sunday'] as const;
export type WeekStart = (typeof weekStarts)[number];

export type OrganizationTables = {
  organizations: OrganizationsTable;
};

type OrganizationsTable = {
  orgId: string;
  name: string;
  login: string | null;
  plan: Plan;
  chatWebhookUrl: Buffer | null;
  chatWebhookHost: string | null;
  chatWebhookFormat: 'slack' | 'teams' | 'discord' | 'json' | null;
  /** IANA name. Of times that people read; days of costs are UTC days. */
  timeZone: Generated<string>;
  /** 1 to 12. */
  fiscalYearStartMonth: Generated<number>;
  weekStart: Generated<WeekStart>;
  /** Null keeps runs for ever. */
  runRetentionDays: number | null;
  /** Runs created before this day are removed. */
  detailsFrom: string | null;
  createdAt: Date;
  updatedAt: Date;
  costsVersion: Generated<bigint>;
  costsCheckedVersion: Generated<bigint>;
  priceBookId: Generated<string>;
  priceBookChosenAt: Date | null;
  /** Whether its jobs refer to facts, which versions before migration 0065 cannot read. */
  storesJobFacts: Generated<boolean>;
  /** A deleted organization is gone for everybody; its rows are removed in steps. */
  deletedAt: Date | null;
};
