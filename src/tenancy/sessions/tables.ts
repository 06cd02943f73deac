export type SessionTables = {
  sessions: SignInsTable & { address: string | null; lastSeenAt: Date };
  signInCodes: SignInsTable;
};

/** Sessions and the one-time codes that start them. */
type SignInsTable = {
  orgId: string;
  id: string;
  tokenId: string | null;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};
