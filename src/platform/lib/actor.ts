/** Roles from the least to the most powerful; each may do all that the ones before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const scopes = [
  'costs:read',
  'alerts:read',
  'alerts:write',
  'webhooks:read',
  'webhooks:write',
  'runs:write',
  'exports:write',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

/** What an organization has booked: how far back it sees, and how often it may ask. */
export const plans = ['free', 'pro', 'team'] as const;
export type Plan = (typeof plans)[number];

/** Who asks for something, in which organization, and what they may do there. */
export type Actor = {
  orgId: string;
  role: Role;
  scopes: readonly Scope[];
  /** Shown in the audit log: `token tok_…` or `cli`. */
  name: string;
  identity: Identity;
};

/** What an actor has been let in with, and whose that is; the command line has none of these. */
type Identity = { memberId: string | null; tokenId: string | null; sessionId: string | null };

/** Whoever can run commands on the machine with the database may do everything. */
export function cliActor(orgId: string): Actor {
  const identity = { memberId: null, tokenId: null, sessionId: null };
  return { orgId, role: 'owner', scopes, name: 'cli', identity };
}

/** Whether `role` may do what `needed` may. */
export function hasRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
