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

/** Below these there is no page: what is not there is a problem, whoever asks. */
const notPages = ['/api', '/v1', '/assets', '/docs', '/openapi.json', '/healthz', '/readyz'];

/**
 * Serves the dashboard from the folder it was built into: its files, and for every address without a file's extension
 * that a browser opens the one page, whose script knows which view that is. Where it has not been built, `/` leads to
 * the docs.
 */
export async function serveWebPages(server: FastifyInstance, folder: string): Promise<void> {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) {
    server.log.warn({ folder }, 'the dashboard is not built: / leads to /docs');
    server.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'));
    server.setNotFoundHandler(sendNotFound);
    return;
  }
  await server.register(serveFiles(folder));
  server.get('/', { schema: { hide: true } }, (_request, reply) => sendPage(reply, page));
  server.setNotFoundHandler((request, reply) =>
    isPage(request) ? sendPage(reply, page) : sendNotFound(request, reply),
  );
}

function serveFiles(folder: string): FastifyPluginAsync {
  const common = { decorateReply: false, index: false, dotfiles: 'ignore', preCompressed: true } as const;
  return async (server) => {
    // What may not be sent is not there, as far as anybody can tell.
    server.setErrorHandler<FastifyError>((error, request, reply) =>
      error.statusCode === 403 ? sendNotFound(request, reply) : sendError(error, request, reply),
    );
    // The names of these change with their content.
    const forGood = { maxAge: '365d', immutable: true };
    const assets = join(folder, 'assets');
    await server.register(fastifyStatic, { ...common, ...forGood, root: assets, prefix: '/assets/' });
    // The few beside them, such as the icon.
    const globIgnore = ['assets/**', 'index.html*', '**/*.{br,gz}'];
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

/** Read each time, so that a page that is built anew never names files that are gone. */
async function sendPage(reply: FastifyReply, page: string): Promise<FastifyReply> {
  const nonce = randomBytes(18).toString('base64');
  const html = (await readFile(page, 'utf8')).replaceAll('__NONCE__', nonce);
  return reply
    .status(200)
    .headers({ 'content-security-policy': pagePolicy(nonce), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(html);
}

/**
 * The policy of the dashboard's page: besides its files, only style elements with this nonce. Charts need `style`
 * attributes, which can neither load nor run anything.
 */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
