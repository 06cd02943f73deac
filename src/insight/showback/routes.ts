import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { ShowbackQuery, ShowbackSchema } from './schema.ts';
import { getShowback, readShowback, showbackCsv, showbackView, type Showback } from './showback.ts';

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
            'By the ownership rules. Unowned costs are a row of their own, so that the rows add up to the ' +
            'total exactly. With `Accept: text/csv` the answer is a CSV file.',
          querystring: ShowbackQuery,
          response: responsesOrCsv('Showback', ShowbackSchema, 'month,by,owner,cost_usd'),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const question = readShowback(query, { clock: program.clock, plan });
        const showback = await share(JSON.stringify([actor.orgId, question]), () =>
          getShowback({ ...program, actor }, question),
        );
        if (!wantsCsv(request, reply)) return { data: showbackView(showback) };
        const name = [
          'showback',
          question.month,
          'by',
          question.by.replace('_', '-'),
          ...(question.metric === 'cost' ? [] : ['net']),
        ].join('-');
        return sendCsv(reply, name, showbackCsv(showback));
      },
    );
    done();
  };
}
