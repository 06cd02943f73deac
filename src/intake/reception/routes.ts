import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import { countRejections } from '../../platform/http/observe.ts';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { webhookProviders } from '../providers/providers.ts';
import { createSenderFinder, receiveEvent, type Sender } from './receiveEvent.ts';
import { EventBody, EventHeaders, ReceptionSchema } from './schema.ts';

const largestBody = 25 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    sender?: Sender;
  }
}

export function receptionRoutes(program: Program & { recorder: Recorder }): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.removeAllContentTypeParsers();
    // The signature covers the raw bytes, so nothing may parse them first.
    server.addContentTypeParser(
      ['application/json', 'application/x-www-form-urlencoded'],
      { parseAs: 'buffer', bodyLimit: largestBody },
      (_request, body, parsed) => parsed(null, body),
    );
    server.decorateRequest('sender');
    const findSender = createSenderFinder(program);
    const { sourceLabel } = program.telemetry.metrics;
    countRejections(server, program.telemetry, ({ sender }) => ({
      // Ids from strangers' requests must not become labels.
      provider: sender?.source.kind ?? 'unknown',
      source: sender ? sourceLabel(sender.source.id) : 'unknown',
    }));
    server.post(
      '/ingest/:source_id',
      {
        config: {
          access: 'public',
          rateLimit: false,
          signature: { header: 'X-Hub-Signature-256', prefix: 'sha256=', secret: 'SOURCE_SECRET' },
        },
        // Each provider checks its own headers and body, after the signature.
        validatorCompiler: () => () => true,
        bodyLimit: largestBody,
        onRequest: async (request) => {
          const { source_id } = request.params as { source_id: string };
          request.sender = await findSender(source_id);
          request.organization = request.sender.source.orgId;
        },
        schema: {
          tags: ['Sources'],
          summary: 'Receive an event from a provider',
          description:
            `${webhookProviders.map(({ webhook }) => webhook.docs.events).join(' ')} Other events are ` +
            'answered as ignored. Responds after the event is committed.',
          security: [],
          params: Type.Object({
            source_id: Type.String({ examples: ['src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'] }),
          }),
          headers: EventHeaders,
          body: EventBody,
          response: responses(202, dataOf(ReceptionSchema), [404, 413, 415]),
        },
      },
      async (request, reply) => {
        const { headers } = request;
        const reception = await receiveEvent(program, request.sender!, {
          rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
          contentType: headers['content-type'] ?? '',
          header: (name) => headers[name]?.toString(),
        });
        return reply.status(202).send({ data: reception });
      },
    );
    done();
  };
}
