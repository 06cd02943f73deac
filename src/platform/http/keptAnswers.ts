import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createSharedReads } from '../db/sharedReads.ts';

const compress = promisify(gzip);
const maxBytes = 32 * 1024 * 1024;
const maxAnswers = 10_000;
const minCompressedBytes = 1024;

type Answer = { version: string; plain: Buffer; gzipped: Buffer | null; etag: string };

/**
 * Keeps the bytes of answers by what was asked, and sends them while the version is the same. The caller must have read
 * the version after the request came, and anything that an answer depends on must change it (decision 3).
 */
export type SendKept = (
  to: { request: FastifyRequest; reply: FastifyReply },
  asked: { question: string; version: string },
  answer: () => Promise<unknown>,
) => Promise<Buffer>;

/** A route whose answers are kept does not compress them again. */
export const keptRoute = { compress: false } as const;

export function createKeptAnswers(): SendKept {
  const kept = new LRUCache<string, Answer>({
    max: maxAnswers,
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
  });
  const share = createSharedReads<Answer>();

  return async ({ request, reply }, { question, version }, answer) => {
    let found = kept.get(question);
    if (found?.version !== version) {
      found = await share(question, async () => {
        const made = await bytesOf(reply.serialize(await answer()), version);
        kept.set(question, made);
        return made;
      });
    }
    return send(request, reply, found);
  };
}

/** What an entry takes besides its bytes. */
const entryBytes = 1_000;

function sizeOf({ plain, gzipped }: Answer, question: string): number {
  return plain.length + (gzipped?.length ?? 0) + 2 * question.length + entryBytes;
}

async function bytesOf(text: string | Buffer | ArrayBuffer, version: string): Promise<Answer> {
  const plain = ownMemory(Buffer.from(text as string));
  const gzipped = plain.length < minCompressedBytes ? null : ownMemory(await compress(plain));
  return { version, plain, gzipped, etag: `W/"${createHash('sha1').update(plain).digest('base64')}"` };
}

/** A small buffer is a part of a larger one, which would be kept with it. */
function ownMemory(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

function send(request: FastifyRequest, reply: FastifyReply, { plain, gzipped, etag }: Answer): Buffer {
  reply.headers({ 'content-type': 'application/json; charset=utf-8', etag });
  if (!gzipped) return plain;
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request)) return plain;
  reply.header('content-encoding', 'gzip');
  return gzipped;
}

/** By RFC 9110, 12.5.3: `gzip` itself decides, else `*`. */
function acceptsGzip({ headers }: FastifyRequest): boolean {
  const accepted = new Map<string, boolean>();
  const codings = (headers['accept-encoding'] ?? '').toLowerCase().split(',');
  for (const each of codings) {
    const [coding = '', weight = ''] = each.split(';').map((part) => part.trim());
    accepted.set(coding, !/^q=0(\.0*)?$/.test(weight));
  }
  return accepted.get('gzip') ?? accepted.get('*') ?? false;
}
