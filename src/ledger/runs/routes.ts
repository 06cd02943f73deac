import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { pageAsked, paginationView } from '../../platform/http/pagination.ts';
import { defaulted, PageQuery, responses } from '../../platform/http/schemas.ts';
import type { ForgetRuns } from './deleteRuns.ts';
import { runDeletionRoutes } from './deletion.routes.ts';
import { runReadingRoutes } from './reading.routes.ts';
import { listUnpriced } from './reading.ts';
import { unpricedView } from './runViews.ts';
import { UnpricedRunners } from './schema.ts';

const mostDaysBack = 365;

type RunProgram = Program & { forgetRuns: ForgetRuns };

/** The runs that are recorded, what they cost, and the runners that no price is known for. */
export function runRoutes(program: RunProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/unpriced',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Pricing'],
          summary: 'List runners without a price',
          description:
            'Their minutes are counted and cost 0 until a price is known. Those with the most minutes first.',
          querystring: Type.Object({
            ...PageQuery.properties,
            days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
          }),
          response: responses(200, UnpricedRunners),
        },
      },
      async (request) => {
        const asked = pageAsked(request.query);
        const days = Math.min(request.query.days, mostDaysBack);
        const { runners, total } = await listUnpriced(
          { ...program, actor: request.actor },
          { ...asked, days },
        );
        return {
          data: runners.map(unpricedView),
          pagination: paginationView(asked, total),
        };
      },
    );
    server.register(runReadingRoutes(program));
    server.register(runDeletionRoutes(program));
    done();
  };
}
