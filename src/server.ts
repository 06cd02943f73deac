import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import swagger from '@fastify/swagger';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { App } from './app.ts';
import { eventTypes } from './events/eventTypes.ts';
import { badgeRoutes } from './insight/explore/badge.routes.ts';
import { readShared } from './insight/explore/readShared.ts';
import { sharedRoutes } from './insight/explore/shared.routes.ts';
import { downloadRoutes } from './insight/exports/routes.ts';
import type { Repositories } from './insight/fixes/propose.ts';
import { getWorkflowWaste } from './insight/waste/getWaste.ts';
import { createAnswerCache } from './intake/gitHubApps/answerCache.ts';
import { openPullRequest, readWorkflowFiles } from './intake/gitHubApps/openPullRequest.ts';
import { submissionRoutes } from './intake/providers/generic/routes.ts';
import { otlpRoutes } from './intake/providers/otlp/routes.ts';
import { receptionRoutes } from './intake/reception/routes.ts';
import { billImportRoutes } from './ledger/bills/routes.ts';
import { ruleFileRoutes } from './ledger/ownership/ruleFile.routes.ts';
import { digestLinkRoutes } from './outreach/digests/routes.ts';
import { invitationSender } from './outreach/notifications/email/invitation.ts';
import { sendBrokenLink, subscribeRoutes, unsubscribeRoutes } from './outreach/notifications/routes.ts';
import { getSettings } from './outreach/pullRequestComments/settings.ts';
import { authenticate } from './platform/http/authenticate.ts';
import { cacheAnswers } from './platform/http/cachedAnswers.ts';
import { answerWithEtags } from './platform/http/etag.ts';
import {
  defaultBodyBytes,
  yieldToShortRequests,
  limitBodyMemory,
  limitConnections,
} from './platform/http/load.ts';
import { observeRequests, serveMetrics } from './platform/http/observe.ts';
import { describeApi } from './platform/http/openapi.ts';
import { collectRouteMethods, sendClientError, sendError } from './platform/http/problem.ts';
import { forbidLoopbackOncePublic, isFromHere } from './platform/http/proxies.ts';
import { checkQueryNames } from './platform/http/queryNames.ts';
import {
  allowOrigins,
  closeConnectionsOnStop,
  limitRequestRate,
  logRequests,
  sendCommonHeaders,
  setCommonHeaders,
  networkOf,
  acceptOnlyJson,
} from './platform/http/requests.ts';
import { descriptionRoute, healthRoutes } from './platform/http/service.routes.ts';
import { compileForFastify, compileSerializer } from './platform/http/validate.ts';
import { joinPrograms, routesOf } from './platform/http/verbs.ts';
import { serveWebPages } from './platform/http/webPages.ts';
import type { Plan } from './platform/lib/actor.ts';
import { commandLine, commandPrefix } from './platform/lib/commandLine.ts';
import { gitHubPages } from './platform/lib/gitHubAddresses.ts';
import { specRoutes } from './specRoutes.ts';
import { createSessionCheck, findSignOutAddress } from './tenancy/identity/check.ts';
import { signInRoutes } from './tenancy/identity/signIn.routes.ts';
import { identityProgram } from './tenancy/identity/verbs.ts';
import { invitationProgram } from './tenancy/invitations/verbs.ts';
import { endLogins } from './tenancy/logins/logins.ts';
import { loginProgram } from './tenancy/logins/verbs.ts';
import { operatorVerifiers } from './tenancy/operator/operator.ts';
import { requestsPerMinute } from './tenancy/organizations/plans.ts';
import { limitUnknownTokens } from './tenancy/sessions/failedSignIns.ts';
import { endLinkSessions } from './tenancy/sessions/sessions.ts';
import { createSessionVerifier } from './tenancy/sessions/signIn.ts';
import { sessionProgram } from './tenancy/sessions/verbs.ts';
import { createShareLinkVerifier } from './tenancy/shareLinks/shareLinks.ts';
import { createTokenVerifier } from './tenancy/tokens/tokens.ts';
import { verbsOf } from './verbs.ts';

const maxBodyBytes = 1024 * 1024;
/** The share of the API's database connections that one organization may use at once. */
const fractionOfOne = 0.6;
/** Enough for a body of 25 MB over a slow line. */
const maxRequestMilliseconds = 120_000;

type ServerOptions = { webFolder?: string; verbs?: ReturnType<typeof verbsOf> };

const builtPages = fileURLToPath(new URL('../web/dist', import.meta.url));

/** Ready to listen. Tests use it, too, some with `verbs` of their own. `webFolder` has the built pages. */
export async function buildServer(
  app: App,
  { webFolder = builtPages, verbs = verbsOf(app.providers) }: ServerOptions = {},
): Promise<FastifyInstance> {
  const server = createServer(app);
  await addApiHooks(server, app);
  await server.register(healthRoutes(app.health));
  await server.register(descriptionRoute);
  serveMetrics(server, metricsOf(app));
  await servePages(server, app, webFolder);
  const sendCached = cacheAnswers(server, app.clock);
  for (const routes of [routesOf(verbs, { program: verbProgram(app), sendCached }), ...otherRoutes(app)]) {
    await server.register(routes, { prefix: '/api/v1' });
  }
  for (const routes of linkRoutes(app)) await server.register(routes);
  return server;
}

/** For a process without an API: whether it and its database are alive, and its metrics. */
export async function buildHealthServer(app: App): Promise<FastifyInstance> {
  const server = createServer(app);
  await server.register(healthRoutes(app.health));
  serveMetrics(server, metricsOf(app));
  return server;
}

function metricsOf({ config: { metricsToken }, telemetry: { metrics }, scrape }: App) {
  return { token: metricsToken, contentType: metrics.registry.contentType, scrape };
}

function createServer(app: App): FastifyInstance {
  const server = Fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: maxRequestMilliseconds,
    // Closing waits for running requests and drops idle kept-alive connections.
    forceCloseConnections: 'idle',
    // Also answers requests that a proxy has meanwhile sent on an open connection.
    return503OnClosing: false,
    requestIdHeader: false,
    trustProxy: app.config.trustedProxies.length > 0 && app.config.trustedProxies,
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength: 512 },
    // For invalid URLs, whose errors come before any hook.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      if (/^\/(un)?subscribe\//.test(request.url)) sendBrokenLink(reply);
      else void sendError(error, request, reply);
    },
    clientErrorHandler: sendClientError,
  });
  server.setValidatorCompiler(compileForFastify as never);
  server.setSerializerCompiler(compileSerializer as never);
  server.decorate('health', app.health);
  server.setErrorHandler(sendError);
  addCommonHooks(server, app);
  collectRouteMethods(server);
  return server;
}

/** The order of all hooks is in `platform/README.md`. */
function addCommonHooks(server: FastifyInstance, app: App): void {
  const { config, egress, health, log, telemetry } = app;
  sendCommonHeaders(server);
  observeRequests(server, telemetry);
  yieldToShortRequests(server);
  limitBodyMemory(server, config.bodyBytes ?? defaultBodyBytes);
  logRequests(server, log);
  if (config.egress.allowLoopback) forbidLoopbackOncePublic(server, egress);
  acceptOnlyJson(server);
  closeConnectionsOnStop(server, health.isDraining);
}

async function addApiHooks(server: FastifyInstance, app: App): Promise<void> {
  const { config, publicUrl } = app;
  const { rateLimit } = config;
  await allowOrigins(server, config.corsOrigins);
  await server.register(compress, { encodings: ['gzip'], threshold: 1024 });
  await answerWithEtags(server);
  checkQueryNames(server, specRoutes);
  await server.register(swagger, describeApi(publicUrl, eventTypes));
  authenticate(server, app, {
    verifyToken: tokenVerifier(app),
    verifySession: createSessionVerifier(app, createSessionCheck(signInOf(app))),
    ...operatorVerifiers(app),
    publicUrl,
    hasPublicUrl: config.publicUrl !== null,
  });
  if (rateLimit !== 0) await limitRequestRate(server, (plan) => rateLimit ?? requestsPerMinute[plan]);
  limitConnections(server, Math.ceil(config.databasePool * fractionOfOne));
}

function tokenVerifier(app: App) {
  const verify = limitUnknownTokens(app, createTokenVerifier(app), {
    isLimited: app.config.rateLimit !== 0,
  });
  return (text: string, request: FastifyRequest) =>
    verify(text, networkOf(request), () => commandFor(request, app));
}

async function servePages(server: FastifyInstance, app: App, folder: string): Promise<void> {
  const verifyShareLink = createShareLinkVerifier(app);
  await serveWebPages(server, folder, {
    metrics: app.telemetry.metrics,
    formTarget: gitHubPages(app.config.gitHubApiUrl),
    findSites: (link) =>
      verifyShareLink(link, ['embed']).then(
        ({ share }) => share.sites,
        () => [],
      ),
  });
}

function signInOf(app: App) {
  return { ...app, signIn: app.config.signIn };
}

/** Below `/api/v1`, but no verbs. */
function otherRoutes(app: App) {
  return [
    ruleFileRoutes,
    submissionRoutes(app),
    receptionRoutes(app),
    sharedRoutes(app),
    billImportRoutes,
    downloadRoutes,
  ];
}

/** What the operations get beside the request's own context. */
function verbProgram(app: App) {
  return joinPrograms(
    app,
    invitationProgram(app),
    sessionProgram(app),
    loginProgram(app),
    identityProgram(app),
    {
      signIn: app.config.signIn,
      sendInvitation: invitationSender(app.mailer),
      commandLine: commandLine(app.config),
      commandLineFor: (request: FastifyRequest) => commandFor(request, app),
      findSignOutAddress: (session: Parameters<typeof findSignOutAddress>[1]) =>
        findSignOutAddress(signInOf(app), session),
      endLinkSessions,
      endLogins,
      findWaste: getWorkflowWaste,
      repositories: repositoriesOf(app),
      gitHubApiUrl: app.config.gitHubApiUrl,
      circleCiApiUrl: app.config.circleCiApiUrl,
      hasMail: app.mailer !== null,
      readShared: (query: string, plan: Plan) => readShared(query, { clock: app.clock, plan }),
    },
  );
}

/** For fixes: the files of repositories, and pull requests there. */
function repositoriesOf(app: App): Repositories {
  const gitHub = { ...app, gitHubApiUrl: app.config.gitHubApiUrl, answers: createAnswerCache() };
  return {
    read: (...asked) => readWorkflowFiles(gitHub, ...asked),
    open: (...asked) => openPullRequest(gitHub, ...asked),
    opensFixes: async (ctx) => (await getSettings(ctx)).opensFixes,
  };
}

/** Their addresses are outside `/api/v1`: links in messages, and what OpenTelemetry exporters call. */
function linkRoutes(app: App) {
  return [
    signInRoutes(signInOf(app)),
    unsubscribeRoutes(app),
    subscribeRoutes(app),
    digestLinkRoutes(app),
    badgeRoutes(app),
    otlpRoutes(app),
  ];
}

/** What to type before a command. Only requests from this machine are shown the server's data folder. */
function commandFor(request: FastifyRequest, { config }: App): string {
  return config.publicUrl === null && isFromHere(request) ? commandLine(config) : commandPrefix;
}
