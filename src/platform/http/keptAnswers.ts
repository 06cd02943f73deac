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

function sizeOf({ plain, gzipped }: Answer, question: string): number {
  return plain.length + (gzipped?.length ?? 0) + question.length;
}

async function bytesOf(text: string | Buffer | ArrayBuffer, version: string): Promise<Answer> {
  const plain = Buffer.from(text as string);
  const gzipped = plain.length < minCompressedBytes ? null : await compress(plain);
  return { version, plain, gzipped, etag: `W/"${createHash('sha1').update(plain).digest('base64')}"` };
}

function send(request: FastifyRequest, reply: FastifyReply, { plain, gzipped, etag }: Answer): Buffer {
  reply.headers({ 'content-type': 'application/json; charset=utf-8', etag });
  if (!gzipped) return plain;
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request)) return plain;
  reply.header('content-encoding', 'gzip');
  return gzipped;
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(
    headers['accept-encoding'] ?? '',
  );
}
