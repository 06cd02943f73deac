export type SessionTables = {
  sessions: SignInsTable & { address: string | null; lastSeenAt: Date };
  signInCodes: SignInsTable;
};

type SignInsTable = {
  orgId: string;
  id: string;
  tokenId: string | null;
  memberId: string | null;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};
