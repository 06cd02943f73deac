import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { completed, followDescription } from './gitHubDescription.ts';

/** The user who signs in next. A null `email` means that they have no primary address. */
export type GitHubUser = {
  id: number;
  login: string;
  email: string | null;
  isVerified: boolean;
  teams: string[];
  isRevoked: boolean;
  /** An answer that replaces the API's, for example for a suspended account. */
  answer: { status: number; message: string; headers?: Record<string, string>; path?: string } | null;
};

type Answered = { status: number; body: unknown; location?: string; headers?: Record<string, string> };

/** Simulates a GitHub Enterprise Server: its OAuth pages, and the parts of its API that a sign-in reads. */
export async function startGitHub(): Promise<{ address: string; client: object; user: GitHubUser }> {
  const [secret, token] = [randomBytes(20).toString('hex'), `gho_${randomBytes(18).toString('hex')}`];
  const user: GitHubUser = {
    id: 7,
    login: 'ada',
    email: null,
    isVerified: true,
    teams: [],
    isRevoked: false,
    answer: null,
  };
  const challenges = new Map<string, string>();

  async function answerOf(request: IncomingMessage): Promise<Answered> {
    const { pathname, searchParams } = new URL(request.url!, 'http://github.invalid');
    if (pathname === '/login/oauth/authorize') {
      const code = randomBytes(10).toString('hex');
      challenges.set(code, searchParams.get('code_challenge')!);
      const back = new URL(searchParams.get('redirect_uri')!);
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state')!);
      return { status: 302, body: null, location: back.href };
    }
    if (pathname === '/login/oauth/access_token') {
      const sent = new URLSearchParams(await text(request));
      const challenge = createHash('sha256')
        .update(sent.get('code_verifier') ?? '')
        .digest('base64url');
      const basic = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
      const isClient = sent.get('client_secret') === secret || basic === `github-client:${secret}`;
      const isCode = challenges.get(sent.get('code') ?? '') === challenge;
      challenges.delete(sent.get('code') ?? '');
      // GitHub answers errors with 200.
      if (!isClient || !isCode) return { status: 200, body: { error: 'bad_verification_code' } };
      return {
        status: 200,
        body: { access_token: token, token_type: 'bearer', scope: 'read:org,user:email' },
      };
    }
    if (user.isRevoked || request.headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: {} };
    return apiAnswer(user, pathname, Number(searchParams.get('page')));
  }

  const follow = followDescription();
  const server = createServer((request, response) => {
    void (async () => {
      const { status, body: partial, location, headers } = await answerOf(request);
      const { pathname } = new URL(request.url!, 'http://github.invalid');
      const [, path] = /^\/api\/v3(\/.*)$/.exec(pathname) ?? [];
      const body = path === undefined ? partial : completed('GET', path, status, partial);
      if (path !== undefined) follow({ method: 'GET', path, status, body });
      response.writeHead(status, {
        'content-type': 'application/json',
        ...headers,
        ...(location && { location }),
      });
      response.end(JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, client: { issuer: address, client_id: 'github-client', client_secret: secret }, user };
}

function apiAnswer(user: GitHubUser, pathname: string, page: number): Answered {
  if (user.answer && (user.answer.path ?? pathname) === pathname) {
    const { status, message, headers = {} } = user.answer;
    return { status, body: { message }, headers };
  }
  if (pathname === '/api/v3/user')
    return { status: 200, body: { id: user.id, login: user.login, name: null } };
  if (pathname === '/api/v3/user/emails') {
    const primary =
      user.email === null ? [] : [{ email: user.email, primary: true, verified: user.isVerified }];
    return { status: 200, body: [{ email: 'old@acme.test', primary: false, verified: true }, ...primary] };
  }
  const teams = user.teams.slice((page - 1) * 100, page * 100).map((team) => {
    const [login, slug] = team.split('/');
    return { slug, organization: { login } };
  });
  return { status: 200, body: teams };
}
