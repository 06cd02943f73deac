import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { idParams, pageOf, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { cancelImport, getImport, listImports, ownerImportView, startImport } from './ownerImport.ts';
import { NewImportBody, OwnerImport, OwnerImportSchema } from './schema.ts';

const params = idParams('oimp_7a1c3e5f9b2d8046c4e1');
const tags = ['Ownership'];

export function ownerImportRoutes(program: BackfillProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(listRoutes(program));
    server.post(
      '/ownership/imports',
      {
        config: { access: { scope: 'admin', role: 'admin' } },
        schema: {
          tags,
          summary: 'Import owners from GitHub',
          description:
            'Reads the CODEOWNERS file of each recorded GitHub repository, or the custom properties of their ' +
            'organizations, with the credentials of a source. A new owner has the repository from today; earlier days ' +
            'keep the former owner. Rules that people wrote stay, and come first. The credentials need the permission ' +
            '"Contents: read", or "Custom properties: read" of the organization.',
          body: NewImportBody,
          response: responses(202, OwnerImportSchema),
        },
      },
      async (request, reply) => {
        const ctx = { ...program, ...request.ctx };
        const started = await startImport(ctx, request.body);
        return reply.status(202).send({ data: ownerImportView(started, ctx.clock.now()) });
      },
    );

    server.post(
      '/ownership/imports/:id/cancel',
      {
        config: { access: { scope: 'admin', role: 'admin' } },
        schema: {
          tags,
          summary: 'Cancel an import of owners',
          description: 'No rule changes, because rules are saved only after everything is read.',
          params,
          response: responses(200, OwnerImportSchema, [404, 409]),
        },
      },
      async (request) => ({
        data: ownerImportView(await cancelImport(request.ctx, request.params.id), program.clock.now()),
      }),
    );

    server.get(
      '/ownership/imports/:id',
      {
        config: { access: { scope: 'admin', role: 'viewer' } },
        schema: {
          tags,
          summary: 'Get an import of owners',
          params,
          response: responses(200, OwnerImportSchema, [404]),
        },
      },
      async (request) => ({
        data: ownerImportView(await getImport(request.ctx, request.params.id), program.clock.now()),
      }),
    );
    done();
  };
}

function listRoutes(program: BackfillProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/ownership/imports',
      {
        config: { access: { scope: 'admin', role: 'viewer' } },
        schema: {
          tags,
          summary: 'List the imports of owners',
          description: 'Newest first.',
          querystring: PageQuery,
          response: responses(200, pageOf(OwnerImport)),
        },
      },
      async (request) => {
        const page = readPagination(request.query);
        const { imports, total } = await listImports(request.ctx, page);
        const now = program.clock.now();
        return {
          data: imports.map((each) => ownerImportView(each, now)),
          pagination: paginationView(page, total),
        };
      },
    );
    done();
  };
}
