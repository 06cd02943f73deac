import type { ColumnType } from 'kysely';
import type { Role } from '../../platform/lib/actor.ts';

export type IdentityTables = {
  identityProviders: IdentityProvidersTable;
  memberIdentities: MemberIdentitiesTable;
  identitySessions: IdentitySessionsTable;
};

export const providerKinds = ['oidc', 'github'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The role of members of a group, or of a GitHub team `organization/team`. */
export type GroupRole = { group: string; role: Role };

type IdentityProvidersTable = {
  orgId: string;
  id: string;
  kind: ProviderKind;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: Buffer;
  allowedDomains: string[];
  defaultRole: Role | null;
  groupsClaim: string;
  groupRoles: ColumnType<GroupRole[], string, string>;
  createdAt: Date;
  updatedAt: Date;
};

type MemberIdentitiesTable = {
  orgId: string;
  issuer: string;
  subject: string;
  memberId: string;
  createdAt: Date;
};

type IdentitySessionsTable = {
  orgId: string;
  sessionId: string;
  providerId: string;
  issuer: string;
  subject: string;
  refreshToken: Buffer | null;
  idToken: Buffer | null;
};
