import type { Static } from 'typebox';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { deletedOf, idParams } from '../../platform/http/schemas.ts';
import { verb, type VerbContext } from '../../platform/http/verbs.ts';
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

const params = idParams(fixSample);

const tag = 'Waste';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'waste:write', role: 'member' } } as const;

const coalesce = createCoalescer<Waste>();
const coalesceFixes = createCoalescer<Fixes>();
const coalesceTrend = createCoalescer<Trend>();

export const wasteVerbs = [
  verb({
    ...read,
    name: 'waste get',
    at: 'GET /waste',
    title: 'Get waste',
    page: '/waste',
    description:
      'Each minute and each dollar is in one category or useful. They add up to the total cost, which ' +
      "equals the dashboard's for the same days.",
    query: WasteQuery,
    answer: WasteSchema,
    rows: 'data.workflows',
    columns: [['workflow_id', 'workflow'], 'name', 'repository', 'cost', ['waste_cost', 'waste']],
    isWhole: true,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const asked = readQuery(query);
      const { category } = query;
      const listed = (workflows: WorkflowSplit[]) => (category ? ofCategory(workflows, category) : workflows);
      const waste = await coalesce(JSON.stringify([ctx.actor.orgId, ctx.plan, asked, category, page]), () =>
        getWaste(ctx, asked, (workflows) => onPage(listed(workflows), page)),
      );
      return {
        data: wasteView(waste),
        pagination: paginationView(page, listed(waste.workflows).length),
      };
    },
  }),
  verb({
    ...read,
    name: 'waste fix list',
    at: 'GET /waste/fixes',
    title: 'List what to change about waste',
    page: '/waste',
    assistant: true,
    description:
      'The suggestions of all workflows by workflow and category, often as YAML, with what each saves a month and ' +
      'what people decided. Runs that nobody needs are listed too: schedules that repeat the same commit, runs that ' +
      'are always canceled, workflows that do the same, and runs on changes of documentation only. For fixes marked as done, it shows what they promised ' +
      'and what they saved. With `Accept: text/csv` the answer is a CSV file of all pages.',
    query: FixesQuery,
    answer: FixesSchema,
    rows: 'data.fixes',
    columns: ['id', 'repository', 'workflow', 'category', 'status', 'saving_per_month'],
    isWhole: true,
    csv: {
      title: 'Fixes',
      example: 'fix,status,repository,workflow,category,saving_per_month_usd',
      file: async (ctx, { query }) => {
        const { found, listed } = await findFixes(ctx, query);
        const { start, end } = found.waste.period;
        return { name: `waste-${start}-to-${end}`, text: fixesCsv(listed) };
      },
    },
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { found, listed } = await findFixes(ctx, query);
      const shown = onPage(listed, page);
      return {
        data: fixesView(found, shown, await getOutcomes(ctx, found.fixes)),
        pagination: paginationView(page, listed.length),
      };
    },
  }),
  verb({
    ...read,
    name: 'waste run list',
    at: 'GET /waste/runs',
    title: 'List the runs with the most waste of a workflow',
    query: RunsQuery,
    answer: RunsSchema,
    columns: [['id', 'run'], 'branch', 'conclusion', ['created_at', 'created'], 'cost', 'minutes'],
    run: async (ctx, { query }) => {
      const { workflow_id: workflowId, category, limit } = query;
      return runsView(await getWastefulRuns(ctx, { ...readQuery(query), workflowId, category, limit }));
    },
  }),
  verb({
    ...read,
    name: 'waste trend get',
    at: 'GET /waste/trend',
    title: 'Get waste by week',
    page: '/waste',
    description: 'With very many jobs, only the newest weeks: `period` says which days were read.',
    query: TrendQuery,
    answer: TrendSchema,
    columns: ['start', 'end', 'cost', ['waste_cost', 'waste'], ['previous_waste_cost', 'before']],
    run: async (ctx, { query }) => {
      const { repo, workflowId } = readQuery(query);
      const { weeks, week_start: weekStart, compare } = query;
      const asked = { repo, workflowId, weeks, weekStart, compare };
      const key = JSON.stringify([ctx.actor.orgId, ctx.plan, asked]);
      return trendView(await coalesceTrend(key, () => getTrend(ctx, asked)));
    },
  }),
  verb({
    ...write,
    name: 'waste fix decide',
    at: 'PUT /waste/fixes/:id/decision',
    title: 'Mark a fix as done, or dismiss it',
    description:
      'Replaces an earlier decision. From then on the fix is not in `saving_per_month`. A new reason of the same ' +
      'status keeps the time of the decision.',
    params,
    body: DecisionBody,
    answer: DecisionSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) => decisionView(await decide(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'waste fix reopen',
    at: 'DELETE /waste/fixes/:id/decision',
    title: 'Reopen a fix',
    description: 'Removes the decision.',
    params,
    answer: deletedOf(fixSample),
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await reopen(ctx, id);
      return { id, deleted: true as const };
    },
  }),
];

/** An empty form field is no filter. */
function readQuery({
  days,
  from,
  to,
  repo,
  workflow_id,
}: Partial<Omit<Static<typeof WasteQuery>, 'category'>>) {
  return { days: days ?? 30, from, to, repo: repo || undefined, workflowId: workflow_id || undefined };
}

async function findFixes(ctx: VerbContext, query: Static<typeof FixesQuery>) {
  const { category, compare, status, week_start: weekStart } = query;
  const asked = { ...readQuery(query), category, compare, weekStart };
  const key = JSON.stringify([ctx.actor.orgId, ctx.plan, asked]);
  const found = await coalesceFixes(key, () => listFixes(ctx, asked));
  return { found, listed: found.fixes.filter((fix) => status === undefined || fix.status === status) };
}
