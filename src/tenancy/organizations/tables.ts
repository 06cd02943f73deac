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
  /** IANA name, for times that people read. Costs use UTC days. */
  timeZone: Generated<string>;
  /** 1 to 12. */
  fiscalYearStartMonth: Generated<number>;
  weekStart: Generated<WeekStart>;
  /** Null keeps runs forever. */
  runRetentionDays: number | null;
  /** Runs that were created before this day are removed. */
  detailsFrom: string | null;
  createdAt: Date;
  updatedAt: Date;
  costsVersion: Generated<bigint>;
  costsCheckedVersion: Generated<bigint>;
  priceBookId: Generated<string>;
  priceBookChosenAt: Date | null;
  /** Whether its jobs refer to facts. */
  storesJobFacts: Generated<boolean>;
  /** When the organization was deleted. Nobody sees it any more, and its rows are removed in steps. */
  deletedAt: Date | null;
};
