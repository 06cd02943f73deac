import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Program } from '../../context.ts';
import { hasRole, type Actor, type Plan, type Role, type Scope } from '../lib/actor.ts';
import { invalidAt, InvalidFields, PublicError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';

/** A null `scope` accepts any. `operator` takes the token in a running server's data folder; it has no actor. */
export type Access = { scope: Scope | null; role: Role } | 'public' | 'operator';

type Credential = { kind: 'token' | 'session' | 'operator'; text: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every route that is neither public nor the operator's. */
    actor: Actor;
    plan: Plan;
    /** Never older than the request. */
    costsVersion: bigint;
    ctx: Context & { plan: Plan };
    credential: Credential;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** Whether a public route sets the session cookie, so that no other site may sign a browser in. */
    startsSession?: true;
  }
}

/** Who sent the request, and what the answers for their organization depend on. */
export type Verified = { actor: Actor; plan: Plan; costsVersion: bigint };
type Verifiers = {
  verifyToken: (text: string, request: FastifyRequest) => Promise<Verified>;
  /** `organization` is what the request names. Without having entered it, a browser learns nothing of it. */
  verifySession: (text: string, organization: string | null) => Promise<Verified>;
  isOperator: (text: string) => boolean;
  /** The operator of the organization that the request names, or else of the only one. */
  verifyOperator: (organization: string | null) => Promise<Verified>;
  publicUrl: () => string;
  /** Whether `publicUrl` is configured. If it is, browsers may use no other address. */
  hasPublicUrl: boolean;
};

/** Every route below /api declares its access. Runs before the body is read. */
export function authenticate(server: FastifyInstance, program: Program, verifiers: Verifiers): void {
  for (const property of ['actor', 'plan', 'costsVersion', 'credential']) server.decorateRequest(property);
  const { db, isDistributed, clock, vault, egress, providers } = program;
  const { subscribers, findUnusualThreshold, telemetry } = program;
  const platform = { db, isDistributed, clock, vault, egress, telemetry };
  const shared = { ...platform, providers, subscribers, findUnusualThreshold };
  server.decorateRequest('ctx', {
    getter() {
      const { actor, plan } = this;
      return { ...shared, actor, plan };
    },
  });
  server.addHook('onRoute', (route) => {
    if (route.config?.access || !route.url.startsWith('/api/')) return;
    throw new Error(`${String(route.method)} ${route.url} does not declare who may call it`);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const access = request.routeOptions.config.access;
    if (!access || access === 'public') return done();
    refuseTokenInQuery(request);
    request.credential = readCredential(request, verifiers);
    if (access === 'operator' && request.credential.kind === 'operator') return done();
    const proceed = ({ actor, plan, costsVersion }: Verified) => {
      request.actor = actor;
      request.plan = plan;
      request.costsVersion = costsVersion;
      done();
    };
    verify(request, verifiers, reply).then(proceed, done);
  });
  // Runs after the rate limit, so that refused requests count, too.
  server.addHook('preParsing', (request, _reply, _payload, done) => {
    const { access, startsSession } = request.routeOptions.config;
    if (startsSession && request.headers.origin !== undefined) refuseOtherOrigin(request, verifiers);
    if (!access || access === 'public') return done();
    if (access === 'operator') {
      if (request.credential.kind === 'operator') return done();
      throw operatorOnly();
    }
    if (request.credential.kind === 'session') refuseOtherOrigin(request, verifiers);
    refuseOtherOrganization(request, request.actor.orgId);
    requireRights(request.actor, access);
    done();
  });
}

export function bearerOf({ headers }: FastifyRequest): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

function readCredential(request: FastifyRequest, { isOperator }: Verifiers): Credential {
  const header = request.headers.authorization;
  const bearer = bearerOf(request);
  if (bearer !== null) return { kind: isOperator(bearer) ? 'operator' : 'token', text: bearer };
  const session = header ? null : readSessionCookie(request);
  if (session) return { kind: 'session', text: session };
  const detail = header
    ? 'The Authorization header must be `Bearer <token>`.'
    : 'Send your token in the header `Authorization: Bearer <token>`.';
  throw new PublicError('unauthenticated', 'token_missing', detail);
}

async function verify(request: FastifyRequest, verifiers: Verifiers, reply: FastifyReply) {
  const { kind, text } = request.credential;
  if (kind === 'token') return verifiers.verifyToken(text, request);
  if (kind === 'operator')
    return verifiers.verifyOperator(requiredOrganizationIn(request)).catch((error: unknown) => {
      // Also of a route with a body.
      throw error instanceof InvalidFields ? error.named((field) => `query.${field}`) : error;
    });
  return verifiers.verifySession(text, organizationIn(request)).catch((error: unknown) => {
    const hasEnded = error instanceof PublicError && error.kind === 'unauthenticated';
    if (hasEnded) clearSessionCookie(reply, verifiers.publicUrl());
    throw error;
  });
}

/** Browsers send and store the cookie automatically, so only our own pages may make changes and sign in. */
function refuseOtherOrigin(
  { method, headers }: FastifyRequest,
  { publicUrl, hasPublicUrl }: Pick<Verifiers, 'publicUrl' | 'hasPublicUrl'>,
): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin } = new URL(publicUrl());
  const own = hasPublicUrl ? [origin] : [origin, `http://${headers.host}`, `https://${headers.host}`];
  if (headers.origin !== undefined && own.includes(headers.origin)) return;
  const pages = hasPublicUrl ? `${origin} (PUBLIC_URL)` : 'this server';
  const detail = `Sign-ins, and changes with a session, are accepted only from pages of ${pages} (header \`Origin\`).`;
  throw new PublicError('forbidden', 'origin_refused', detail);
}

/** URLs end up in logs and browser histories, so a token in one is refused even beside a valid header. */
function refuseTokenInQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  for (const name of ['token', 'access_token']) {
    if (name in query)
      throw invalidAt(`query.${name}`, 'must not contain a token: send it in the Authorization header');
  }
}

function organizationIn({ query }: FastifyRequest): string | null {
  const given = (query as Record<string, unknown>).org_id;
  return typeof given === 'string' && isUuid(given) ? given.toLowerCase() : null;
}

function requiredOrganizationIn(request: FastifyRequest): string | null {
  const organization = organizationIn(request);
  if (organization === null && 'org_id' in (request.query as object))
    throw invalidAt('query.org_id', 'must be a UUID');
  return organization;
}

export function refuseOtherOrganization({ query }: FastifyRequest, orgId: string): void {
  const given = (query as Record<string, unknown>).org_id;
  if (given === undefined || given === orgId) return;
  if (typeof given !== 'string' || !isUuid(given)) throw invalidAt('query.org_id', 'must be a UUID');
  if (given.toLowerCase() === orgId) return;
  throw new PublicError('forbidden', 'wrong_organization', 'This token belongs to another organization.');
}

function operatorOnly(): PublicError {
  return new PublicError(
    'forbidden',
    'operator_only',
    "Only the operator may do this: run the command on the server's machine, as the user who can read its DATA_DIR, without RUNCOST_URL.",
  );
}

function requireRights(actor: Actor, needed: { scope: Scope | null; role: Role }): void {
  if (needed.scope && !actor.scopes.includes(needed.scope)) {
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

export const sessionCookieName = 'runcost_session';

function readSessionCookie({ headers }: FastifyRequest): string | null {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === sessionCookieName && value) return value;
  }
  return null;
}

/** Scripts cannot read the cookie, and pages of other sites cannot send it. */
export function setSessionCookie(
  reply: FastifyReply,
  publicUrl: string,
  { text, seconds }: { text: string; seconds: number },
): void {
  const parts = [
    `${sessionCookieName}=${text}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${seconds}`,
  ];
  if (publicUrl.startsWith('https:')) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  setSessionCookie(reply, publicUrl, { text: '', seconds: 0 });
}
