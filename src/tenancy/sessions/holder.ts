import { hasRole, scopes, type Actor, type Plan, type Role, type Scope } from '../../platform/lib/actor.ts';

/** Who is signed in, with what rights, and until when: null for ever. */
export type SignedIn = {
  organization: { id: string; name: string; login: string | null; plan: Plan };
  /** Null: the token is a service's, or the command line signed in. */
  member: { email: string; name: string | null } | null;
  role: Role;
  scopes: readonly Scope[];
  expiresAt: Date | null;
};

/** What is stored about whoever a session, code or token belongs to; without a token, the command line made it. */
export type HolderRow = {
  orgId: string;
  organizationName: string;
  login: string | null;
  plan: Plan;
  tokenId: string | null;
  tokenName: string | null;
  tokenRole: Role | null;
  tokenScopes: string[] | null;
  tokenExpiresAt: Date | null;
  tokenRevokedAt: Date | null;
  memberId: string | null;
  memberEmail: string | null;
  memberName: string | null;
  memberRole: Role | null;
};

/** Whether what came from this token still holds; the command line's always does. */
export function isTokenGood({ tokenExpiresAt, tokenRevokedAt }: HolderRow, now: Date): boolean {
  return !tokenRevokedAt && !(tokenExpiresAt && tokenExpiresAt <= now);
}

/** The rights of the token, a member's never above the member's own role; without a token an owner's. */
export function rightsOf({ tokenRole, tokenScopes, memberRole }: HolderRow): Pick<Actor, 'role' | 'scopes'> {
  if (!tokenRole || !tokenScopes) return { role: 'owner', scopes };
  const role = memberRole && hasRole(tokenRole, memberRole) ? memberRole : tokenRole;
  return { role, scopes: tokenScopes as Scope[] };
}

/** The actor of a session. Only members are called by an email alone, so that a token's name cannot pass for one. */
export function sessionActor(row: HolderRow, sessionId: string): Actor {
  const { orgId, memberId, tokenId, memberEmail, tokenName } = row;
  const holder = tokenId === null ? 'cli' : (memberEmail ?? `token ${tokenName}`);
  const identity = { memberId, tokenId, sessionId };
  return { orgId, ...rightsOf(row), name: `session of ${holder}`, identity };
}

export function signedInOf(row: HolderRow, expiresAt: Date | null): SignedIn {
  const { orgId, organizationName, login, plan, memberEmail, memberName } = row;
  return {
    organization: { id: orgId, name: organizationName, login, plan },
    member: memberEmail === null ? null : { email: memberEmail, name: memberName },
    ...rightsOf(row),
    expiresAt,
  };
}
