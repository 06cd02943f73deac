import compress from '@fastify/compress';
import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { App } from './app.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { authenticate, type Plan } from './http/authenticate.ts';
import { docsPage } from './http/docs.ts';
import { describeApi } from './http/openapi.ts';
import { sendError, sendNotFound } from './http/problem.ts';
import { healthRoutes } from './http/health.ts';
import { compileSerializer } from './http/serialize.ts';
import { refuseUnstorableText } from './http/storableText.ts';
import { compileForFastify } from './http/validate.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { PublicError } from './lib/errors.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { createTokenVerifier } from './tokens/verifyToken.ts';

const requestsPerMinute: Record<Plan, number> = { free: 60, pro: 300, team: 600 };
const largestBody = 1024 * 1024;

/** The HTTP server with every plugin and route, ready to listen; tests use this very function. */
export async function buildServer(app: App): Promise<FastifyInstance> {
  const server = Fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: largestBody,
    // Finishes requests in flight when it closes, and lets idle keep-alive connections go.
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });
  server.setValidatorCompiler(compileForFastify as never);
  server.setSerializerCompiler(compileSerializer as never);
  server.setErrorHandler(sendError);
  server.setNotFoundHandler(sendNotFound);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) =>
    logRequest(request, reply.statusCode, reply.elapsedTime),
  );
  acceptEmptyJson(server);
  closeConnectionsOnStop(server);

  await server.register(helmet, { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  await server.register(compress, { encodings: ['gzip'], threshold: 1024 });
  await server.register(etag);
  await server.register(swagger, describeApi(app.config.publicUrl));
  authenticate(server, createTokenVerifier(app));
  refuseUnstorableText(server);
  await limitRequests(server, app.config.rateLimit);
  await server.register(swaggerUi, docsPage);
  await server.register(healthRoutes(app.db));
  for (const routes of [
    organizationRoutes(app),
    tokenRoutes(app),
    runRoutes(app),
    ingestRoutes({ ...app, publicUrl: app.config.publicUrl }),
    dashboardRoutes(app),
  ]) {
    await server.register(routes, { prefix: '/api/v1' });
  }
  return server;
}

/** One line a request, without the query: an address may hold what should not be kept. */
function logRequest(request: FastifyRequest, status: number, milliseconds: number): void {
  const { method, url, id } = request;
  request.log.info({ id, method, path: url.split('?')[0], status, ms: Math.round(milliseconds) }, 'request');
}

/** A connection whose last request was still in flight at the stop would otherwise be kept alive for a minute. */
function closeConnectionsOnStop(server: FastifyInstance): void {
  let isStopping = false;
  server.addHook('preClose', async () => void (isStopping = true));
  server.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close');
  });
}

/** `POST …/check` and `DELETE` come without a body, and some clients name a content type all the same. */
function acceptEmptyJson(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    return void parseJson(request, body as string, done);
  });
}

async function limitRequests(server: FastifyInstance, override: number | null): Promise<void> {
  if (override === 0) return;
  await server.register(rateLimit, {
    hook: 'preHandler',
    timeWindow: '1 minute',
    keyGenerator: (request) => request.actor?.name ?? request.ip,
    max: (request) => override ?? requestsPerMinute[request.plan ?? 'free'],
    allowList: (request) => request.routeOptions.config.access === 'public',
    errorResponseBuilder: (_request, context) =>
      new PublicError(
        'rate_limited',
        'rate_limited',
        `More than ${context.max} requests a minute. Try again in ${context.after}.`,
      ),
  });
}
