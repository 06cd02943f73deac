import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { pageAsked, paginationView } from '../../platform/http/pagination.ts';
import { pageOf, PageQuery, responses } from '../../platform/http/schemas.ts';
import { listAuditEntries } from './audit.ts';
import { AuditEntrySchema } from './schema.ts';

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** The audit log. */
export function auditRoutes(program: Program): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    const tags = ['Organization'];
    server.get(
      '/audit-log',
      {
        config: admin,
        schema: {
          tags,
          summary: 'List who changed what',
          description: 'Newest first.',
          querystring: PageQuery,
          response: responses(200, pageOf(AuditEntrySchema)),
        },
      },
      async (request) => {
        const asked = pageAsked(request.query);
        const { entries, total } = await listAuditEntries({ ...program, actor: request.actor }, asked);
        const data = entries.map(({ createdAt, details, id, actor, action, target }) => ({
          id,
          created_at: createdAt,
          actor,
          action,
          target,
          details: details as Record<string, unknown>,
        }));
        return { data, pagination: paginationView(asked, total) };
      },
    );
    done();
  };
}
