import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { getCosts, type Costs } from '../../ledger/costs/costs.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { varyByAccept, wantsCsv } from '../../platform/http/requests.ts';
import { responses } from '../../platform/http/schemas.ts';
import { costsCsv, costsView } from './costsView.ts';
import { readQuestion } from './readQuestion.ts';
import { CostsQuery, CostsSchema } from './schema.ts';

const answers = {
  ...responses(200, CostsSchema),
  200: {
    description: 'Costs',
    content: {
      'application/json': { schema: CostsSchema },
      'text/csv': { schema: Type.String({ examples: ['row,start,repository,cost_usd'] }) },
    },
  },
};

export function exploreRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Costs>();
  return (server, _options, done) => {
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
          response: answers,
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const question = readQuestion(query, { clock: program.clock, plan });
        const costs = await share(JSON.stringify([actor.orgId, question]), () =>
          getCosts({ ...program, actor }, question),
        );
        varyByAccept(reply);
        if (!wantsCsv(request.headers.accept)) return { data: costsView(question, costs) };
        const { start, end } = costs.period;
        return reply
          .type('text/csv; charset=utf-8; header=present')
          .header('content-disposition', `attachment; filename="runcost-costs-${start}-to-${end}.csv"`)
          .send(costsCsv(question, costs));
      },
    );
    done();
  };
}
