import { IconBrandGithubFilled, IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Provider } from './queries.ts';

/** What a provider calls each field, and where to find it. */
export type Preset = {
  title: string;
  mark: ReactNode;
  kind: Provider['kind'];
  where: string;
  redirectLabel: string;
  /** Null if the provider has no setting for the address after signing out. */
  signOutLabel: string | null;
  issuer: string;
  issuerExample: string;
};

const oidc = { kind: 'oidc', issuer: '' } as const;

export const presets = {
  okta: {
    ...oidc,
    title: 'Okta',
    mark: <Ring color="#007dc1" />,
    where:
      'Applications, Create App Integration, then OIDC and Web Application. Turn on the grant type Refresh Token.',
    redirectLabel: 'Sign-in redirect URI',
    signOutLabel: 'Sign-out redirect URI',
    issuerExample: 'https://acme.okta.com',
  },
  entra: {
    ...oidc,
    title: 'Microsoft Entra',
    mark: <Squares />,
    where:
      'App registrations, New registration, platform Web. Add a client secret, and under Token configuration the optional ID token claims email and xms_edov.',
    redirectLabel: 'Redirect URI',
    signOutLabel: 'Second redirect URI, for signing out',
    issuerExample: 'https://login.microsoftonline.com/TENANT/v2.0',
  },
  google: {
    ...oidc,
    title: 'Google',
    mark: <GoogleMark />,
    where: 'Google Cloud console, APIs & Services, Credentials, Create OAuth client ID, Web application.',
    redirectLabel: 'Authorized redirect URI',
    signOutLabel: null,
    issuer: 'https://accounts.google.com',
    issuerExample: 'https://accounts.google.com',
  },
  keycloak: {
    ...oidc,
    title: 'Keycloak',
    mark: <Hexagon />,
    where: 'Clients, Create client, OpenID Connect, with client authentication on.',
    redirectLabel: 'Valid redirect URI',
    signOutLabel: 'Valid post logout redirect URI',
    issuerExample: 'https://keycloak.acme.com/realms/acme',
  },
  github: {
    kind: 'github',
    title: 'GitHub',
    mark: <IconBrandGithubFilled size={24} aria-hidden />,
    where: 'Your organization’s Settings, Developer settings, OAuth apps, New OAuth app.',
    redirectLabel: 'Authorization callback URL',
    signOutLabel: null,
    issuer: 'https://github.com',
    issuerExample: 'https://github.com',
  },
  other: {
    ...oidc,
    title: 'Other',
    mark: <IconKey size={24} stroke={1.7} aria-hidden />,
    where: 'A web client of OpenID Connect, with a client secret and the authorization code flow.',
    redirectLabel: 'Redirect URI',
    signOutLabel: 'Post-logout redirect URI',
    issuerExample: 'https://login.acme.com',
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

function Ring({ color }: { color: string }) {
  return (
    <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden>
      <circle cx={12} cy={12} r={8} fill="none" stroke={color} strokeWidth={5} />
    </svg>
  );
}

function Squares() {
  return (
    <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden>
      <path fill="#f25022" d="M2 2h9.5v9.5H2z" />
      <path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z" />
      <path fill="#00a4ef" d="M2 12.5h9.5V22H2z" />
      <path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z" />
    </svg>
  );
}

function GoogleMark() {
  const arc = { fill: 'none', strokeWidth: 4 };
  return (
    <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden>
      <path {...arc} stroke="#ea4335" d="M4.6 8a8.5 8.5 0 0 1 13.4-2" />
      <path {...arc} stroke="#fbbc05" d="M4.6 16a8.5 8.5 0 0 1 0-8" />
      <path {...arc} stroke="#34a853" d="M17.5 18.5A8.5 8.5 0 0 1 4.6 16" />
      <path {...arc} stroke="#4285f4" d="M12 12h8.5a8.5 8.5 0 0 1-3 6.5" />
    </svg>
  );
}

function Hexagon() {
  return (
    <svg width={24} height={24} viewBox="0 0 24 24" aria-hidden>
      <path fill="#4d9fd6" d="M7 3h10l5 9-5 9H7l-5-9z" />
      <path
        fill="#fff"
        d="m10.5 7.5-2.6 4.5 2.6 4.5h2L9.9 12l2.6-4.5zm3 0L16.1 12l-2.6 4.5h2L18.1 12l-2.6-4.5z"
      />
    </svg>
  );
}
