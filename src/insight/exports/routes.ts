import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isKnown } from '../../platform/http/etag.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { fileNameOf } from './datasets.ts';
import { getReadyExport, readFile } from './exports.ts';
import { formats } from './formats.ts';
import { downloadResponses } from './schema.ts';

export const downloadRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/exports/:id/download',
    {
      config: { access: { scope: 'costs:read', role: 'viewer' } },
      compress: false,
      schema: {
        tags: ['Exports'],
        summary: 'Download the file of an export',
        description:
          'For 24 hours after it is complete. Accepts `Range` with one part, `If-Range` and ' +
          '`If-None-Match`.',
        params: idParams('exp_8b5d1f7e3a9c0462d7f1'),
        response: downloadResponses,
      },
    },
    (request, reply) => download(request.ctx, request.params.id, request, reply),
  );
  done();
};

async function download(
  ctx: Context,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ready = await getReadyExport(ctx, id);
  const { input, state, sha256 } = ready;
  const etag = `"${sha256}"`;
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.status(304).send();
  const range = request.method === 'HEAD' ? null : rangeOf(request, etag, state.bytes);
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${state.bytes}`);
    throw Object.assign(new Error(`The file has ${state.bytes} bytes.`), { statusCode: 416 });
  }
  const { first, last } = range ?? { first: 0, last: state.bytes - 1 };
  reply.headers({
    'content-type': formats[input.format].contentType,
    'content-disposition': `attachment; filename="${fileNameOf(input)}"`,
    'content-length': last - first + 1,
  });
  if (range) reply.status(206).header('content-range', `bytes ${first}-${last}/${state.bytes}`);
  const parts = request.method === 'HEAD' ? [] : readFile(ctx.db, ready, { first, last });
  return reply.send(Readable.from(parts, { objectMode: false }));
}

/** If the client has a part of another file, it needs the whole file. */
function rangeOf(request: FastifyRequest, etag: string, size: number): ByteRange | 'unsatisfiable' | null {
  const condition = request.headers['if-range'];
  return condition === undefined || condition === etag ? readRange(request.headers.range, size) : null;
}

type ByteRange = { first: number; last: number };

/** Null for the whole file, and for headers that we need not support: other units, several ranges, invalid ones. */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (!match || match[0] === 'bytes=-') return null;
  const [, start = '', end = ''] = match;
  if (start === '') return end === '' ? null : suffix(Number(end), size);
  const first = Number(start);
  const last = end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (end !== '' && Number(end) < first) return null;
  return first >= size ? 'unsatisfiable' : { first, last };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - length), last: size - 1 };
}
