import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PublicError } from '../lib/errors.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import type { RequestSpan } from '../telemetry/tracing.ts';
import { bearerOf } from './authenticate.ts';
import { codeOf } from './problem.ts';
import { callerOf } from './requests.ts';

/** Machines request these every few seconds, and nobody traces them. */
const probes = ['/healthz', '/readyz', '/metrics'];

/** Measures and traces every request under the pattern of its route. */
export function observeRequests(server: FastifyInstance, { metrics, tracing }: Telemetry): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const labels = { method, route: routeOf(request), status: reply.statusCode };
    metrics.requestSeconds.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
  const { startRequest } = tracing;
  if (!startRequest) return;
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  server.addHook('onRequest', (request, _reply, done) => {
    if (probes.includes(routeOf(request))) return done();
    const span = startRequest(request.headers, request.method);
    spans.set(request, span);
    span.run(done);
  });
  // The events that deliver a body belong to the connection, outside the span.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = routeOf(request);
    const { organization } = callerOf(request);
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'runcost.request': request.id,
      ...(organization === undefined ? {} : { 'runcost.organization': organization }),
    };
    spans.get(request)?.end(`${method} ${route}`, attributes, reply.statusCode >= 500);
    done();
  });
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'none';
}

/** Counts refused requests of the routes that receive events. */
export function countRejections(
  server: FastifyInstance,
  { metrics }: Telemetry,
  originOf: (request: FastifyRequest) => { provider: string; source: string },
): void {
  server.addHook('onError', (request, _reply, error, done) => {
    metrics.rejectedEvents.inc({ ...originOf(request), reason: codeOf(error) });
    done();
  });
}

/** Serves `/metrics` to Prometheus. It covers all organizations, so only operators have its token. */
export function serveMetrics(
  server: FastifyInstance,
  {
    token,
    contentType,
    scrape,
  }: { token: string | null; contentType: string; scrape: () => Promise<string> },
): void {
  server.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (token === null) {
      throw new PublicError('not_found', 'metrics_off', 'Metrics are off. Set METRICS_TOKEN to serve them.');
    }
    if (!isSame(bearerOf(request) ?? '', token)) {
      throw new PublicError('unauthenticated', 'invalid_token', 'Send METRICS_TOKEN as a bearer token.');
    }
    return reply.type(contentType).send(await scrape());
  });
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
