import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import { getWorkflowCosts, type WorkflowCosts } from '../../ledger/costs/workflowCosts.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import type { SendCached } from '../../platform/http/cachedAnswers.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import type { Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { readWorkflows, workflowsCsv, workflowsView } from './workflowList.ts';
import { WorkflowCostsQuery, WorkflowCostsSchema } from './workflows.schema.ts';

/** Waste by workflow id, injected because `explore` must not depend on `waste`. Null if the window is too long. */
export type FindWaste = (
  ctx: Pick<Context, 'db' | 'actor' | 'providers'>,
  window: Window,
) => Promise<Map<string, Nanos> | null>;

export function workflowRoutes(
  program: Program & { log: Logger },
  { findWaste, sendCached }: { findWaste: FindWaste; sendCached: SendCached },
): FastifyPluginCallbackTypebox {
  const share = createSharedReads<WorkflowCosts>();
  const shareWaste = createSharedReads<Map<string, Nanos> | null>();
  return (server, _options, done) => {
    server.get(
      '/costs/workflows',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'List the workflows with their costs',
          description:
            'Workflows that have costs in the period or in the compared one, or runs in the period. The amounts of ' +
            'all pages add up to `total` exactly, which equals the total of `GET /costs` with the same filters. ' +
            'Runs count on the day when they were created. With `Accept: text/csv` the answer is a CSV file of all ' +
            'pages. Filters are those of `GET /costs`.',
          querystring: WorkflowCostsQuery,
          response: responsesOrCsv(
            'Workflows',
            WorkflowCostsSchema,
            'workflow,workflow_name,repository,cost_usd,runs,success_rate,duration_p50_seconds,duration_p95_seconds,last_run_at',
          ),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const reader = { ...program, actor };
        const isCsv = wantsCsv(request, reply);
        const page = readPagination(query);
        const answer = async () => {
          const question = readWorkflows(query, isCsv ? null : page, { clock: program.clock, plan });
          const { waste: asksWaste, ...asked } = question;
          const { window } = asked;
          const waste = asksWaste
            ? await shareWaste(JSON.stringify([actor.orgId, window]), () => findWaste(reader, window))
            : null;
          const key = JSON.stringify([actor.orgId, question]);
          return { question, costs: await share(key, () => getWorkflowCosts(reader, asked, waste)) };
        };
        if (!isCsv) {
          const view = async () => {
            const { costs } = await answer();
            return { ...workflowsView(costs), pagination: paginationView(page, costs.total.workflows) };
          };
          // Waste is computed later, without raising the version of the costs, so it cannot be cached.
          return query.waste ? view() : sendCached({ request, reply }, view);
        }
        const { question, costs } = await answer();
        const { start, end } = costs.period;
        return sendCsv(reply, `workflows-${start}-to-${end}`, workflowsCsv(question, costs));
      },
    );
    done();
  };
}
