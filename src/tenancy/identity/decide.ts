import { hasRole, type Role } from '../../platform/lib/actor.ts';
import type { GroupRole } from './tables.ts';

/** `groups` are names of groups, or of teams as `organization/team`; null means unknown. */
export type Person = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
  groups: readonly string[] | null;
};

export type Rules = {
  allowedDomains: string[];
  /** Role for people whose groups give none. Null means that they may not sign in. */
  defaultRole: Role | null;
  /** If empty, members keep the role that an admin gave them. */
  groupRoles: GroupRole[];
};

export type Refusal =
  | 'email_missing'
  | 'email_unverified'
  | 'domain_not_allowed'
  | 'groups_unknown'
  | 'no_group'
  | 'not_a_member'
  | 'other_identity'
  | 'other_invitation';

type ByGroups = Role | 'own' | 'unknown' | null;

/** Else the default role, where null refuses. 'own' keeps the member's role: no groups are mapped. */
export function roleByGroups({ groupRoles, defaultRole }: Rules, groups: Person['groups']): ByGroups {
  if (groupRoles.length === 0) return 'own';
  if (groups === null) return 'unknown';
  const given = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  if (given.length === 0) return defaultRole;
  return given.reduce((best, role) => (hasRole(best, role) ? best : role));
}

type Known = {
  /** The member whom this issuer's subject belongs to. */
  bound: { role: Role } | null;
  /** The member with the person's email, and whether they already have another subject of this issuer. */
  byEmail: { role: Role; hasOtherSubject: boolean } | null;
  /** The role of an open invitation to the person's email. */
  invited: Role | null;
};

export type Decision =
  | { kind: 'refused'; why: Refusal }
  /** `bound` has signed in this way before; `bind` is a member who uses this issuer for the first time. */
  | { kind: 'bound' | 'bind' | 'new'; role: Role };

export function decideSignIn(person: Person, rules: Rules, { bound, byEmail, invited }: Known): Decision {
  const byGroups = roleByGroups(rules, person.groups);
  if (bound) return admitted('bound', byGroups, bound.role);
  if (person.email === null) return { kind: 'refused', why: 'email_missing' };
  if (!person.isEmailVerified) return { kind: 'refused', why: 'email_unverified' };
  if (byEmail?.hasOtherSubject) return { kind: 'refused', why: 'other_identity' };
  if (byEmail) return admitted('bind', byGroups, byEmail.role);
  if (invited === null && !isAllowed(person.email, rules.allowedDomains)) {
    return { kind: 'refused', why: 'domain_not_allowed' };
  }
  return admitted('new', byGroups, invited ?? rules.defaultRole);
}

function admitted(kind: 'bound' | 'bind' | 'new', byGroups: ByGroups, own: Role | null): Decision {
  if (byGroups === 'unknown') return { kind: 'refused', why: 'groups_unknown' };
  const role = byGroups === 'own' ? own : byGroups;
  if (role !== null) return { kind, role };
  return { kind: 'refused', why: byGroups === 'own' ? 'not_a_member' : 'no_group' };
}

/** Subdomains count only if they are listed. */
export function isAllowed(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.some((allowed) => allowed.toLowerCase() === domain);
}

/** So that no link can send people elsewhere. Anything else becomes `/`. */
export function ownPath(text: string | undefined): string {
  if (!text || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const base = 'http://runcost.invalid';
  const url = URL.parse(text, base);
  if (!url || url.origin !== base || url.pathname.startsWith('//')) return '/';
  if (/^\/(sign-in|api)(\/|$)/.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}
