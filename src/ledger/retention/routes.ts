import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { responses } from '../../platform/http/schemas.ts';
import { getRetention, retentionStatus, type RetentionLimit } from './retention.ts';
import { RetentionQuery, RetentionSchema } from './schema.ts';

export function retentionRoutes(limit: RetentionLimit): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/retention',
      {
        config: { access: { scope: 'admin', role: 'viewer' } },
        schema: {
          tags: ['Organization'],
          summary: 'Get how long runs are kept',
          description:
            'How long runs and jobs are kept, and how far their removal is. Daily sums are kept forever. Change it ' +
            'with `run_retention_days` of the organization.',
          querystring: RetentionQuery,
          response: responses(200, RetentionSchema),
        },
      },
      async (request) => ({
        data: retentionStatus(await getRetention(request.ctx, limit, request.query)),
      }),
    );
    done();
  };
}
