import { isIP, SocketAddress } from 'node:net';
import cors from '@fastify/cors';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isCommandLine, type Plan } from '../lib/actor.ts';
import { PublicError } from '../lib/errors.ts';

/** Browsers load nothing from other sites, embed us nowhere and send no referrer. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    "style-src 'self' 'unsafe-inline'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const usualHeaders = { 'cache-control': 'private, no-cache', ...securityHeaders };

/** Routes that allow longer caching, such as scripts, override this. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).headers(usualHeaders);
}

/** Adds them to every answer. */
export function sendCommonHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
}

/** Without the query and without tokens in the path, because both may be secret. */
export function logRequests(server: FastifyInstance, log: Logger): void {
  server.addHook('onResponse', (request, reply, done) => {
    if (log.isLevelEnabled('info')) logRequest(request, reply);
    done();
  });
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url } = request;
  const path = url.split('?')[0]!.replaceAll(/runcost_[\w-]+/g, 'runcost_…');
  const answer = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
  request.log.info({ method, path, ...answer, ...callerOf(request) }, 'request');
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The organization of a request without an actor, such as the event of a source. */
    organization?: string;
  }
}

/** Names the sender in the log by the id of its token, never by the token. */
export function callerOf(request: FastifyRequest): Record<string, string> {
  const { actor, organization } = request;
  const orgId = actor?.orgId ?? organization;
  return {
    ...(orgId === undefined ? {} : { organization: orgId }),
    ...(actor?.identity.tokenId ? { token: actor.identity.tokenId } : {}),
    ...(actor?.identity.sessionId ? { session: actor.identity.sessionId } : {}),
    peer: peerOf(request),
  };
}

/** Accepts only JSON. Some clients send a content type with an empty `DELETE`. */
export function acceptOnlyJson(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const isEmpty = headers['transfer-encoding'] === undefined && !Number(headers['content-length']);
    if (isEmpty) delete headers['content-type'];
    done();
  });
}

const exposedHeaders = [
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-range',
  'etag',
  'repr-digest',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];

/** Lets scripts of these origins call the API with a token. The session cookie works only for our own pages. */
export async function allowOrigins(server: FastifyInstance, origins: string[]): Promise<void> {
  if (origins.length === 0) return;
  await server.register(cors, {
    origin: (origin, decide) => decide(null, origin !== undefined && origins.includes(origin) && origin),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders,
    maxAge: 600,
  });
}

/** The address by which we count calls. */
function addressOf(request: FastifyRequest): string {
  return normalizeIP(peerOf(request), 128);
}

/** An IPv6 address counts as its /64, which one person usually has. */
export function networkOf(request: FastifyRequest): string {
  const known = networks.get(request.ip);
  if (known !== undefined) return known;
  const peer = peerOf(request);
  const network = normalizeIP(peer);
  if (peer === request.ip) networks.set(peer, network);
  return network;
}

/** Cached, because each request asks for its network. */
const networks = new LRUCache<string, string>({ max: 1_000 });

const maxUserAgent = 200;

export function clientOf(request: FastifyRequest): { from: string; userAgent: string | null } {
  const userAgent = request.headers['user-agent']?.slice(0, maxUserAgent).toWellFormed() ?? null;
  return { from: addressOf(request), userAgent };
}

/** Some proxies add a port. Anything else that is not an address counts as the proxy's address. */
function peerOf({ ip, socket }: FastifyRequest): string {
  return isIP(ip) ? ip : (SocketAddress.parse(ip)?.address ?? socket.remoteAddress ?? '');
}

export async function limitRequestRate(
  server: FastifyInstance,
  maxPerMinute: (plan: Plan) => number,
): Promise<void> {
  await server.register(rateLimit, {
    timeWindow: '1 minute',
    keyGenerator: ({ actor, ip }) => (actor ? `${actor.orgId} ${actor.name}` : ip),
    max: ({ plan }) => maxPerMinute(plan ?? 'free'),
    allowList: ({ actor }) => !actor || isCommandLine(actor),
    errorResponseBuilder: (_request, context) =>
      new PublicError(
        'rate_limited',
        'rate_limited',
        `More than ${context.max} requests per minute. Try again in ${context.after}.`,
      ),
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether answers close their connection. */
    endsConnections: () => boolean;
  }
}

const maxStopMilliseconds = 10_000;

/** Else a connection with a request would stay open for a minute after the stop, or forever. */
export function closeConnectionsOnStop(server: FastifyInstance, isDraining: () => boolean): void {
  let isStopping = false;
  server.decorate('endsConnections', () => isStopping || isDraining());
  server.addHook('preClose', (done) => {
    isStopping = true;
    setTimeout(() => server.server.closeAllConnections(), maxStopMilliseconds).unref();
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (server.endsConnections()) reply.header('connection', 'close');
    done();
  });
}
