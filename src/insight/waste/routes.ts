import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { onPage } from '../../platform/lib/lists.ts';
import { getOutcomes, getTrend, getWastefulRuns, type Trend } from './daily.ts';
import { decide, reopen } from './decisions.ts';
import {
  decisionView,
  fixesCsv,
  fixesView,
  listFixes,
  runsView,
  trendView,
  type Fixes,
} from './fixesView.ts';
import { getWaste, ofCategory, type Waste, type WorkflowSplit } from './getWaste.ts';
import {
  DecisionBody,
  DecisionSchema,
  fixSample,
  FixesQuery,
  FixesSchema,
  RunsQuery,
  RunsSchema,
  TrendQuery,
  TrendSchema,
  WasteQuery,
  WasteSchema,
} from './schema.ts';
import { wasteView } from './views.ts';

const tags = ['Waste'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const writer = { access: { scope: 'waste:write', role: 'member' } } as const;

/** An empty form field is no filter. */
function readQuery({ days, from, to, repo, workflow_id }: Partial<Static<typeof WasteQuery>>) {
  return { days: days ?? 30, from, to, repo: repo || undefined, workflowId: workflow_id || undefined };
}

export function wasteRoutes(program: Program): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Waste>();
  return (server, _options, done) => {
    server.get(
      '/waste',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get waste',
          description:
            'Each minute and each dollar is in one category or useful. They add up to the total cost, which ' +
            "equals the dashboard's for the same days.",
          querystring: WasteQuery,
          response: responses(200, WasteSchema),
        },
      },
      async (request) => {
        const { actor, plan } = request;
        const page = readPagination(request.query);
        const asked = readQuery(request.query);
        const { category } = request.query;
        const listed = (workflows: WorkflowSplit[]) =>
          category ? ofCategory(workflows, category) : workflows;
        const waste = await share(JSON.stringify([actor.orgId, plan, asked, category, page]), () =>
          getWaste({ ...program, actor, plan }, asked, (workflows) => onPage(listed(workflows), page)),
        );
        return {
          data: wasteView(waste),
          pagination: paginationView(page, listed(waste.workflows).length),
        };
      },
    );
    server.register(fixRoutes(program));
    server.register(detailRoutes(program));
    server.register(decisionRoutes);
    done();
  };
}

function fixRoutes(program: Program): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Fixes>();
  return (server, _options, done) => {
    server.get(
      '/waste/fixes',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List what to change about waste',
          description:
            'The suggestions of all workflows by workflow and category, with what people decided. For fixes ' +
            'marked as done, it shows what they saved. With `Accept: text/csv` the answer is a CSV file of all pages.',
          querystring: FixesQuery,
          response: responsesOrCsv(
            'Fixes',
            FixesSchema,
            'fix,status,repository,workflow,category,saving_per_month_usd',
          ),
        },
      },
      async (request, reply) => {
        const { actor, plan } = request;
        const { category, compare, status, week_start: weekStart } = request.query;
        const page = readPagination(request.query);
        const asked = { ...readQuery(request.query), category, compare, weekStart };
        const ctx = { ...program, actor, plan };
        const found = await share(JSON.stringify([actor.orgId, plan, asked]), () => listFixes(ctx, asked));
        const listed = found.fixes.filter((fix) => status === undefined || fix.status === status);
        if (wantsCsv(request, reply)) {
          const { start, end } = found.waste.period;
          return sendCsv(reply, `waste-${start}-to-${end}`, fixesCsv(listed));
        }
        const shown = onPage(listed, page);
        return {
          data: fixesView(found, shown, await getOutcomes(ctx, shown)),
          pagination: paginationView(page, listed.length),
        };
      },
    );
    done();
  };
}

function detailRoutes(program: Program): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Trend>();
  return (server, _options, done) => {
    server.get(
      '/waste/runs',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the runs with the most waste of a workflow',
          querystring: RunsQuery,
          response: responses(200, RunsSchema),
        },
      },
      async ({ actor, plan, query }) => {
        const { workflow_id: workflowId, category, limit } = query;
        const asked = { ...readQuery(query), workflowId, category, limit };
        return { data: runsView(await getWastefulRuns({ ...program, actor, plan }, asked)) };
      },
    );
    server.get(
      '/waste/trend',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get waste by week',
          description: 'With very many jobs, only the newest weeks: `period` says which days were read.',
          querystring: TrendQuery,
          response: responses(200, TrendSchema),
        },
      },
      async ({ actor, plan, query }) => {
        const { repo, workflowId } = readQuery(query);
        const { weeks, week_start: weekStart, compare } = query;
        const asked = { repo, workflowId, weeks, weekStart, compare };
        const trend = await share(JSON.stringify([actor.orgId, plan, asked]), () =>
          getTrend({ ...program, actor, plan }, asked),
        );
        return { data: trendView(trend) };
      },
    );
    done();
  };
}

const params = idParams(fixSample);

const decisionRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.put(
    '/waste/fixes/:id/decision',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Mark a fix as done, or dismiss it',
        description:
          'Replaces an earlier decision. From then on the fix is not in `saving_per_month`. A new reason of the same ' +
          'status keeps the time of the decision.',
        params,
        body: DecisionBody,
        response: responses(200, dataOf(DecisionSchema), [404]),
      },
    },
    async ({ ctx, params: { id }, body }) => ({ data: decisionView(await decide(ctx, id, body)) }),
  );
  server.delete(
    '/waste/fixes/:id/decision',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Reopen a fix',
        description: 'Removes the decision.',
        params,
        response: responses(200, dataOf(deletedOf(fixSample)), [404]),
      },
    },
    async ({ ctx, params: { id } }) => {
      await reopen(ctx, id);
      return { data: { id, deleted: true as const } };
    },
  );
  done();
};
