import type { Generated } from 'kysely';
import type { Plan, Role } from '../lib/actor.ts';
import type { EventTables } from './eventTables.ts';
import type { LedgerTables } from './ledgerTables.ts';
import type { RunTables } from './runTables.ts';

/** The database's tables as Kysely sees them: camelCase here, snake_case in SQL. */
export type Tables = OrganizationTables & RunTables & EventTables & LedgerTables;

type OrganizationTables = {
  installation: { encryptionKeyFingerprint: string };
  organizations: OrganizationsTable;
  members: MembersTable;
  tokens: TokensTable;
  auditEntries: AuditEntriesTable;
  sources: SourcesTable;
  sessions: SignInsTable & { address: string | null; lastSeenAt: Date };
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
  priceBookId: Generated<string>;
  priceBookChosenAt: Date | null;
  includedPlan: 'free' | 'pro' | 'team' | 'enterprise' | null;
  includedMinutes: number | null;
  /** Gone for everybody from then on; its rows are removed piece by piece. */
  deletedAt: Date | null;
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

/** Sessions and the one-time codes that begin them. */
type SignInsTable = {
  orgId: string;
  id: string;
  tokenId: string | null;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};
