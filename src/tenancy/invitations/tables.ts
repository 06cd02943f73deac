import type { Role } from '../../platform/lib/actor.ts';

export type InvitationTables = {
  invitations: InvitationsTable;
};

type InvitationsTable = {
  orgId: string;
  id: string;
  /** Null: for whoever has the link. */
  email: string | null;
  role: Role;
  secretHash: Buffer;
  /** Whether only an email to the address contained the link, so that it proves the address. */
  isMailed: boolean;
  /** Why that email was not sent; null if it was, or none was asked for. */
  mailError: string | null;
  /** Who invited, as shown. */
  author: string;
  memberId: string | null;
  tokenId: string | null;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: Date | null;
  revokedAt: Date | null;
};
