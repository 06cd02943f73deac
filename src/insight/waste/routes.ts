import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import {
  CalendarDay,
  defaulted,
  NullableString,
  PageQuery,
  Pagination,
  responses,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { onPage } from '../../platform/lib/page.ts';
import { getWaste, ofCategory, type Waste, wasteView } from './getWaste.ts';
import { categories } from './jobGroups.ts';
import { actions } from './suggest.ts';

const WasteQuery = Type.Object({
  ...PageQuery.properties,
  days: defaulted(
    Type.Integer({
      minimum: 1,
      description:
        "today and the days before it; more than 90 counts as 90, and it is cut to the plan's history",
    }),
    30,
  ),
  workflow_id: Type.Optional(Type.String({ maxLength: 100, description: 'this workflow only' })),
  repo: Type.Optional(
    Type.String({ maxLength: 255, description: '`owner/name` or the bare name, in any case' }),
  ),
  category: Type.Optional(
    words(categories, { description: 'the workflows with any of it, those with most first' }),
  ),
});

const CategoryName = words(categories, {
  description:
    '`rounding`: minutes billed and not used. `failed`: time of jobs that failed or were cancelled. `superseded`: time ' +
    'after a newer run of the same branch had begun. `rerun`: time of jobs that were run again. ' +
    '`skipped_after_queueing`: jobs that waited and never ran, which costs nothing.',
});

const Minutes = Type.Number({ description: 'of what was billed; unrounded' });

const shareFields = {
  cost: Usd,
  minutes: Minutes,
  jobs: Type.Integer({
    description: 'with anything in this category; one job can have some in several',
  }),
  share_percent: Type.Number({ description: 'of the total cost, with one decimal' }),
  waited_minutes: Type.Number({
    description: 'in the queue, of jobs that never ran; no part of `minutes`',
  }),
};

const CategoryShare = Type.Object({ category: CategoryName, ...shareFields });

const Suggestion = Type.Object({
  category: CategoryName,
  action: words(actions),
  text: Type.String(),
  jobs: Type.Array(Type.String(), { description: 'names, those that matter most first; ten at most' }),
  saving: usdOf('what it would have saved at most, in US dollars; no two suggestions claim the same'),
  yaml: NullableString,
});

const totals = {
  total_cost: Usd,
  useful_cost: Usd,
  waste_cost: Usd,
  total_minutes: Minutes,
  useful_minutes: Minutes,
};

const WorkflowWaste = Type.Object({
  workflow_id: Type.String(),
  name: Type.String(),
  repository: Type.String({ description: 'owner/name' }),
  cost: Usd,
  waste_cost: Usd,
  categories: Type.Array(CategoryShare),
  suggestions: Type.Array(Suggestion, { description: 'five at most, what saves most first' }),
});

const WasteSchema = Type.Object({
  data: Type.Object({
    period: Type.Object(
      { start: CalendarDay, end: CalendarDay, days: Type.Integer() },
      { description: 'Shorter than asked for where the plan ends, and where very many jobs had to be read.' },
    ),
    ...totals,
    categories: Type.Array(CategoryShare, { description: 'of all workflows together' }),
    workflows: Type.Array(WorkflowWaste, {
      description: 'a page of them, those with most waste (of the category that was asked for) first',
    }),
  }),
  pagination: Pagination,
});

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
