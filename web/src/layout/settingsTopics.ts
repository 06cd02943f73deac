import type { Role } from '../ui/rights.tsx';

const topics = [
  {
    title: 'Organization',
    parts: [
      {
        name: 'organization',
        title: 'Organization',
        role: 'viewer',
        scope: 'admin',
        about: 'Its name, and how it reads times and periods.',
        words: 'name time zone fiscal week retention delete',
      },
    ],
  },
  {
    title: 'Members and sign-in',
    parts: [
      {
        name: 'members',
        title: 'Members',
        role: 'viewer',
        scope: 'admin',
        about: 'People who manage costs, and what they may do.',
        words: 'people users roles invite invitations',
      },
      {
        name: 'single-sign-on',
        title: 'Single sign-on',
        role: 'admin',
        scope: 'admin',
        about: 'Let people sign in with your company’s identity provider.',
        words: 'sso oidc openid login identity provider okta entra google github',
      },
      {
        name: 'sessions',
        title: 'Sessions',
        role: 'viewer',
        scope: null,
        about: 'Browsers that are signed in. Sign out those you don’t know, and revoke their token.',
        words: 'devices sign out',
      },
    ],
  },
  {
    title: 'Tokens',
    parts: [
      {
        name: 'tokens',
        title: 'Tokens',
        role: 'admin',
        scope: 'admin',
        about: 'Access for scripts and people.',
        words: 'api keys access secret service account',
      },
    ],
  },
  {
    title: 'Notifications',
    parts: [
      {
        name: 'notifications',
        title: 'Channels',
        role: 'viewer',
        scope: 'admin',
        about: 'Where alerts are sent: emails, chats and other channels.',
        words: 'email mail smtp slack teams discord pagerduty chat notifications',
      },
      {
        name: 'digests',
        title: 'Digests',
        role: 'viewer',
        scope: 'alerts:read',
        about: 'What CI cost last week or month, at 08:00 on the first day of the next.',
        words: 'weekly monthly summary report email mail',
      },
      {
        name: 'pull-requests',
        title: 'Pull requests',
        role: 'viewer',
        scope: 'costs:read',
        about: 'What CI costs, as a comment and a check on pull requests.',
        words: 'pr prs merge comments checks',
      },
    ],
  },
  {
    title: 'Prices',
    parts: [
      {
        name: 'pricing',
        title: 'Prices',
        role: 'viewer',
        scope: 'costs:read',
        about: 'What a minute of each runner costs.',
        words: 'pricing rates rules unpriced own runner pools',
      },
      {
        name: 'discounts',
        title: 'Discounts',
        role: 'viewer',
        scope: 'costs:read',
        about: 'Included minutes, free use and your discount, for net cost.',
        words: 'included minutes plan net cost free terms',
      },
      {
        name: 'price-history',
        title: 'Price history',
        role: 'viewer',
        scope: 'costs:read',
        about: 'The price list in use, new prices for past jobs, and what other prices would cost.',
        words: 'price lists reprice past jobs what-if scenarios shadow costs',
      },
    ],
  },
  {
    title: 'Teams and owners',
    parts: [
      {
        name: 'owners',
        title: 'Teams and owners',
        role: 'viewer',
        scope: 'costs:read',
        about: 'Which team and cost center a cost belongs to.',
        words: 'ownership rules codeowners cost centers unowned',
      },
      {
        name: 'actors',
        title: 'Agents and bots',
        role: 'viewer',
        scope: 'costs:read',
        about: 'Which actors are agents, bots and people.',
        words: 'people actors patterns copilot dependabot',
      },
    ],
  },
  {
    title: 'Audit log',
    parts: [
      {
        name: 'audit',
        title: 'Audit log',
        role: 'admin',
        scope: 'admin',
        about: 'Who changed what, and when.',
        words: 'history changes activity',
      },
    ],
  },
] as const;

export type SettingsPart = {
  name: (typeof topics)[number]['parts'][number]['name'];
  title: string;
  about: string;
  role: Role;
  /** Null means any scope. */
  scope: string | null;
  /** Synonyms for the search. */
  words: string;
};

export type SettingsTopic = { title: string; parts: readonly SettingsPart[] };

/** The navigation of the settings. Several parts are tabs of their topic. */
export const settingsTopics: readonly SettingsTopic[] = topics;
