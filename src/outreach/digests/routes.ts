import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { linkPages } from '../../platform/http/linkPages.ts';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { createDigest, deleteDigest, listDigests, updateDigest } from './digests.ts';
import { figuresView } from './message.ts';
import type { DigestProgram } from './planDigests.ts';
import { previewDigest, sendDigestNow } from './preview.ts';
import {
  DigestChangesBody,
  DigestSchema,
  NewDigestBody,
  PreviewQuery,
  PreviewSchema,
  SentSchema,
} from './schema.ts';
import {
  digestDone,
  digestErrorPage,
  digestQuestion,
  findSubscription,
  unsubscribeFromDigest,
} from './unsubscribe.ts';
import { digestView } from './views.ts';

const sampleId = 'dig_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tags = ['Digests'];
const writer = { access: { scope: 'alerts:write', role: 'viewer' } } as const;
const whose = 'You can do this for your own digests; admins and owners also for those of the organization.';

export function digestRoutes(program: DigestProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(readingRoutes(program));
    server.register(writingRoutes(program));
    done();
  };
}

function contextOf(program: DigestProgram, request: FastifyRequest) {
  return { ...program, ...request.ctx };
}

function readingRoutes(program: DigestProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/digests',
      {
        config: { access: { scope: 'alerts:read', role: 'viewer' } },
        schema: {
          tags,
          summary: 'List digests',
          description:
            'Lists your digests and, for admins and owners, those of the organization, oldest first.',
          response: responses(200, dataOf(Type.Array(DigestSchema))),
        },
      },
      async (request) => {
        const ctx = contextOf(program, request);
        const digests = await listDigests(ctx);
        return { data: await Promise.all(digests.map((digest) => digestView(ctx, digest))) };
      },
    );
    server.get(
      '/digests/preview',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags,
          summary: 'Preview a digest',
          description:
            'Returns the contents of a digest about the latest whole week or month. Sends nothing. Budgets need the scope alerts:read.',
          querystring: PreviewQuery,
          response: responses(200, dataOf(PreviewSchema)),
        },
      },
      async (request) => {
        const { frequency = 'weekly', team = null } = request.query;
        const { figures, email } = await previewDigest(contextOf(program, request), { frequency, team });
        return { data: { ...figuresView(figures), ...email } };
      },
    );
    done();
  };
}

function writingRoutes(program: DigestProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/digests',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Create a digest',
          description:
            'Reports the costs of each week or month by email to you. Admins can also send it to others and to the chat.',
          body: NewDigestBody,
          response: responses(201, dataOf(DigestSchema), [409]),
        },
      },
      async (request, reply) => {
        const ctx = contextOf(program, request);
        return reply.code(201).send({ data: await digestView(ctx, await createDigest(ctx, request.body)) });
      },
    );
    server.put(
      '/digests/:id',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Change a digest',
          description: `Changes the given fields. ${whose}`,
          params,
          body: DigestChangesBody,
          response: responses(200, dataOf(DigestSchema), [404]),
        },
      },
      async (request) => {
        const ctx = contextOf(program, request);
        return { data: await digestView(ctx, await updateDigest(ctx, request.params.id, request.body)) };
      },
    );
    server.delete(
      '/digests/:id',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Delete a digest',
          description: whose,
          params,
          response: responses(200, dataOf(deletedOf(sampleId)), [404]),
        },
      },
      async ({ ctx, params: { id } }) => {
        await deleteDigest(ctx, id);
        return { data: { id, deleted: true as const } };
      },
    );
    server.post(
      '/digests/:id/send',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Send a digest to yourself now',
          description:
            'Sends one email about the latest whole week or month. The schedule stays as it is. Responds with 200 even if ' +
            'the mail server refuses the email, and with 409 if no mail server is set or the token has no member.',
          params,
          response: responses(200, dataOf(SentSchema), [404, 409]),
        },
      },
      async (request) => {
        const { delivered, error } = await sendDigestNow(contextOf(program, request), request.params.id);
        return { data: { delivered, error } };
      },
    );
    done();
  };
}

const exampleLink =
  'runcost_digest_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gH-jLzXcCvVbN';

export function digestLinkRoutes(program: DigestProgram): FastifyPluginCallbackTypebox {
  return linkPages({
    path: '/unsubscribe/digest/:link',
    tags,
    linkParameter: { description: 'from the email of a digest', examples: [exampleLink] },
    ask: {
      summary: 'Ask whether to stop a digest',
      description:
        'Shows a page with a confirmation button. Opening it changes nothing, because mail scanners follow links.',
      found: 'The page',
      page: async (link) => digestQuestion(await findSubscription(program, link)),
    },
    act: {
      summary: 'Stop a digest',
      description:
        'Stops the digest for this recipient only. Email clients call it with one click (RFC 8058).',
      found: 'The recipient no longer gets the digest',
      page: async (link) => digestDone(await unsubscribeFromDigest(program, link)),
    },
    errorPage: digestErrorPage,
  });
}
