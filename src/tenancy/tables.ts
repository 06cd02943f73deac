import type { Generated } from 'kysely';
import type { Plan, Role } from '../platform/lib/actor.ts';

export type TenancyTables = OrganizationTables & MemberTables & TokenTables & SessionTables & AuditTables;

type OrganizationTables = {
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
  createdAt: Date;
  updatedAt: Date;
  costsVersion: Generated<bigint>;
  costsCheckedVersion: Generated<bigint>;
  priceBookId: Generated<string>;
  priceBookChosenAt: Date | null;
  includedPlan: 'free' | 'pro' | 'team' | 'enterprise' | null;
  includedMinutes: number | null;
  /** A deleted organization is gone for everybody; its rows are removed in steps. */
  deletedAt: Date | null;
};

type MemberTables = {
  members: MembersTable;
};

type MembersTable = {
  orgId: string;
  id: string;
  email: string;
  name: string | null;
  role: Role;
  alertEmails: boolean;
  unsubscribeSecret: string | null;
  createdAt: Date;
  updatedAt: Date;
};

type TokenTables = {
  tokens: TokensTable;
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

type SessionTables = {
  sessions: SignInsTable & { address: string | null; lastSeenAt: Date };
  signInCodes: SignInsTable;
};

type SignInsTable = {
  orgId: string;
  id: string;
  tokenId: string | null;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};

type AuditTables = {
  auditEntries: AuditEntriesTable;
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
