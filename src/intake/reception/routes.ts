import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import {
  dataOf,
  DeletedSchema,
  IdParams,
  Name,
  NullableTimestamp,
  readOnly,
  responses,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import type { HowToConnect } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';
import type { SourceRow } from './queries.ts';
import { receiveEvent, requireSource } from './receiveEvent.ts';
import { createSource, deleteSource, listSources, type Source } from './sources.ts';

const kinds = words(webhookProviders.map(({ id }) => id));

const SourceSchema = Type.Object({
  id: Type.String(),
  kind: kinds,
  name: Type.String(),
  ingest_url: Type.String({ description: "the webhook's payload URL" }),
  created_at: Timestamp,
  last_event_at: Type.Unsafe<Date | null>({ ...NullableTimestamp, description: 'to the minute' }),
});

const SourceKindSchema = Type.Object({
  kind: kinds,
  title: Type.String(),
  has_backfills: Type.Boolean({ description: 'whether its API can read past runs' }),
  how_to_connect: Type.Object(
    {
      hosted_title: Type.String({ description: 'its hosted service' }),
      url_label: Type.String({ description: 'its name for the address' }),
      secret_label: Type.String({ description: 'its name for the secret' }),
      intro: Type.String(),
      steps: Type.Array(Type.String()),
      first_event: Type.String({ description: 'when the first event comes' }),
      first_run: Type.String({ description: 'when the first run comes' }),
      deliveries_place: Type.String({ description: 'where it lists deliveries and their answers' }),
    },
    { description: 'Intro and steps contain Markdown for bold, code and links' },
  ),
});

const CreatedSourceSchema = Type.Object({
  ...SourceSchema.properties,
  secret: Type.String({ description: "the webhook's secret, or secret token at GitLab; shown only once" }),
});

const NewSourceBody = Type.Object(
  {
    kind: kinds,
    name: Type.Optional(Name),
    id: readOnly,
    ingest_url: readOnly,
    created_at: readOnly,
    last_event_at: readOnly,
  },
  { additionalProperties: false },
);

const ReceptionSchema = Type.Object({
  status: words(['recorded', 'ignored', 'pong'], { description: '`pong` answers a ping' }),
  event: Type.String(),
  reason: Type.Optional(Type.String({ description: 'why it was ignored' })),
});

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
  const view = ({ id, kind, name, createdAt, lastEventAt }: Source) => ({
    id,
    kind,
    name,
    ingest_url: `${program.publicUrl()}/api/v1/ingest/${id}`,
    created_at: createdAt,
    last_event_at: lastEventAt,
  });

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
      async (request) => ({ data: (await listSources(request.ctx)).map(view) }),
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
        return reply.status(201).send({ data: { ...view(source), secret } });
      },
    );

    server.delete(
      '/sources/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Delete a source',
          description: 'From now on its events are refused; recorded runs stay.',
          params: IdParams,
          response: responses(200, dataOf(DeletedSchema), [404]),
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

const sourceKindRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/sources/kinds',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the source kinds',
        description: 'The providers that can send events, and how to connect them.',
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
    source: SourceRow;
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
    server.decorateRequest('source');
    server.post(
      '/ingest/:source_id',
      {
        config: { access: 'public', rateLimit: false },
        bodyLimit: largestBody,
        onRequest: async (request) => {
          const { source_id } = request.params as { source_id: string };
          request.source = await requireSource(program, source_id);
        },
        schema: {
          tags,
          summary: 'Receive an event from a provider',
          description:
            `${webhookProviders.map(({ webhook }) => webhook.docs.events).join(' ')} Other events are ` +
            'answered as ignored. Answers after the event is committed.',
          security: [],
          params: Type.Object({ source_id: Type.String() }),
          response: responses(202, dataOf(ReceptionSchema), [404, 413, 415]),
        },
      },
      async (request, reply) => {
        const { headers } = request;
        const reception = await receiveEvent(program, request.source, {
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
