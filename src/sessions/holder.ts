import { cliActor, hasRole, type Actor, type Plan, type Role, type Scope } from '../lib/actor.ts';

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
  memberEmail: string | null;
  memberName: string | null;
  memberRole: Role | null;
};

/** Whether what came from this token still holds; the command line's always does. */
export function isTokenGood({ tokenExpiresAt, tokenRevokedAt }: HolderRow, now: Date): boolean {
  return !tokenRevokedAt && !(tokenExpiresAt && tokenExpiresAt <= now);
}

/**
 * The actor of a session: with the token's rights, a member's never above the member's own role. Only members are
 * called by an email alone, so that a token's name cannot pass for one.
 */
export function sessionActor(row: HolderRow): Actor {
  const { orgId, tokenRole, tokenScopes, memberRole } = row;
  if (!tokenRole || !tokenScopes) return { ...cliActor(orgId), name: 'session of cli' };
  const role = memberRole && hasRole(tokenRole, memberRole) ? memberRole : tokenRole;
  const name = `session of ${row.memberEmail ?? `token ${row.tokenName}`}`;
  return { orgId, role, scopes: tokenScopes as Scope[], name };
}

export function signedInOf(row: HolderRow, expiresAt: Date | null): SignedIn {
  const { role, scopes } = sessionActor(row);
  const { orgId, organizationName, login, plan, memberEmail, memberName } = row;
  return {
    organization: { id: orgId, name: organizationName, login, plan },
    member: memberEmail === null ? null : { email: memberEmail, name: memberName },
    role,
    scopes,
    expiresAt,
  };
}
