import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createCoalescer } from '../db/coalesce.ts';
import type { Clock } from '../lib/time.ts';
import { bodyHeaders, isKnown } from './etag.ts';

const compress = promisify(gzip);
const maxBytes = 32 * 1024 * 1024;
const maxAnswers = 10_000;
const minCompressedBytes = 1024;
const dayMilliseconds = 86_400_000;

type Version = { costs: bigint; day: number };
/** One character per byte: Node.js writes it with the headers, which is faster than two buffers. */
type Answer = Version & { plain: string; gzipped: string | null; etag: string };

/** Until costs change or the UTC day ends. Read the clock inside `answer`, or midnight is missed. */
export type SendCached = (
  to: { request: FastifyRequest; reply: FastifyReply },
  answer: () => Promise<unknown>,
) => Promise<never>;

/** Cached answers are already compressed. */
export const cachedRoute = { compress: false } as const;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether all answers of the route are cached. Then they are sent before the request is validated. */
    cached?: true;
  }
}

/** Register it after `authenticate`, which finds the caller, and before the routes. */
export function cacheAnswers(server: FastifyInstance, clock: Clock): SendCached {
  const cache = new LRUCache<string, Answer>({
    max: maxAnswers,
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
  });
  const coalesce = createCoalescer<Answer>();

  const questionOf = ({ actor, plan, url }: FastifyRequest) => `${actor.orgId} ${plan} ${url}`;
  const versionOf = ({ costsVersion }: FastifyRequest): Version => ({
    costs: costsVersion,
    day: Math.floor(clock.now().getTime() / dayMilliseconds),
  });

  function find(request: FastifyRequest): Answer | undefined {
    const found = cache.get(questionOf(request));
    if (!found) return undefined;
    const { costs, day } = versionOf(request);
    return found.costs === costs && found.day === day ? found : undefined;
  }

  server.addHook('preParsing', (request, reply, _payload, done) => {
    const mayBeCached = request.method === 'GET' && request.routeOptions.config.cached;
    const found = mayBeCached ? find(request) : undefined;
    if (found) sendPast(request, reply, found);
    else done();
  });

  return async ({ request, reply }, answer) => {
    const question = questionOf(request);
    const version = versionOf(request);
    let found = find(request);
    if (!found) {
      found = await coalesce(question, async () => {
        const made = await bytesOf(jsonOf(reply, await answer()), version);
        cache.set(question, made);
        return made;
      });
    }
    // The type of the headers depends on the route.
    const headers = reply.getHeaders();
    const text = describe(request, headers as OutgoingHttpHeaders, found);
    reply.headers(headers);
    return Buffer.from(text, 'latin1') as never;
  };
}

/** A route may have other types, too, such as CSV. */
function jsonOf(reply: FastifyReply, answer: unknown): string | Buffer | ArrayBuffer {
  const serialize = reply.getSerializationFunction('200', 'application/json');
  return serialize ? serialize(answer as Record<string, unknown>) : reply.serialize(answer);
}

/** Memory that an entry takes besides its bytes. */
const entryBytes = 1_000;

function sizeOf({ plain, gzipped }: Answer, question: string): number {
  return plain.length + (gzipped?.length ?? 0) + 2 * question.length + entryBytes;
}

async function bytesOf(text: string | Buffer | ArrayBuffer, version: Version): Promise<Answer> {
  const plain = Buffer.from(text as string);
  const gzipped = plain.length < minCompressedBytes ? null : await compress(plain);
  return {
    ...version,
    plain: plain.toString('latin1'),
    gzipped: gzipped && gzipped.toString('latin1'),
    etag: `W/"${createHash('sha1').update(plain).digest('base64')}"`,
  };
}

/** Skips the rest of Fastify's hooks and its `send`, which take longer than everything before them. */
function sendPast(request: FastifyRequest, reply: FastifyReply, found: Answer): void {
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  const text = describe(request, headers, found);
  if (request.server.endsConnections()) headers.connection = 'close';
  reply.hijack();
  if (isKnown(request.headers['if-none-match'], found.etag)) {
    for (const name of bodyHeaders) delete headers[name];
    reply.raw.writeHead(304, headers).end();
  } else {
    headers['content-length'] = text.length;
    reply.raw.writeHead(200, headers).end(text, 'latin1');
  }
}

/** Returns the bytes that the caller accepts, and sets the matching headers. */
function describe(
  request: FastifyRequest,
  headers: OutgoingHttpHeaders,
  { plain, gzipped, etag }: Answer,
): string {
  headers['content-type'] = 'application/json; charset=utf-8';
  headers.etag = etag;
  if (gzipped === null) return plain;
  headers.vary = headers.vary ? `${headers.vary}, accept-encoding` : 'accept-encoding';
  if (!acceptsGzip(request)) return plain;
  headers['content-encoding'] = 'gzip';
  return gzipped;
}

/** As in RFC 9110, 12.5.3: `gzip` itself decides, otherwise `*`. */
export function acceptsGzip({ headers }: FastifyRequest): boolean {
  const codings = headers['accept-encoding'] ?? '';
  const known = gzipIn.get(codings);
  if (known !== undefined) return known;
  const accepted = new Map<string, boolean>();
  for (const each of codings.toLowerCase().split(',')) {
    const [coding = '', weight = ''] = each.split(';').map((part) => part.trim());
    accepted.set(coding, !/^q=0(\.0*)?$/.test(weight));
  }
  const accepts = accepted.get('gzip') ?? accepted.get('*') ?? false;
  gzipIn.set(codings, accepts);
  return accepts;
}

/** Cached, because a browser sends the same header with every request. */
const gzipIn = new LRUCache<string, boolean>({ max: 100 });
