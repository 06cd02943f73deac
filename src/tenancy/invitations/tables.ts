import type { Role } from '../../platform/lib/actor.ts';

export type InvitationTables = {
  invitations: InvitationsTable;
};

type InvitationsTable = {
  orgId: string;
  id: string;
  /** Null if anyone with the link can use it. */
  email: string | null;
  role: Role;
  secretHash: Buffer;
  /** Whether only an email to the address contained the link. Then the link proves the address. */
  isMailed: boolean;
  /** Why that email was not sent; null if it was, or was not wanted. */
  mailError: string | null;
  /** Name of the person who invited. */
  author: string;
  memberId: string | null;
  tokenId: string | null;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: Date | null;
  revokedAt: Date | null;
};
