import plugin from '@fastify/etag';
import type { FastifyInstance } from 'fastify';

/** Headers that an answer without its body does not have. */
export const bodyHeaders = ['content-length', 'content-type', 'content-encoding'];

/** Adds an ETag to answers, and sends 304 without a body if the client already has the answer. */
export async function answerWithEtags(server: FastifyInstance): Promise<void> {
  await server.register(plugin, { weak: true, replyWith304: false });
  server.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const { 'if-none-match': known } = request.headers;
    if (!isRead || !isWhole || reply.statusCode !== 200 || !isKnown(known, reply.getHeader('etag'))) {
      return done(null, payload);
    }
    for (const name of bodyHeaders) reply.removeHeader(name);
    reply.code(304);
    // An empty text would send `content-length: 0`. For HEAD, Fastify itself leaves out the body.
    done(null, request.method === 'HEAD' ? payload : null);
  });
}

/** As in RFC 9110, 13.1.2: `*`, or a list in which weak and strong tags are the same. */
export function isKnown(header: string | undefined, etag: unknown): boolean {
  if (header === undefined || typeof etag !== 'string') return false;
  const opaque = (tag: string): string => tag.replace(/^W\//, '');
  const listed = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return header.trim() === '*' || listed.some((tag) => opaque(tag) === opaque(etag));
}
