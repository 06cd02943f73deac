export type SessionTables = {
  sessions: SignInsTable & {
    address: string | null;
    userAgent: string | null;
    /** The email address that the person proved when signing in. */
    provenEmail: string | null;
    provenIssuer: string | null;
    /** The session from which the browser entered this organization. */
    rootOrgId: string | null;
    rootId: string | null;
    lastSeenAt: Date;
    checkAt: Date | null;
  };
  signInCodes: SignInsTable;
  signInPolicies: { orgId: string; isRequired: boolean };
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
