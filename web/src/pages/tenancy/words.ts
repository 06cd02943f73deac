import { countOf } from '../../ui/figures.ts';
import type { Role } from '../../ui/rights.tsx';

export const roleWords: Record<Role, string> = {
  viewer: 'Read-only.',
  member: 'Can also report runs and manage alerts.',
  admin: 'Can also change the organization, members, tokens, sources and webhooks, and read the audit log.',
  owner: 'Can do everything, including changing the plan and granting or removing the owner role.',
};

export const tokenKinds = {
  personal: {
    title: 'Personal token',
    about: 'Belongs to a member, never exceeds their role, and ends when you remove them.',
  },
  service: {
    title: 'Service account',
    about: 'A token for a program, such as CI. It belongs to nobody, so it stays when people leave.',
  },
} as const;

export const scopeWords = {
  'costs:read': 'read costs, runs and workflows',
  'alerts:read': 'read alerts and their triggers',
  'alerts:write': 'create, change, check and delete alerts and digests',
  'webhooks:read': 'read webhooks and their deliveries',
  'webhooks:write': 'create, change and delete webhooks, and resend deliveries',
  'runs:write': 'report runs',
  'exports:write': 'create and cancel exports',
  'annotations:write': 'add, change and delete notes on costs',
  'views:write': 'save, change and delete views of costs',
  'waste:write': 'mark waste as fixed or dismiss it',
  'shares:write': 'create and revoke share links',
  admin: 'organization, members, tokens, sources and the audit log',
} as const;

export type Scope = keyof typeof scopeWords;

export const scopeGroups: { title: string; scopes: Scope[] }[] = [
  { title: 'Read', scopes: ['costs:read', 'alerts:read', 'webhooks:read'] },
  {
    title: 'Write',
    scopes: [
      ...(['runs:write', 'exports:write', 'alerts:write', 'webhooks:write'] as const),
      ...(['annotations:write', 'views:write', 'waste:write', 'shares:write'] as const),
    ],
  },
  { title: 'Administer', scopes: ['admin'] },
];

export const inDays = (days: number) => ({ value: String(days), label: `In ${countOf(days, 'day')}` });
