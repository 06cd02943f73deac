import type { Generated } from 'kysely';
import type { Role } from '../../platform/lib/actor.ts';

export type TokenTables = {
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
  /** Accurate to five minutes. */
  lastUsedAt: Generated<Date | null>;
  expiryWarnedAt: Generated<Date | null>;
};
