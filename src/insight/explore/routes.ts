import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { getChange, type CostChange } from '../../ledger/costs/change.ts';
import { getCosts, hasJudgedDays, type Costs } from '../../ledger/costs/costs.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import type { SendCached } from '../../platform/http/cachedAnswers.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import { changeCsv, changeView } from './changeView.ts';
import { costsCsv, costsView } from './costsView.ts';
import { listRoutes } from './lists.routes.ts';
import { readChangeQuestion, readQuestion } from './readQuestion.ts';
import { ChangeQuery, ChangeSchema, CostsQuery, CostsSchema } from './schema.ts';
import { workflowRoutes, type FindWaste } from './workflows.routes.ts';

const filterText =
  'A filter names a dimension: `branch=main`. Repeat it to match any of several values. `!` ' +
  'before a value excludes it, `*` stands for any characters, `=` takes the rest literally, and an empty value matches rows without one: `branch=release/*`, ' +
  '`actor=!dependabot[bot]`. `workflow` is an id or a name.';

type Parts = { findWaste: FindWaste; sendCached: SendCached };

export function exploreRoutes(
  program: Program & { log: Logger },
  { findWaste, sendCached }: Parts,
): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Costs>();
  const shareChange = createSharedReads<CostChange>();
  return (server, _options, done) => {
    server.register(listRoutes(program));
    server.register(workflowRoutes(program, { findWaste, sendCached }));
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
            `CSV file.\n\n${filterText}`,
          querystring: CostsQuery,
          response: responsesOrCsv('Costs', CostsSchema, 'row,start,repository,cost_usd'),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const answer = async () => {
          const question = readQuestion(query, { clock: program.clock, plan });
          const judging = hasJudgedDays(question) ? await findUnusualRule({ ...program, actor }) : null;
          const key = JSON.stringify([actor.orgId, question, judging], bigintsAsText);
          const costs = await share(key, () => getCosts({ ...program, actor }, question, judging));
          return [question, costs] as const;
        };
        if (!wantsCsv(request, reply))
          return sendCached({ request, reply }, async () => ({ data: costsView(...(await answer())) }));
        const [question, costs] = await answer();
        const { start, end } = costs.period;
        return sendCsv(reply, `costs-${start}-to-${end}`, costsCsv(question, costs));
      },
    );
    server.get(
      '/costs/change',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'Explain what changed between two periods',
          description:
            'Splits the change of cost into volume, duration, price and runner mix, for each group and in total. ' +
            'The four add up to the change exactly, and `groups` and `other` to `total`. `sentence` says it in ' +
            `one sentence. With \`Accept: text/csv\` the answer is a CSV file.\n\n${filterText}`,
          querystring: ChangeQuery,
          response: responsesOrCsv('The change', ChangeSchema, 'row,workflow,workflow_name,status,cost_usd'),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const answer = async () => {
          const question = readChangeQuestion(query, { clock: program.clock, plan });
          const key = JSON.stringify([actor.orgId, question]);
          const change = await shareChange(key, () => getChange({ ...program, actor }, question));
          return [question, change] as const;
        };
        if (!wantsCsv(request, reply))
          return sendCached({ request, reply }, async () => ({ data: changeView(...(await answer())) }));
        const [question, change] = await answer();
        const { start, end } = change.period;
        return sendCsv(reply, `change-${start}-to-${end}`, changeCsv(question, change));
      },
    );
    done();
  };
}
