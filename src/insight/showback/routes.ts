import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { varyByAccept, wantsCsv } from '../../platform/http/requests.ts';
import { responses } from '../../platform/http/schemas.ts';
import { ShowbackQuery, ShowbackSchema } from './schema.ts';
import { getShowback, readShowback, showbackCsv, showbackView, type Showback } from './showback.ts';

const answers = {
  ...responses(200, ShowbackSchema),
  200: {
    description: 'Showback',
    content: {
      'application/json': { schema: ShowbackSchema },
      'text/csv': { schema: Type.String({ examples: ['month,by,owner,cost_usd'] }) },
    },
  },
};

export function showbackRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Showback>();
  return (server, _options, done) => {
    server.get(
      '/showback',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'Get what each team or cost center spent in a month',
          description:
            'By the ownership rules. What no rule matches is a row of its own, so that the owners add up to the ' +
            'total exactly. With `Accept: text/csv` the answer is a CSV file.',
          querystring: ShowbackQuery,
          response: answers,
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const question = readShowback(query, { clock: program.clock, plan });
        const showback = await share(JSON.stringify([actor.orgId, question]), () =>
          getShowback({ ...program, actor }, question),
        );
        varyByAccept(reply);
        if (!wantsCsv(request.headers.accept)) return { data: showbackView(showback) };
        const name = `runcost-showback-${question.month}-by-${question.by.replace('_', '-')}.csv`;
        return reply
          .type('text/csv; charset=utf-8; header=present')
          .header('content-disposition', `attachment; filename="${name}"`)
          .send(showbackCsv(showback));
      },
    );
    done();
  };
}
