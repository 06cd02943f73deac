import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { getCosts, type Costs } from '../../ledger/costs/costs.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { costsCsv, costsView } from './costsView.ts';
import { listRoutes } from './lists.routes.ts';
import { readQuestion } from './readQuestion.ts';
import { CostsQuery, CostsSchema } from './schema.ts';

export function exploreRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Costs>();
  return (server, _options, done) => {
    server.register(listRoutes(program));
    server.get(
      '/costs',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'Ask about costs',
          description:
            'Cost, minutes and jobs of the jobs that completed in the period, or the runs that were created ' +
            'in it, by up to two dimensions. The amounts of `groups` and `other` add up to `total` exactly, ' +
            "and `total` equals the dashboard's for the same days. With `Accept: text/csv` the answer is a " +
            'CSV file.\n\nA filter names a dimension: `branch=main`. Repeat it for any of several values. `!` ' +
            'before a value means not, an empty value none, `*` any characters, and `=` takes the rest literally: `branch=release/*`, ' +
            '`actor=!dependabot[bot]`. `workflow` is an id or a name.',
          querystring: CostsQuery,
          response: responsesOrCsv('Costs', CostsSchema, 'row,start,repository,cost_usd'),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const question = readQuestion(query, { clock: program.clock, plan });
        const costs = await share(JSON.stringify([actor.orgId, question]), () =>
          getCosts({ ...program, actor }, question),
        );
        if (!wantsCsv(request, reply)) return { data: costsView(question, costs) };
        return sendCsv(reply, { name: 'costs', ...costs.period }, costsCsv(question, costs));
      },
    );
    done();
  };
}
