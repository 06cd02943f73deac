import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { dataOf, deletedOf, idParams, pageOf, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { invalid } from '../../platform/lib/errors.ts';
import type { BackfillContext, BackfillProgram } from './backfill.ts';
import { completenessView, getCompleteness } from './completeness.ts';
import { credentialsView, deleteCredentials, getCredentials, setCredentials } from './credentials.ts';
import type { GitHubCredentials } from './gitHubClient.ts';
import {
  BackfillSchema,
  CompletenessQuery,
  CompletenessSchema,
  CredentialsBody,
  CredentialsSchema,
  NewBackfillBody,
  NullableCredentialsSchema,
} from './schema.ts';
import { backfillView, cancelBackfill, getBackfill, listBackfills, startBackfill } from './startBackfill.ts';

const params = idParams('bkf_2c9e6a4f8b1d0357e2a6');
const sourceParams = idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d');

const tags = ['Backfills'];
const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

type ContextOf = (request: FastifyRequest) => BackfillContext;

export function backfillRoutes(program: BackfillProgram): FastifyPluginCallbackTypebox {
  const contextOf: ContextOf = (request) => ({ ...program, ...request.ctx });
  return (server, _options, done) => {
    server.register(readRoutes(contextOf));
    server.register(changeRoutes(contextOf));
    server.register(credentialsRoutes(contextOf));
    done();
  };
}

function readRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/backfills',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the backfills',
          description: 'Newest first, including nightly checks.',
          querystring: PageQuery,
          response: responses(200, pageOf(BackfillSchema)),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        const page = readPagination(request.query);
        const { backfills, total } = await listBackfills(ctx, page);
        const now = ctx.clock.now();
        const pagination = paginationView(page, total);
        return { data: backfills.map((backfill) => backfillView(backfill, now)), pagination };
      },
    );

    server.get(
      '/backfills/:id',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get a backfill',
          params,
          response: responses(200, dataOf(BackfillSchema), [404]),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        return { data: backfillView(await getBackfill(ctx, request.params.id), ctx.clock.now()) };
      },
    );

    server.get(
      '/backfills/completeness',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags,
          summary: 'Get the completeness of deliveries',
          description:
            'How many of the runs that GitHub lists were recorded before a backfill or nightly check, by ' +
            'repository and day of creation. Repositories with the most gaps come first.',
          querystring: CompletenessQuery,
          response: responses(200, CompletenessSchema),
        },
      },
      async (request) => {
        const page = readPagination(request.query);
        const { days } = request.query;
        const { window, repositories, total } = await getCompleteness(contextOf(request), { days, ...page });
        const pagination = paginationView(page, total);
        return { data: repositories.map(completenessView), period: window, pagination };
      },
    );
    done();
  };
}

function changeRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/backfills',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Start a backfill',
          description:
            'Reads runs of GitHub repositories with the jobs of all attempts. Completes runs that are already ' +
            'recorded; nothing is counted twice.',
          body: NewBackfillBody,
          response: responses(202, dataOf(BackfillSchema)),
        },
      },
      async (request, reply) => {
        const ctx = contextOf(request);
        const { source_id: sourceId, repositories, since, until } = request.body;
        const backfill = await startBackfill(ctx, { sourceId, repositories, since, until });
        return reply.status(202).send({ data: backfillView(backfill, ctx.clock.now()) });
      },
    );

    server.post(
      '/backfills/:id/cancel',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Cancel a backfill',
          description: 'The recorded runs stay.',
          params,
          response: responses(200, dataOf(BackfillSchema), [404, 409]),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        return { data: backfillView(await cancelBackfill(ctx, request.params.id), ctx.clock.now()) };
      },
    );
    done();
  };
}

function credentialsRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/sources/:id/credentials',
      {
        config: reader,
        schema: {
          tags: ['Sources'],
          summary: 'Get the credentials of a source',
          description: 'Null without credentials. The token or key itself is never shown.',
          params: sourceParams,
          response: responses(200, dataOf(NullableCredentialsSchema), [404]),
        },
      },
      async (request) => {
        const credentials = await getCredentials(contextOf(request), request.params.id);
        return { data: credentials && credentialsView(credentials) };
      },
    );

    server.put(
      '/sources/:id/credentials',
      {
        config: admin,
        schema: {
          tags: ['Sources'],
          summary: 'Set the credentials of a source',
          description:
            'A fine-grained token, or a GitHub App with one of its installations, with the repository ' +
            'permission "Actions: read". They are stored encrypted. From then on, a nightly check fills gaps.',
          params: sourceParams,
          body: CredentialsBody,
          response: responses(200, dataOf(CredentialsSchema), [404, 409]),
        },
      },
      async (request) => {
        const { id } = request.params;
        return {
          data: credentialsView(await setCredentials(contextOf(request), id, credentialsOf(request.body))),
        };
      },
    );

    server.delete(
      '/sources/:id/credentials',
      {
        config: admin,
        schema: {
          tags: ['Sources'],
          summary: 'Delete the credentials of a source',
          params: sourceParams,
          response: responses(
            200,
            dataOf(deletedOf('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d')),
            [404],
          ),
        },
      },
      async (request) => {
        const { id } = request.params;
        await deleteCredentials(contextOf(request), id);
        return { data: { id, deleted: true as const } };
      },
    );
    done();
  };
}

function credentialsOf(body: CredentialsBody): GitHubCredentials {
  const { kind, token, app_id, installation_id, private_key } = body;
  const app = { app_id, installation_id, private_key };
  const [wanted, other] = kind === 'token' ? [{ token }, app] : [app, { token }];
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined) throw invalid(`body.${field}`, `is required for kind ${kind}`);
  }
  for (const [field, value] of Object.entries(other)) {
    if (value !== undefined) throw invalid(`body.${field}`, `must be left out for kind ${kind}`);
  }
  if (kind === 'token') return { kind, token: token! };
  return { kind, appId: app_id!, installationId: installation_id!, privateKey: private_key! };
}
