import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { cliActor } from '../../src/platform/lib/actor.ts';
import { createSignInCode } from '../../src/tenancy/sessions/signIn.ts';
import { request, type Answer, type SharedTestApp, type TestOrganization } from './app.ts';
import { assertProblem } from './problem.ts';

export const sessionPath = '/api/v1/session';

type RequestOptions = {
  /** Defaults to this server's origin. Null sends no header. */
  origin?: string | null;
  payload?: object;
  headers?: Record<string, string>;
  on?: FastifyInstance;
};

/** `name=value` of the cookie that a response sets. */
export function cookieOf(answer: Answer): string {
  return String(answer.headers['set-cookie']).split(';')[0]!;
}

export function assertCleared(answer: Answer): void {
  const cleared = 'runcost_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0';
  assert.equal(answer.headers['set-cookie'], cleared);
}

export async function newToken(organization: TestOrganization, fields: object = {}) {
  const body = { name: 'browser', role: 'owner', ...fields };
  const answer = await organization.send('POST', '/api/v1/tokens', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data as { id: string; token: string };
}

export async function newMember(organization: TestOrganization, role: string): Promise<string> {
  const member = { email: 'ada@acme.test', name: 'Ada', role };
  return (await organization.send('POST', '/api/v1/members', member)).body.data.id;
}

/** A member, and a token of that member with their role. */
export async function newTokenHolder(organization: TestOrganization, name: string, role = 'member') {
  const email = `${name.toLowerCase()}@acme.test`;
  const { id } = (await organization.send('POST', '/api/v1/members', { email, name, role })).body.data;
  const { token } = await newToken(organization, { name, role, member_id: id });
  return { id: id as string, token };
}

/** Simulates browsers that sign in. */
export function browsersOf({ app, server }: SharedTestApp) {
  let lastAddress = 0;
  /** An address without failed sign-ins. */
  const newAddress = () => `10.0.${++lastAddress >> 8}.${lastAddress & 255}`;

  const signIn = (secret: object, { on = server, from = newAddress(), headers = {} } = {}): Promise<Answer> =>
    request(on, { method: 'POST', url: sessionPath, payload: secret, remoteAddress: from, headers });

  /** A request with the session cookie. */
  function browse(
    cookie: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    { origin = app.publicUrl(), payload, headers = {}, on = server }: RequestOptions = {},
  ): Promise<Answer> {
    const sent = { cookie, ...(origin === null ? {} : { origin }), ...headers };
    return request(on, { method, url, headers: sent, ...(payload && { payload }) });
  }

  return {
    newAddress,
    signIn,
    browse,
    newSession: async (secret: object): Promise<string> => {
      const answer = await signIn(secret);
      assert.equal(answer.status, 201, answer.text);
      return cookieOf(answer);
    },
    newCode: ({ orgId }: TestOrganization, validSeconds = 900, tokenId: string | null = null) =>
      createSignInCode({ ...app, actor: cliActor(orgId) }, { validSeconds, tokenId }),
    assertEnded: async (cookie: string): Promise<void> => {
      const answer = await browse(cookie, 'GET', sessionPath);
      assertProblem(answer, 401, 'session_ended');
      assertCleared(answer);
    },
  };
}
