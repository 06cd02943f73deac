import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { pageAsked, paginationView } from '../../platform/http/pagination.ts';
import { IdParams, responses } from '../../platform/http/schemas.ts';
import { getRun, listRuns } from './reading.ts';
import { RunDetail, RunsQuery, RunsSchema } from './runDetail.schema.ts';
import { detailedRunView, listedRunView } from './runViews.ts';

const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const tags = ['Runs'];

/** The runs that are recorded, and what each of their jobs cost and why. */
export function runReadingRoutes(program: Program): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/runs',
      {
        config,
        schema: {
          tags,
          summary: 'List the runs',
          description: 'Newest first, by when they were created.',
          querystring: RunsQuery,
          response: responses(200, RunsSchema),
        },
      },
      async (request) => {
        const { days, workflow_id, repo, status, conclusion, branch, flag, created_on, completed_on } =
          request.query;
        const asked = pageAsked(request.query);
        const { runs, total, period } = await listRuns(
          { ...program, actor: request.actor, plan: request.plan },
          // A field left empty in a form is no filter.
          {
            ...{ days, status, conclusion, flag },
            ...{ createdOn: created_on, completedOn: completed_on },
            workflowId: workflow_id || undefined,
            repo: repo || undefined,
            branch: branch || undefined,
          },
          asked,
        );
        const pagination = paginationView(asked, total);
        return { data: runs.map(listedRunView), pagination, period };
      },
    );

    server.get(
      '/runs/:id',
      {
        config,
        schema: {
          tags,
          summary: 'Get a run',
          description: 'With the jobs of all its attempts, each with the receipt of its cost.',
          params: IdParams,
          response: responses(200, RunDetail, [404]),
        },
      },
      async (request) => ({
        data: detailedRunView(
          await getRun({ ...program, actor: request.actor }, request.params.id),
          program.providers,
        ),
      }),
    );
    done();
  };
}
