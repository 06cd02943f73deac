import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import { countRejections } from '../../platform/http/observe.ts';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import type { HowToConnect } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';
import { createSenderFinder, receiveEvent, type Sender } from './receiveEvent.ts';
import {
  CreatedSourceSchema,
  EventBody,
  EventHeaders,
  NewSourceBody,
  ReceptionSchema,
  SourceKindSchema,
  SourceSchema,
} from './schema.ts';
import { createSource, deleteSource, listSources, type ListedSource } from './sources.ts';

const params = idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d');

type IngestProgram = Program & { recorder: Recorder; publicUrl: () => string };

const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const tags = ['Sources'];
const largestBody = 25 * 1024 * 1024;

export function ingestRoutes(program: IngestProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(sourceRoutes(program));
    server.register(sourceKindRoutes);
    server.register(receptionRoutes(program));
    done();
  };
}

function sourceRoutes(program: IngestProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/sources',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the sources',
          response: responses(200, dataOf(Type.Array(SourceSchema))),
        },
      },
      async (request) => ({
        data: (await listSources(request.ctx)).map((source) => viewOf(source, program)),
      }),
    );

    server.post(
      '/sources',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Create a source',
          description:
            'Enter `ingest_url` and `secret` in ' +
            `${webhookProviders.map(({ webhook }) => webhook.docs.setup).join('; or in ')}. The secret is ` +
            'shown only once.',
          body: NewSourceBody,
          response: responses(201, dataOf(CreatedSourceSchema), [409]),
        },
      },
      async (request, reply) => {
        const { kind, name } = request.body;
        const { source, secret } = await createSource(request.ctx, {
          kind,
          name: name ?? webhookProviders.find(({ id }) => id === kind)!.title,
        });
        const fresh = { ...source, app: null, hasCredentials: false, hasAppKey: false };
        const data = { ...viewOf(fresh, program), secret };
        return reply.status(201).send({ data });
      },
    );

    server.delete(
      '/sources/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Delete a source',
          description: 'Its events are refused from now on. Recorded runs stay.',
          params,
          response: responses(
            200,
            dataOf(deletedOf('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d')),
            [404],
          ),
        },
      },
      async (request) => {
        const { id } = request.params;
        await deleteSource(request.ctx, id);
        return { data: { id, deleted: true as const } };
      },
    );
    done();
  };
}

function viewOf(source: ListedSource, { publicUrl }: IngestProgram) {
  const { id, kind, name, createdAt, lastEventAt, app, hasCredentials, hasAppKey } = source;
  return {
    id,
    kind,
    name,
    ingest_url: `${publicUrl()}/api/v1/ingest/${id}`,
    created_at: createdAt,
    last_event_at: lastEventAt,
    github_app: app && { page_url: app.pageUrl, created_by: app.startedBy },
    has_credentials: hasCredentials,
    has_app_key: hasAppKey,
  };
}

const sourceKindRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/sources/kinds',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the source kinds',
        description: 'Lists the providers that can send events, and how to connect them.',
        response: responses(200, dataOf(Type.Array(SourceKindSchema))),
      },
    },
    async (request) => {
      const { login } = await getOrganization(request.ctx);
      return {
        data: webhookProviders.map(({ id, title, webhook }) => ({
          kind: id,
          title,
          has_backfills: webhook.hasBackfills,
          how_to_connect: howToConnectView(webhook.howToConnect(login)),
        })),
      };
    },
  );
  done();
};

function howToConnectView(how: HowToConnect) {
  return {
    hosted_title: how.hostedTitle,
    url_label: how.urlLabel,
    secret_label: how.secretLabel,
    intro: how.intro,
    steps: how.steps,
    first_event: how.firstEvent,
    first_run: how.firstRun,
    deliveries_place: how.deliveriesPlace,
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    sender?: Sender;
  }
}

function receptionRoutes(program: IngestProgram): FastifyPluginCallbackTypebox {
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
          tags,
          summary: 'Receive an event from a provider',
          description:
            `${webhookProviders.map(({ webhook }) => webhook.docs.events).join(' ')} Other events are ` +
            'answered as ignored. Responds after the event is committed.',
          security: [],
          params: Type.Object({ source_id: params.properties.id }),
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
