import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import {
  CalendarDay,
  defaulted,
  nullableText,
  PageQuery,
  Pagination,
  responses,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { onPage } from '../../platform/lib/lists.ts';
import { getWaste, ofCategory, wasteView, type Waste } from './getWaste.ts';
import { categories } from './jobGroups.ts';
import { actions } from './suggest.ts';

const WasteQuery = Type.Object({
  ...PageQuery.properties,
  days: defaulted(
    Type.Integer({
      minimum: 1,
      description: "today and the days before it; at most 90, cut to the plan's history",
    }),
    30,
  ),
  workflow_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'only this workflow',
      examples: ['wf_e18db5f418965475a75a'],
    }),
  ),
  repo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: '`owner/name` or the bare name, in any case',
      examples: ['acme/api'],
    }),
  ),
  category: Type.Optional(
    words(categories, { description: 'workflows with this category, largest amount first' }),
  ),
});

const CategoryName = words(categories, {
  description:
    '`rounding`: minutes billed but not used. `failed`: time of jobs that failed or were ' +
    'cancelled. `superseded`: time after a newer run of the same branch started. `rerun`: time of ' +
    'jobs that ran again. `skipped_after_queueing`: jobs that waited and never ran, which costs ' +
    'nothing.',
});

const Minutes = Type.Number({ description: 'billed minutes; not rounded' });

const shareFields = {
  cost: Usd,
  minutes: Minutes,
  jobs: Type.Integer({
    description: 'jobs with this category; a job can have several',
  }),
  share_percent: Type.Number({ description: 'of the total cost, one decimal' }),
  waited_minutes: Type.Number({
    description: 'time in the queue of jobs that never ran; not part of `minutes`',
  }),
};

const CategoryShare = Type.Object({ category: CategoryName, ...shareFields });

const Suggestion = Type.Object({
  category: CategoryName,
  action: words(actions),
  text: sampleText('3 jobs took less than a minute each. Merge them into one job to save the rounding.'),
  jobs: Type.Array(sampleText('lint'), { description: 'names, most relevant first; at most ten' }),
  saving: usdOf('at most, in US dollars; no two suggestions count the same saving'),
  yaml: nullableText('timeout-minutes: 30'),
});

const totals = {
  total_cost: Usd,
  useful_cost: Usd,
  waste_cost: Usd,
  total_minutes: Minutes,
  useful_minutes: Minutes,
};

const WorkflowWaste = Type.Object({
  workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
  name: sampleText('Build'),
  repository: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
  cost: Usd,
  waste_cost: Usd,
  categories: Type.Array(CategoryShare),
  suggestions: Type.Array(Suggestion, { description: 'at most five, largest saving first' }),
});

const WasteSchema = Type.Object({
  data: Type.Object({
    period: Type.Object(
      { start: CalendarDay, end: CalendarDay, days: Type.Integer() },
      { description: "Shorter than asked for beyond the plan's history, and with very many jobs." },
    ),
    ...totals,
    categories: Type.Array(CategoryShare, { description: 'of all workflows' }),
    workflows: Type.Array(WorkflowWaste, {
      description: 'one page, most waste (of the requested category) first',
    }),
  }),
  pagination: Pagination,
});

export function wasteRoutes(program: Program): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Waste>();
  return (server, _options, done) => {
    server.get(
      '/waste',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Waste'],
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
        const { days, repo, workflow_id, category } = request.query;
        const page = pageAsked(request.query);
        // An empty form field is no filter.
        const asked = { days, repo: repo || undefined, workflowId: workflow_id || undefined };
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
