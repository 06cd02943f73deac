import type { Role } from '../../ui/rights.tsx';

/** What each role may do, beside all that the ones before it may. */
export const roleWords: Record<Role, string> = {
  viewer: 'Reads.',
  member: 'Reads, reports runs and writes alerts.',
  admin: 'Also changes the organization, members, tokens, sources and webhooks, and reads the audit log.',
  owner: 'Everything: also changes the plan, and gives or takes the role of owner.',
};

/** Why someone of this role is mailed no alert; null for those who may be. */
export function whyNotMailed(role: Role): string | null {
  if (role === 'owner' || role === 'admin') return null;
  return `Only owners and admins are mailed alerts, and not a ${role}.`;
}

export const scopeWords = {
  'costs:read': 'read costs, runs and workflows',
  'alerts:read': 'read alerts and what they triggered',
  'alerts:write': 'create, change, check and delete alerts',
  'webhooks:read': 'read webhooks and their deliveries',
  'webhooks:write': 'create, change and delete webhooks, and send again',
  'runs:write': 'report runs',
  'exports:write': 'create and cancel exports',
  admin: 'organization, members, tokens, sources and the audit log',
} as const;

export type Scope = keyof typeof scopeWords;
