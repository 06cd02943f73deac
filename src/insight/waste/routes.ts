import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { pageAsked, paginationView } from '../../platform/http/pagination.ts';
import { responses } from '../../platform/http/schemas.ts';
import { onPage } from '../../platform/lib/page.ts';
import { getWaste, ofCategory, type Waste } from './getWaste.ts';
import { WasteQuery, WasteSchema } from './schema.ts';
import { wasteView } from './views.ts';

/** What CI time was spent for nothing, and what to change. */
export function wasteRoutes(program: Program): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Waste>();
  return (server, _options, done) => {
    server.get(
      '/waste',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Waste'],
          summary: 'What was spent for nothing',
          description:
            'Each minute and each dollar stands in one category or is useful: they add up to the total cost, which is ' +
            'that of the dashboard over the same days.',
          querystring: WasteQuery,
          response: responses(200, WasteSchema),
        },
      },
      async (request) => {
        const { actor, plan } = request;
        const { days, repo, workflow_id, category } = request.query;
        const page = pageAsked(request.query);
        // A field left empty in a form is no filter.
        const asked = { days, repo: repo || undefined, workflowId: workflow_id || undefined };
        // Those who ask for the same at the same time share the reading.
        const waste = await share(JSON.stringify([actor.orgId, plan, asked]), () =>
          getWaste({ ...program, actor, plan }, asked),
        );
        const workflows = category ? ofCategory(waste.workflows, category) : waste.workflows;
        return {
          data: wasteView(waste, onPage(workflows, page)),
          pagination: paginationView(page, workflows.length),
        };
      },
    );
    done();
  };
}
