import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts';
import type { EgressErrorClass } from '../../platform/egress/openSocket.ts';
import { oneLine } from '../../platform/lib/text.ts';
import type { Clock } from '../../platform/lib/time.ts';

export type GitHubCredentials =
  | { kind: 'token'; token: string }
  | { kind: 'app'; appId: string; privateKey: string; installationId: string };

type GitHubQuery = Record<string, string | number>;

export type GitHubClient = {
  get: (
    repository: string,
    path: string,
    options?: { query?: GitHubQuery; etag?: string | null; signal?: AbortSignal },
  ) => Promise<GitHubAnswer<unknown>>;
  /** Needs write permission. */
  write: (
    repository: string,
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
  ) => Promise<GitHubAnswer<unknown>>;
  getOfOrganization: GetOfAccount;
  getOfEnterprise: GetOfAccount;
  getOfUser: GetOfAccount;
  /** The bill of an organization, a user or an enterprise. */
  billing: (
    method: 'GET' | 'POST',
    account: { kind: keyof typeof billedPlaces; login: string },
    path: string,
    options: { parameters?: object; etag?: string | null; signal: AbortSignal },
  ) => Promise<GitHubAnswer<unknown>>;
  /** Needs no permission and counts toward no limit. */
  check: () => Promise<GitHubAnswer<unknown>>;
  /** Only for an App: its own installation. */
  getInstallation: () => Promise<GitHubAnswer<unknown>>;
  /** Only for an App: a page of up to 100 repositories that it may read. */
  getInstalledRepositories: (page: number) => Promise<GitHubAnswer<unknown>>;
  /** Exchanges the code of a manifest for an App. Needs no credentials. */
  convertManifest: (code: string) => Promise<GitHubAnswer<unknown>>;
};

const billedPlaces = { organization: 'organizations', user: 'users', enterprise: 'enterprises' };

type GetOfAccount = (
  name: string,
  path: string,
  options: { query: GitHubQuery; signal: AbortSignal },
) => Promise<GitHubAnswer<unknown>>;

type Connection = { egress: Egress; clock: Clock; gitHubApiUrl: string };

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The client never waits: its answers say when to continue. Without credentials, it reads public data. */
export function createGitHubClient(
  { egress, clock, gitHubApiUrl }: Connection,
  credentials: GitHubCredentials | null,
): GitHubClient {
  const octokit = new Octokit({
    baseUrl: gitHubApiUrl,
    userAgent: 'runcost',
    log: silent,
    request: { fetch: gitHubFetch(egress) },
    ...(credentials && authenticationOf(credentials)),
  });
  let nextAt: Date | null = null;

  async function ask(
    route: string,
    parameters: Record<string, unknown>,
    repository: string,
  ): Promise<GitHubAnswer<unknown>> {
    const now = clock.now();
    // Names in events are anybody's. These would lead to another place of the API, with our credentials.
    if (/(^|\/)\.\.?(\/|$)/.test(repository))
      return readRefusal({ status: 404, headers: {}, message: 'Not Found' }, { repository, now });
    if (nextAt && now < nextAt) return { kind: 'wait', until: nextAt, reason: 'rate_limit' };
    try {
      const { data, headers: all, status } = await octokit.request(route, parameters);
      const headers = all as Refusal['headers'];
      nextAt = spentUntil(headers, clock.now());
      // A redirect that we did not follow.
      if (status >= 300) return readRefusal({ status, headers, message: '' }, { repository, now });
      return { kind: 'data', data, etag: headers.etag ?? null };
    } catch (error) {
      const refusal = refusalOf(error);
      if (typeof refusal === 'string') return { kind: 'unreachable', message: refusal };
      return readRefusal(refusal, { repository, now: clock.now() });
    }
  }

  return {
    get: (repository, path, { query = {}, etag, signal } = {}) => {
      const headers = etag ? { headers: { 'if-none-match': etag } } : {};
      const request = signal ? { request: { signal } } : {};
      const [owner, name] = repository.split('/');
      const parameters = { owner, name, ...query, ...headers, ...request };
      return ask(`GET /repos/{owner}/{name}${path}`, parameters, repository);
    },
    write: (repository, method, path, body) => {
      const [owner, repo] = repository.split('/');
      return ask(`${method} /repos/{owner}/{repo}${path}`, { owner, repo, ...body }, repository);
    },
    getOfOrganization: (name, path, { query, signal }) =>
      ask(`GET /orgs/{name}${path}`, { name, ...query, request: { signal } }, name),
    getOfEnterprise: (name, path, { query, signal }) =>
      ask(`GET /enterprises/{name}${path}`, { name, ...query, request: { signal } }, name),
    getOfUser: (name, path, { query, signal }) =>
      ask(`GET /users/{name}${path}`, { name, ...query, request: { signal } }, name),
    billing: (method, { kind, login }, path, { parameters = {}, etag, signal }) => {
      const headers = etag ? { headers: { 'if-none-match': etag } } : {};
      const route = `${method} /${billedPlaces[kind]}/{login}/settings/billing${path}`;
      return ask(route, { login, ...parameters, ...headers, request: { signal } }, login);
    },
    check: () => ask('GET /rate_limit', {}, ''),
    getInstallation: () => {
      const id = credentials?.kind === 'app' ? credentials.installationId : '';
      return ask('GET /app/installations/{id}', { id }, `installation ${id}`);
    },
    getInstalledRepositories: (page) =>
      ask('GET /installation/repositories', { per_page: 100, page }, 'this installation'),
    convertManifest: (code) => ask('POST /app-manifests/{code}/conversions', { code }, 'this code'),
  };
}

function authenticationOf(credentials: GitHubCredentials) {
  if (credentials.kind === 'token') return { auth: credentials.token };
  const { appId, privateKey, installationId } = credentials;
  return { authStrategy: createAppAuth, auth: { appId, privateKey, installationId } };
}

function refusalOf(error: unknown): Refusal | string {
  const { response, request, message } = error as Error & {
    request?: { url: string };
    response?: { status: number; headers: Refusal['headers']; data?: unknown };
  };
  if (!response) return message;
  const { status, headers } = response;
  // An App without a token for its installation gets no access at all.
  if (request?.url.endsWith('/access_tokens') && status < 500) return { status: 401, headers, message };
  const { message: own } = (response.data ?? {}) as { message?: unknown };
  return { status, headers, message: typeof own === 'string' ? own : '' };
}

export type GitHubAnswer<T> =
  | { kind: 'data'; data: T; etag: string | null }
  | { kind: 'unchanged' }
  | { kind: 'wait'; until: Date; reason: WaitReason }
  | { kind: 'unreachable'; message: string }
  | { kind: 'unauthenticated' }
  /** `said` is GitHub's own message. */
  | { kind: 'refused'; status: number; message: string; said: string };

export type WaitReason = 'rate_limit' | 'secondary_rate_limit' | 'unreachable';

type Refusal = { status: number; headers: Record<string, string | undefined>; message: string };

/** The wait that GitHub documents for a secondary limit without a header. */
const secondaryWaitSeconds = 60;
const longestWaitSeconds = 2 * 3_600;

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function readRefusal(
  { status, headers, message }: Refusal,
  { repository, now }: { repository: string; now: Date },
): Exclude<GitHubAnswer<never>, { kind: 'data' }> {
  if (status === 304) return { kind: 'unchanged' };
  if (status === 401) return { kind: 'unauthenticated' };
  if (status === 403 || status === 429) {
    const wait = waitOf(headers, message, status, now);
    if (wait) return { kind: 'wait', ...wait };
  }
  if (status >= 500 || status === 408) return { kind: 'unreachable', message: `GitHub answered ${status}` };
  const said = oneLine(message).slice(0, 200);
  return { kind: 'refused', status, message: refusalText(status, said, repository), said };
}

type Wait = { until: Date; reason: WaitReason };

function waitOf(headers: Refusal['headers'], message: string, status: number, now: Date): Wait | null {
  const after = (seconds: number) =>
    new Date(now.getTime() + 1_000 * Math.min(Math.max(seconds, 1), longestWaitSeconds));
  const retryAfter = secondsOf(headers['retry-after']);
  // GitHub bans tokens that keep asking, so wait even if its clock says that the limit is over.
  const orLonger = (until: Date) => (until > after(1) ? until : after(secondaryWaitSeconds));
  if (retryAfter !== null) return { until: orLonger(after(retryAfter)), reason: 'secondary_rate_limit' };
  const reset = spentUntil(headers, now);
  if (reset) return { until: orLonger(reset), reason: 'rate_limit' };
  const isLimit = status === 429 || /secondary rate limit|abuse detection/i.test(message);
  return isLimit ? { until: after(secondaryWaitSeconds), reason: 'secondary_rate_limit' } : null;
}

function spentUntil(headers: Refusal['headers'], now: Date): Date | null {
  if (headers['x-ratelimit-remaining'] !== '0') return null;
  const resetSeconds = secondsOf(headers['x-ratelimit-reset']);
  if (resetSeconds === null) return null;
  const seconds = Math.ceil(resetSeconds - now.getTime() / 1_000) + 1;
  return new Date(now.getTime() + 1_000 * Math.min(Math.max(seconds, 1), longestWaitSeconds));
}

function secondsOf(text: string | undefined): number | null {
  return /^\d{1,12}$/.test(text ?? '') ? Number(text) : null;
}

function refusalText(status: number, own: string, repository: string): string {
  if (/disabled/i.test(own)) return `Actions is disabled for ${repository}: GitHub says "${own}"`;
  if (status === 404) {
    return (
      `${repository} does not exist, or the credentials have no access to it. A fine-grained token or ` +
      'an App needs the repository permission "Actions: read".'
    );
  }
  if (status === 403) {
    return `The credentials may not read the runs of ${repository}: GitHub says "${own}". They need the repository permission "Actions: read".`;
  }
  if (status >= 300 && status < 400) {
    return (
      `GitHub redirected ${repository} (${status}) to a host that must not get the credentials. Is ` +
      'GITHUB_API_URL right?'
    );
  }
  return `GitHub answered ${status} for ${repository}: "${own}"`;
}

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

const maxBytes = 32 * 1024 * 1024;
const timeoutMilliseconds = 60_000;
const maxRedirects = 3;

/** A `fetch` for Octokit. Redirects stay within the origin, so that the token goes nowhere else. */
function gitHubFetch({ get, post, patch }: Pick<Egress, 'get' | 'post' | 'patch'>): Fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const signal = init.signal ? { signal: init.signal } : {};
    let url = new URL(input);
    for (let redirects = 0; ; redirects++) {
      const request = { url: url.href, headers, timeoutMilliseconds, maxBytes, ...signal };
      const send = method === 'PATCH' ? patch : post;
      const outcome =
        method === 'GET'
          ? await get(request)
          : await send({ ...request, body: Buffer.from((body ?? '') as string) });
      const next = redirectOf(outcome, url);
      if (next === null || method !== 'GET' || redirects === maxRedirects) return responseOf(outcome, url);
      url = next;
    }
  };
}

const failuresInWords: Partial<Record<EgressErrorClass, string>> = {
  dns: 'no such host, or DNS does not answer',
  connect: 'connection refused, or host unreachable',
  timeout: `no answer within ${timeoutMilliseconds / 1_000} seconds`,
  tls: 'TLS failed, for example because of an untrusted certificate',
  reset: 'the connection closed early',
};

function redirectOf(outcome: EgressOutcome, url: URL): URL | null {
  if (outcome.kind === 'failure' || ![301, 302, 307, 308].includes(outcome.statusCode)) return null;
  const next = URL.parse(outcome.headers.location ?? '', url.href);
  return next?.origin === url.origin ? next : null;
}

function responseOf(outcome: EgressOutcome, url: URL): Response {
  if (outcome.kind === 'failure') {
    const { errorClass, message } = outcome;
    throw new TypeError(`${url.host}: ${failuresInWords[errorClass] ?? message}`);
  }
  const { statusCode, headers, body, truncated, note } = outcome;
  if (truncated) throw new TypeError(`${url.host} answered more than ${maxBytes} bytes`);
  if (note !== null) throw new TypeError(`${url.host}: ${note}`);
  const isEmpty = statusCode === 204 || statusCode === 304;
  const response = new Response(isEmpty ? null : new Uint8Array(body), {
    status: statusCode,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
    ),
  });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}
