import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { readRefusal, spentUntil, type GitHubAnswer, type Refusal } from './gitHubAnswer.ts';
import { gitHubFetch } from './gitHubFetch.ts';

/** What opens GitHub's API: a fine-grained token, or a GitHub App in one of its installations. */
export type GitHubCredentials =
  | { kind: 'token'; token: string }
  | { kind: 'app'; appId: string; privateKey: string; installationId: string };

type GitHubQuery = Record<string, string | number>;

export type GitHubClient = {
  /** Gets `/repos/{repository}{path}`; with an ETag, only what has changed since. */
  get: (
    repository: string,
    path: string,
    options?: { query?: GitHubQuery; etag?: string | null; signal?: AbortSignal },
  ) => Promise<GitHubAnswer<unknown>>;
  /** Asks something that every valid credentials may, and that no limit counts. */
  check: () => Promise<GitHubAnswer<unknown>>;
};

type Connection = { egress: Egress; clock: Clock; gitHubApiUrl: string };

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A client of GitHub's API with those credentials. It waits for nothing itself: its answers say when to go on. */
export function createGitHubClient(
  { egress, clock, gitHubApiUrl }: Connection,
  credentials: GitHubCredentials,
): GitHubClient {
  const octokit = new Octokit({
    baseUrl: gitHubApiUrl,
    userAgent: 'runcost',
    log: silent,
    request: { fetch: gitHubFetch(egress) },
    ...authenticationOf(credentials),
  });
  let nextAt: Date | null = null;

  async function ask(
    route: string,
    parameters: Record<string, unknown>,
    repository: string,
  ): Promise<GitHubAnswer<unknown>> {
    const now = clock.now();
    if (nextAt && now < nextAt) return { kind: 'wait', until: nextAt, reason: 'rate_limit' };
    try {
      const { data, headers: all, status } = await octokit.request(route, parameters);
      const headers = all as Refusal['headers'];
      nextAt = spentUntil(headers, clock.now());
      // A redirect that was not followed.
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
    check: () => ask('GET /rate_limit', {}, ''),
  };
}

function authenticationOf(credentials: GitHubCredentials) {
  if (credentials.kind === 'token') return { auth: credentials.token };
  const { appId, privateKey, installationId } = credentials;
  return { authStrategy: createAppAuth, auth: { appId, privateKey, installationId } };
}

/** GitHub's answer in Octokit's error, or in words why there is none. */
function refusalOf(error: unknown): Refusal | string {
  const { response, request, message } = error as Error & {
    request?: { url: string };
    response?: { status: number; headers: Refusal['headers']; data?: unknown };
  };
  if (!response) return message;
  const { status, headers } = response;
  // An App that is refused a token of its installation is refused everything.
  if (request?.url.endsWith('/access_tokens') && status < 500) return { status: 401, headers, message };
  const { message: own } = (response.data ?? {}) as { message?: unknown };
  return { status, headers, message: typeof own === 'string' ? own : '' };
}
