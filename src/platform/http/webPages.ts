import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { constants, createGzip, Gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import type { Metrics } from '../telemetry/metrics.ts';
import { sessionCookieName } from './authenticate.ts';
import { acceptsGzip } from './cachedAnswers.ts';
import { createPageDrawer, type DrawnPage } from './drawnPages.ts';
import { movedTo } from './movedPages.ts';
import { sendError, sendNotFound } from './problem.ts';

/** Paths outside the dashboard. For unknown ones, browsers get a problem, too. */
const notPages = ['/api', '/v1', '/assets', '/docs', '/openapi.json', '/healthz', '/readyz'];

const hidden = { schema: { hide: true } };
const docsPaths = ['/docs', '/docs/'];

type PagesOptions = {
  metrics: Pick<Metrics, 'pageFailures'>;
  formTarget: string;
  findSites: (link: string) => Promise<readonly string[]>;
};

/** Forms go to `formTarget`, and `findSites` may show an embed. Without a build, shows the OpenAPI document. */
export async function serveWebPages(
  server: FastifyInstance,
  folder: string,
  { metrics, formTarget, findSites }: PagesOptions,
): Promise<void> {
  const page = join(folder, 'index.html');
  const signInForm = join(folder, 'drawn/signIn.json');
  const noteFailure = (why: { reason: string } | { err: unknown }) => {
    metrics.pageFailures.inc();
    server.log.warn(why, 'a page or a part of it was not drawn on the server');
  };
  const drawer = createPageDrawer(join(folder, 'drawn/drawPage.js'), (reason) => noteFailure({ reason }));
  server.addHook('onClose', () => drawer.close());
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const moved = movedTo(request.url);
    if (moved !== null) return reply.redirect(moved);
    const nonce = newNonce();
    const targets = { forms: `'self' ${formTarget}` };
    if (isDrawnByServer(request))
      return sendInParts(request, reply, page, { nonce, drawing: drawFor(request, nonce), ...targets });
    const form = isForVisitor(request) ? await readForm(signInForm, nonce) : null;
    const html = await readPage(page, nonce);
    return asPage(reply, nonce, targets).send(form ? withPage(html, form) : html);
  };
  const drawFor = (request: FastifyRequest, nonce: string): Promise<DrawnPage | null> => {
    const address = `${request.protocol}://${request.host}${request.url}`;
    const drawing = drawer.draw({ address, nonce, ask: (path) => askAs(server, request, path) });
    return drawing.catch((error: unknown) => {
      noteFailure({ err: error });
      return null;
    });
  };
  server.get('/docs/json', hidden, (_request, reply) => reply.redirect('/openapi.json'));
  if (!existsSync(page)) {
    server.log.warn({ folder }, 'the pages are not built: / and /docs lead to /openapi.json');
    for (const path of ['/', ...docsPaths])
      server.get(path, hidden, (_request, reply) => reply.redirect('/openapi.json'));
    server.setNotFoundHandler(sendNotFound);
    return;
  }
  await server.register(serveFiles(folder));
  server.get('/', hidden, send);
  // Browsers ask for it beside answers that are no pages.
  server.get('/favicon.ico', hidden, (_request, reply) => reply.redirect('/icon.svg'));
  server.get<{ Params: { link: string } }>('/embed/:link', hidden, async (request, reply) => {
    const sites = await findSites(request.params.link);
    return sendPage(reply, page, { nonce: newNonce(), forms: "'none'", sites });
  });
  for (const path of docsPaths)
    server.get(path, hidden, async ({ headers }, reply) => {
      const nonce = newNonce();
      const html = await readPage(join(folder, 'docs.html'), nonce);
      return asPage(reply, nonce, { forms: "'self'" }).send(
        html.replace('__HAS_SESSION__', String(hasSession(headers))),
      );
    });
  server.setNotFoundHandler((request, reply) =>
    isPage(request) ? send(request, reply) : sendNotFound(request, reply),
  );
}

function serveFiles(folder: string): FastifyPluginAsync {
  const common = { decorateReply: false, index: false, dotfiles: 'ignore', preCompressed: true } as const;
  return async (server) => {
    server.setErrorHandler<FastifyError>((error, request, reply) =>
      error.statusCode === 403 ? sendNotFound(request, reply) : sendError(error, request, reply),
    );
    // The names of these files change with their content.
    const forGood = { maxAge: '365d', immutable: true };
    const assets = join(folder, 'assets');
    await server.register(fastifyStatic, { ...common, ...forGood, root: assets, prefix: '/assets/' });
    const globIgnore = ['assets/**', 'drawn/**', '*.html*', '**/*.{br,gz}'];
    await server.register(fastifyStatic, {
      ...common,
      root: folder,
      maxAge: '1h',
      wildcard: false,
      globIgnore,
    });
  };
}

function isPage({ method, url, headers }: FastifyRequest): boolean {
  const path = url.split('?')[0]!;
  return (
    (method === 'GET' || method === 'HEAD') &&
    /\btext\/html\b/i.test(headers.accept ?? '') &&
    !path.slice(path.lastIndexOf('/')).includes('.') &&
    !notPages.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  );
}

/** Where the page may send forms, and the sites that may embed it. */
type Targets = { forms: string; sites?: readonly string[] };

/** Reads the file each time, because a new build deletes the files that it names. */
async function readPage(page: string, nonce: string): Promise<string> {
  return (await readFile(page, 'utf8')).replaceAll('__NONCE__', nonce);
}

/** The sign-in page that the build has drawn; null if there is none. */
async function readForm(file: string, nonce: string): Promise<DrawnPage | null> {
  if (!existsSync(file)) return null;
  const { html, answers } = JSON.parse(await readFile(file, 'utf8')) as DrawnPage;
  return { html: html.replaceAll('__NONCE__', nonce), answers };
}

async function sendPage(
  reply: FastifyReply,
  page: string,
  { nonce, ...targets }: Targets & { nonce: string },
): Promise<FastifyReply> {
  return asPage(reply, nonce, targets).send(await readPage(page, nonce));
}

/** Sends the head at once, so that the browser gets the page's files while the server draws the page. */
async function sendInParts(
  request: FastifyRequest,
  reply: FastifyReply,
  page: string,
  { nonce, drawing, ...targets }: Targets & { nonce: string; drawing: Promise<DrawnPage | null> },
): Promise<FastifyReply> {
  const [head, body = ''] = (await readPage(page, nonce)).split(/(?=<body>)/);
  const isZipped = acceptsGzip(request);
  const parts = isZipped ? createGzip() : new PassThrough();
  parts.write(head);
  if (parts instanceof Gzip) parts.flush(constants.Z_SYNC_FLUSH);
  void drawing.then((drawn) => parts.end(drawn ? withPage(body, drawn) : body));
  if (isZipped) reply.header('content-encoding', 'gzip');
  return asPage(reply, nonce, targets).send(parts);
}

function asPage(reply: FastifyReply, nonce: string, { forms, sites = [] }: Targets): FastifyReply {
  if (sites.length > 0)
    reply.removeHeader('x-frame-options').header('cross-origin-resource-policy', 'cross-origin');
  return reply
    .status(200)
    .headers({ 'content-security-policy': pagePolicy(nonce, { forms, sites }), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8');
}

const newNonce = () => randomBytes(18).toString('base64');

/** Replaces with functions, because `$` in a replacement text has a meaning. */
function withPage(empty: string, { html, answers }: DrawnPage): string {
  // A text must not be able to end the element.
  const data = answers.replaceAll('<', String.raw`\u003c`);
  return empty
    .replace(/ id="answers"[^>]*>/, (start) => start + data)
    .replace('<div id="root">', (start) => start + html);
}

/** Pages without a session, or whose content depends on their link. */
const unread = ['/sign-in', '/invitation', '/shared'];

function isDrawnByServer({ method, headers, url }: FastifyRequest): boolean {
  const path = url.split('?')[0]!;
  return method === 'GET' && hasSession(headers) && !unread.includes(path);
}

const hasSession = ({ cookie }: IncomingHttpHeaders) => !!cookie?.includes(`${sessionCookieName}=`);

/** With a link on another site, browsers leave out the session cookie, so we cannot know. */
function isForVisitor({ headers, url }: FastifyRequest): boolean {
  const [path = '', search = ''] = url.split('?');
  const isOurLink = /^(none|same-origin)$/.test(String(headers['sec-fetch-site'])) && !unread.includes(path);
  // The form of a named organization first asks for its ways to sign in.
  return (path === '/sign-in' || isOurLink) && !hasSession(headers) && !/(^|&)org=/.test(search);
}

async function askAs(server: FastifyInstance, request: FastifyRequest, url: string) {
  const passed = Object.entries(request.headers).filter(
    ([name]) => /^(cookie|user-agent|host)$/.test(name) || name.startsWith('x-forwarded-'),
  );
  const { remoteAddress = '' } = request.raw.socket;
  const answer = await server.inject({
    method: 'GET',
    url,
    headers: Object.fromEntries(passed),
    remoteAddress,
  });
  const contentType = answer.headers['content-type'] ?? 'application/json';
  return { status: answer.statusCode, contentType, body: answer.body };
}

/** Charts and the API docs need `style` attributes, which cannot load or run anything. */
function pagePolicy(nonce: string, { forms, sites = [] }: Targets): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${forms}`,
    `frame-ancestors ${sites.join(' ') || "'none'"}`,
  ].join('; ');
}
