import { Unreachable, type createFetch } from '../../platform/egress/fetch.ts';
import { gitHubApi } from '../../platform/lib/gitHubAddresses.ts';
import { isEmail, oneLine } from '../../platform/lib/text.ts';
import { nameOf } from './claims.ts';
import type { Person } from './decide.ts';

type Fetch = ReturnType<typeof createFetch>;

/** The token no longer works: the account is gone, or the person withdrew the access. */
export class AccessEnded extends Error {}

const maxPages = 10;

export function gitHubMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
}

export async function readGitHubPerson(fetch: Fetch, issuer: string, accessToken: string): Promise<Person> {
  const get = (path: string) => getJson(fetch, { api: gitHubApi(issuer), path, accessToken });
  const [user, emails, teams] = [
    await get('/user'),
    await get('/user/emails?per_page=100'),
    await teamsOf(get),
  ];
  const { id, name, login } = user as Record<string, unknown>;
  if (typeof id !== 'number') throw new Unreachable(`${issuer}: the user has no id`);
  const primary = listOf(emails).find((each) => each['primary'] === true);
  const email = primary?.['email'];
  return {
    issuer,
    subject: String(id),
    email: typeof email === 'string' && isEmail(email) ? email : null,
    isEmailVerified: primary?.['verified'] === true,
    name: nameOf([name, login].find((each) => typeof each === 'string') ?? ''),
    groups: teams,
  };
}

async function teamsOf(get: (path: string) => Promise<unknown>): Promise<string[]> {
  const teams: string[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const found = listOf(await get(`/user/teams?per_page=100&page=${page}`));
    for (const { slug, organization } of found) {
      const { login } = (organization ?? {}) as Record<string, unknown>;
      if (typeof slug === 'string' && typeof login === 'string') teams.push(`${login}/${slug}`);
    }
    if (found.length < 100) break;
  }
  return teams;
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
}

async function getJson(
  fetch: Fetch,
  { api, path, accessToken }: { api: string; path: string; accessToken: string },
): Promise<unknown> {
  const url = `${api}${path}`;
  const headers = {
    authorization: `Bearer ${accessToken}`,
    accept: 'application/vnd.github+json',
    'user-agent': 'runcost',
  };
  const response = await fetch(url, { method: 'GET', headers });
  if (response.status === 200) return response.json();
  const message = await messageOf(response);
  const problem = `${url} answered ${response.status}${message && `: ${message}`}`;
  if (response.status === 401) throw new AccessEnded(problem);
  // On other paths, an organization can refuse this server, for example by its list of allowed IP addresses.
  if (path === '/user' && isSuspended(response, message)) throw new AccessEnded(problem);
  throw new Unreachable(problem);
}

async function messageOf(response: Response): Promise<string> {
  const answer: unknown = await response.json().catch(() => null);
  const { message } = (answer ?? {}) as Record<string, unknown>;
  return typeof message === 'string' ? oneLine(message).slice(0, 300).toWellFormed() : '';
}

/** Rate limits and proxies in between say nothing about the account. */
function isSuspended({ status, headers }: Response, message: string): boolean {
  if (status !== 403 || headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0')
    return false;
  return message !== '' && !/rate limit|abuse/i.test(message);
}
