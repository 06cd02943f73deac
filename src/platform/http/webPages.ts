import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { sendError, sendNotFound } from './problem.ts';

/** Paths that are no pages of the dashboard: unknown ones are problems for browsers too. */
const notPages = ['/api', '/v1', '/assets', '/docs', '/openapi.json', '/healthz', '/readyz'];

const hidden = { schema: { hide: true } };
const docsPaths = ['/docs', '/docs/'];

/**
 * Serves the built pages: their files, the API docs, and the dashboard for every other address that a browser opens.
 * The dashboard may also send forms to the origin `formTarget`.
 * If they are not built, `/` and `/docs` redirect to the document that the docs show.
 */
export async function serveWebPages(
  server: FastifyInstance,
  folder: string,
  { formTarget }: { formTarget: string },
): Promise<void> {
  const page = join(folder, 'index.html');
  const send = (reply: FastifyReply) => sendPage(reply, page, `'self' ${formTarget}`);
  server.get('/docs/json', hidden, (_request, reply) => reply.redirect('/openapi.json'));
  if (!existsSync(page)) {
    server.log.warn({ folder }, 'the pages are not built: / and /docs lead to /openapi.json');
    for (const path of ['/', ...docsPaths])
      server.get(path, hidden, (_request, reply) => reply.redirect('/openapi.json'));
    server.setNotFoundHandler(sendNotFound);
    return;
  }
  await server.register(serveFiles(folder));
  server.get('/', hidden, (_request, reply) => send(reply));
  for (const path of docsPaths)
    server.get(path, hidden, (_request, reply) => sendPage(reply, join(folder, 'docs.html'), "'self'"));
  server.setNotFoundHandler((request, reply) =>
    isPage(request) ? send(reply) : sendNotFound(request, reply),
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
    const globIgnore = ['assets/**', '*.html*', '**/*.{br,gz}'];
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

/** Read each time, so that a rebuilt page never names deleted files. */
async function sendPage(reply: FastifyReply, page: string, formTargets: string): Promise<FastifyReply> {
  const nonce = randomBytes(18).toString('base64');
  const html = (await readFile(page, 'utf8')).replaceAll('__NONCE__', nonce);
  return reply
    .status(200)
    .headers({ 'content-security-policy': pagePolicy(nonce, formTargets), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(html);
}

/**
 * The pages' policy: their own files, style elements with this nonce, and forms to `formTargets`. Charts and the API
 * docs need `style` attributes, which cannot load or run anything.
 */
function pagePolicy(nonce: string, formTargets: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
  ].join('; ');
}
