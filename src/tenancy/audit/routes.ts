import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { pageOf, PageQuery, responses, sampleText, Timestamp, Uuid } from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { listAuditEntries } from './audit.ts';

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export const auditRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
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
      const { entries, total } = await listAuditEntries(request.ctx, asked);
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

const AuditEntrySchema = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  actor: sampleText(
    'token tok_72f7ab46193cdf1e16cc',
    '`token tok_…`, `session of …`, `cli` or `unsubscribe link`',
  ),
  action: Type.String({ examples: ['member.add'] }),
  target: Type.String({
    description: 'id of the thing that changed',
    examples: ['mem_5c1f0a9e7b3d4826f1a0'],
  }),
  details: Type.Record(Type.String(), Type.Unknown()),
});
