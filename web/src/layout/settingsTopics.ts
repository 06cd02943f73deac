import type { Role } from '../ui/rights.tsx';

const topics = [
  {
    title: 'General',
    parts: [
      {
        name: 'organization',
        title: 'Organization',
        role: 'viewer',
        scope: 'admin',
        about: 'Its name and plan, and how it reads times and periods.',
        words: 'name plan time zone fiscal week retention delete',
      },
      {
        name: 'notifications',
        title: 'Notifications',
        role: 'viewer',
        scope: 'admin',
        about: 'Where alerts are sent: emails, chats and other channels.',
        words: 'email mail smtp slack teams discord pagerduty chat channel',
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
  {
    title: 'People and access',
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
        name: 'tokens',
        title: 'Tokens',
        role: 'admin',
        scope: 'admin',
        about: 'Access for scripts and people.',
        words: 'api keys access secret service account',
      },
      {
        name: 'sessions',
        title: 'Sessions',
        role: 'viewer',
        scope: null,
        about: 'Browsers that are signed in. Sign out those you don’t know, and revoke their token.',
        words: 'devices sign out',
      },
      {
        name: 'share-links',
        title: 'Share links',
        role: 'viewer',
        scope: 'costs:read',
        about:
          'Views, badges and embeds for people without an account. A link is shown only when you create it.',
        words: 'read-only public view expiry revoke badge embed',
      },
    ],
  },
  {
    title: 'Costs',
    parts: [
      {
        name: 'pricing',
        title: 'Pricing',
        role: 'viewer',
        scope: 'costs:read',
        about: 'What a minute of each runner costs.',
        words: 'rates prices runners price list reprice what-if included minutes',
      },
      {
        name: 'owners',
        title: 'Teams and owners',
        role: 'viewer',
        scope: 'costs:read',
        about: 'Which team and cost center a cost belongs to, and which actors are agents.',
        words: 'ownership rules codeowners cost centers agents bots people actors',
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

/** The navigation of the settings. The command palette lists the same pages. */
export const settingsTopics: readonly { title: string; parts: readonly SettingsPart[] }[] = topics;

export const settingsParts = settingsTopics.flatMap(({ parts }) => parts);
