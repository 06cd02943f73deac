/** From the least to the most powerful; each role may do everything the roles before it may. */
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
  'annotations:write',
  'views:write',
  'waste:write',
  'shares:write',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

export const plans = ['free', 'pro', 'team'] as const;
export type Plan = (typeof plans)[number];

export type Actor = {
  orgId: string;
  role: Role;
  scopes: readonly Scope[];
  /** Shown in the audit log: `token tok_…` or `cli`. */
  name: string;
  identity: Identity;
};

/** The actor's credential and its owner; all null for the command line. */
type Identity = { memberId: string | null; tokenId: string | null; sessionId: string | null };

/** A person who can run commands on the database's machine may do everything. */
export function cliActor(orgId: string): Actor {
  const identity = { memberId: null, tokenId: null, sessionId: null };
  return { orgId, role: 'owner', scopes, name: 'cli', identity };
}

export function isCommandLine({ name }: Pick<Actor, 'name'>): boolean {
  return name === 'cli';
}

export function hasRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
