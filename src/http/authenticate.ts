import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasRole, type Actor, type Plan, type Role, type Scope } from '../lib/actor.ts';
import { invalid, PublicError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';

/** What a caller needs for a route; `public` routes take no token. */
export type Access = { scope: Scope; role: Role } | 'public';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler of a route that is not public. */
    actor: Actor;
    plan: Plan;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** Finds out who holds a token, or throws that it is not valid. */
export type VerifyToken = (token: string) => Promise<{ actor: Actor; plan: Plan }>;

/**
 * Requires of every route below /api to say who may call it, and of every caller a token that allows it. Runs before
 * the body is read.
 */
export function authenticate(server: FastifyInstance, verifyToken: VerifyToken): void {
  server.decorateRequest('actor');
  server.decorateRequest('plan');
  server.addHook('onRoute', (route) => {
    if (route.config?.access || !route.url.startsWith('/api/')) return;
    throw new Error(`${String(route.method)} ${route.url} does not say who may call it`);
  });
  server.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (!access || access === 'public') return;
    refuseTokenInQuery(request);
    const { actor, plan } = await verifyToken(bearerToken(request));
    request.actor = actor;
    request.plan = plan;
  });
  // After the rate limit, so that refused requests count as well.
  server.addHook('preParsing', async (request) => {
    const access = request.routeOptions.config.access;
    if (!access || access === 'public') return;
    refuseOtherOrganization(request);
    requireRights(request.actor, access);
  });
}

function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization;
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  if (match) return match[1]!;
  const detail = header
    ? 'The Authorization header must be `Bearer <token>`.'
    : 'Send your token in the header `Authorization: Bearer <token>`.';
  throw new PublicError('unauthenticated', 'token_missing', detail);
}

/** Addresses end up in logs and histories, so a token in one is refused even beside a good header. */
function refuseTokenInQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  for (const name of ['token', 'access_token']) {
    if (name in query)
      throw invalid(`query.${name}`, 'must not hold a token: send it in the Authorization header');
  }
}

function refuseOtherOrganization(request: FastifyRequest): void {
  const given = (request.query as Record<string, unknown>).org_id;
  if (given === undefined) return;
  if (typeof given !== 'string' || !isUuid(given)) throw invalid('query.org_id', 'must be a UUID');
  if (given.toLowerCase() === request.actor.orgId) return;
  throw new PublicError('forbidden', 'wrong_organization', 'This token belongs to another organization.');
}

function requireRights(actor: Actor, needed: { scope: Scope; role: Role }): void {
  if (!actor.scopes.includes(needed.scope)) {
    throw new PublicError('forbidden', 'scope_missing', `This token has no scope ${needed.scope}.`);
  }
  if (!hasRole(actor.role, needed.role)) {
    throw new PublicError(
      'forbidden',
      'role_too_low',
      `This needs the role ${needed.role}; yours is ${actor.role}.`,
    );
  }
}
