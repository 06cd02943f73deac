import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isKnown } from '../../platform/http/etag.ts';
import { idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { fileNameOf } from './datasets.ts';
import {
  cancelExport,
  createExport,
  exportView,
  getExport,
  getReadyExport,
  listExports,
  maxAtOnce,
  readFile,
} from './exports.ts';
import { formats } from './formats.ts';
import { downloadResponses, ExportsSchema, NewExportBody, OneExport } from './schema.ts';

const params = idParams('exp_8b5d1f7e3a9c0462d7f1');

const tags = ['Exports'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const writer = { access: { scope: 'exports:write', role: 'member' } } as const;

type Program = Omit<Context, 'actor'> & { publicUrl: () => string };

export function exportRoutes(program: Program): FastifyPluginCallbackTypebox {
  const shown = () => ({ publicUrl: program.publicUrl(), now: program.clock.now() });

  return (server, _options, done) => {
    server.post(
      '/exports',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Create an export',
          description:
            `Writes the file in the background; \`export.ready\` announces it. At most ${maxAtOnce} exports ` +
            'of an organization run at a time.',
          body: NewExportBody,
          response: responses(201, OneExport, [409]),
        },
      },
      async (request, reply) => {
        const created = await createExport(request.ctx, request.body, request.plan);
        return reply.status(201).send({ data: exportView(created, shown()) });
      },
    );

    server.get(
      '/exports',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the exports',
          description: 'Newest first.',
          querystring: PageQuery,
          response: responses(200, ExportsSchema),
        },
      },
      async (request) => {
        const page = readPagination(request.query);
        const { exports, total } = await listExports(request.ctx, page);
        const pagination = paginationView(page, total);
        return { data: exports.map((each) => exportView(each, shown())), pagination };
      },
    );

    server.register(oneExportRoutes(shown));
    server.register(downloadRoute);
    done();
  };
}

type Shown = () => Parameters<typeof exportView>[1];

function oneExportRoutes(shown: Shown): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/exports/:id',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get an export',
          params,
          response: responses(200, OneExport, [404]),
        },
      },
      async (request) => ({
        data: exportView(await getExport(request.ctx, request.params.id), shown()),
      }),
    );

    server.post(
      '/exports/:id/cancel',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Cancel an export',
          description: 'Deletes what was written of its file.',
          params,
          response: responses(200, OneExport, [404, 409]),
        },
      },
      async (request) => ({
        data: exportView(await cancelExport(request.ctx, request.params.id), shown()),
      }),
    );
    done();
  };
}

const downloadRoute: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/exports/:id/download',
    {
      config: reader,
      compress: false,
      schema: {
        tags,
        summary: 'Download the file of an export',
        description:
          'For 24 hours after it is complete. Accepts `Range` with one part, `If-Range` and ' +
          '`If-None-Match`.',
        params,
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
