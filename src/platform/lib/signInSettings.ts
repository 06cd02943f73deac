import { roles, type Role } from './actor.ts';
import { webAddress, wholeNumber } from './settingTexts.ts';

export type EnvironmentProvider = {
  id: string;
  kind: 'oidc' | 'github';
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  groupsClaim: string;
  allowedDomains: string[];
  defaultRole: Role | null;
  groupRoles: { group: string; role: Role }[];
};

export type SignInSettings = {
  /** Id or login of the organization of the environment's providers; null means the only one. */
  organization: string | null;
  providers: EnvironmentProvider[];
  /** Minutes until a session's provider is asked again. */
  checkMinutes: number;
};

export const signInSettingTexts = [
  ['OIDC_ISSUER', '', 'issuer of OpenID Connect, to sign in by: https://login.acme.com/'],
  ['OIDC_CLIENT_ID', '', 'client of Runcost at the issuer; required with OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', '', 'secret of the client; required with OIDC_ISSUER'],
  ['OIDC_NAME', 'Single sign-on', 'label of its button'],
  ['OIDC_GROUPS_CLAIM', 'groups', "claim with a person's groups"],
  ['GITHUB_OAUTH_CLIENT_ID', '', 'client of a GitHub OAuth app, to sign in by GitHub'],
  ['GITHUB_OAUTH_CLIENT_SECRET', '', 'secret of the client; required with GITHUB_OAUTH_CLIENT_ID'],
  ['GITHUB_OAUTH_URL', 'https://github.com', 'address of a GitHub Enterprise Server'],
  ['SIGN_IN_ORGANIZATION', 'the only one', 'id or login of the organization that these providers are for'],
  ['SIGN_IN_DOMAINS', '', 'email domains whose people become members at their first sign-in: acme.com,…'],
  ['SIGN_IN_ROLE', 'viewer', 'role at the first sign-in; none: only people with a group that has a role'],
  ['SIGN_IN_GROUP_ROLES', '', 'roles of groups, or of GitHub teams: ci-admins=admin,acme/platform=member,…'],
  ['SIGN_IN_CHECK_MINUTES', '15', 'minutes until a session asks its provider again, 1 to 1440'],
] as const;

type Read = <T>(name: string, fallback: T, parse: (text: string) => T | null, expected: string) => T;

const anyText = (text: string) => text;

/** A shared address of Entra serves every tenant, so people of any tenant would get in. */
export function sharedTenantFault(issuer: string): string | null {
  const { hostname, pathname } = new URL(issuer);
  const host = hostname.replace(/\.$/, '');
  const tenant = pathname.split('/').find(Boolean);
  if (!entraHosts.test(host) || (tenant !== undefined && !isShared(tenant))) return null;
  const sample = `such as https://${host}/TENANT-ID${host === 'sts.windows.net' ? '/' : '/v2.0'}`;
  if (tenant === undefined) return `must have the id of your own tenant after the host, ${sample}`;
  return `must have the id of your own tenant in place of "${tenant}", which every company shares, ${sample}`;
}

const entraHosts =
  /^(login\.(microsoftonline\.(com|us|de)|partner\.microsoftonline\.cn|chinacloudapi\.cn|microsoft\.com|windows\.net)|sts\.windows\.net)$/;
/** The tenant of personal accounts. */
const consumersId = '9188040d-6c67-4c5b-b112-36a304b66dad';

function isShared(tenant: string): boolean {
  const plain = tenant.replaceAll(/%([\da-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return ['common', 'organizations', 'consumers', consumersId].includes(plain.trim().toLowerCase());
}

export function readSignInSettings(read: Read, faults: string[]): SignInSettings {
  const text = (name: string) => read<string | null>(name, null, anyText, 'a text');
  const common = {
    allowedDomains: read<string[]>(
      'SIGN_IN_DOMAINS',
      [],
      domainsIn,
      'domains such as acme.com, separated by commas',
    ),
    defaultRole: read<{ role: Role | null }>(
      'SIGN_IN_ROLE',
      { role: 'viewer' },
      roleOrNone,
      `${roles.join(', ')} or none`,
    ).role,
    groupRoles: read(
      'SIGN_IN_GROUP_ROLES',
      [],
      groupRolesIn,
      `pairs such as ci-admins=admin, with ${roles.join(', ')}`,
    ),
  };
  const addressRule = 'an http:// or https:// address without user, password, query or #';
  const issuer = read<string | null>('OIDC_ISSUER', null, (given) => webAddress(given) && given, addressRule);
  const tenantFault = issuer && sharedTenantFault(issuer);
  if (tenantFault) faults.push(`OIDC_ISSUER ${tenantFault}`);
  const gitHub = read('GITHUB_OAUTH_URL', 'https://github.com', webAddress, addressRule);
  const clientOf = (prefix: string, needs: string) => {
    const [clientId, clientSecret] = [text(`${prefix}_CLIENT_ID`), text(`${prefix}_CLIENT_SECRET`)];
    if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
    const missing = clientId === null ? `${prefix}_CLIENT_ID` : `${prefix}_CLIENT_SECRET`;
    faults.push(`${missing} must be set with ${needs}`);
    return null;
  };
  const oidcClient = issuer === null ? null : clientOf('OIDC', 'OIDC_ISSUER');
  const hasGitHub = text('GITHUB_OAUTH_CLIENT_ID') !== null;
  const gitHubClient = hasGitHub ? clientOf('GITHUB_OAUTH', 'GITHUB_OAUTH_CLIENT_ID') : null;
  const groupsClaim = read('OIDC_GROUPS_CLAIM', 'groups', anyText, 'a text');
  const oidcName = read('OIDC_NAME', 'Single sign-on', anyText, 'a text');
  return {
    organization: text('SIGN_IN_ORGANIZATION'),
    providers: [
      ...(oidcClient && issuer !== null
        ? [
            {
              id: 'oidc',
              kind: 'oidc' as const,
              name: oidcName,
              issuer,
              groupsClaim,
              ...oidcClient,
              ...common,
            },
          ]
        : []),
      ...(gitHubClient
        ? [
            {
              id: 'github',
              kind: 'github' as const,
              name: 'GitHub',
              issuer: gitHub,
              groupsClaim,
              ...gitHubClient,
              ...common,
            },
          ]
        : []),
    ],
    checkMinutes: read(
      'SIGN_IN_CHECK_MINUTES',
      15,
      (given) => {
        const minutes = wholeNumber(given, 1_440);
        return minutes === null || minutes < 1 ? null : minutes;
      },
      'a whole number from 1 to 1440',
    ),
  };
}

function isDomain(text: string): boolean {
  return /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i.test(text);
}

function listIn(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function domainsIn(text: string): string[] | null {
  const domains = listIn(text).map((domain) => domain.toLowerCase());
  return domains.every(isDomain) ? domains : null;
}

function roleOrNone(text: string): { role: Role | null } | null {
  const word = text.toLowerCase();
  if (word === 'none') return { role: null };
  const role = roles.find((each) => each === word);
  return role ? { role } : null;
}

/** Splits at the last `=`, because group names can contain one. */
function groupRolesIn(text: string): { group: string; role: Role }[] | null {
  const pairs = listIn(text).map((pair) => {
    const at = pair.lastIndexOf('=');
    const role = roles.find(
      (each) =>
        each ===
        pair
          .slice(at + 1)
          .trim()
          .toLowerCase(),
    );
    const group = pair.slice(0, Math.max(at, 0)).trim();
    return role && group ? { group, role } : null;
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
}
