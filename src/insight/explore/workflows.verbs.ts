import type { Static } from 'typebox';
import type { Context } from '../../context.ts';
import { getWorkflowCosts, type WorkflowCosts } from '../../ledger/costs/workflowCosts.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { verbsWith } from '../../platform/http/verbs.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import type { Window } from '../../platform/lib/days.ts';
import type { Page } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { keyOf, read, type ExploreContext } from './lists.verbs.ts';
import { readWorkflows, workflowsCsv, workflowsView } from './workflowList.ts';
import { WorkflowCostsQuery, WorkflowCostsSchema } from './workflows.schema.ts';

/** Waste by workflow id, injected because `explore` must not depend on `waste`. Null if the window is too long. */
type FindWaste = (
  ctx: Pick<Context, 'db' | 'actor' | 'providers'>,
  window: Window,
) => Promise<Map<string, Nanos> | null>;

type WorkflowsContext = ExploreContext & { findWaste: FindWaste };

const coalesce = createCoalescer<WorkflowCosts>();
const coalesceWaste = createCoalescer<Map<string, Nanos> | null>();

const verb = verbsWith<WorkflowsContext>();

export const workflowVerbs = [
  verb({
    ...read,
    name: 'cost workflow list',
    at: 'GET /costs/workflows',
    title: 'List the workflows with their costs',
    page: '/workflows',
    assistant: true,
    description:
      'Workflows that have costs in the period or in the compared one, or runs in the period. The amounts of ' +
      'all pages add up to `total` exactly, which equals the total of `GET /costs` with the same filters. ' +
      'Runs count on the day when they were created. With `Accept: text/csv` the answer is a CSV file of all ' +
      'pages. Filters are those of `GET /costs`.',
    query: WorkflowCostsQuery,
    answer: WorkflowCostsSchema,
    isWhole: true,
    // Waste is computed later, without raising the version of the costs.
    isCached: ({ query }) => !query.waste,
    csv: {
      title: 'Workflows',
      example:
        'workflow,workflow_name,repository,cost_usd,runs,success_rate,duration_p50_seconds,duration_p95_seconds,last_run_at',
      file: async (ctx, { query }) => {
        const { question, costs } = await ask(ctx, query, null);
        const { start, end } = costs.period;
        return { name: `workflows-${start}-to-${end}`, text: workflowsCsv(question, costs) };
      },
    },
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { costs } = await ask(ctx, query, page);
      return { ...workflowsView(costs), pagination: paginationView(page, costs.total.workflows) };
    },
  }),
];

/** Without a page, about all workflows. */
async function ask(ctx: WorkflowsContext, query: Static<typeof WorkflowCostsQuery>, page: Page | null) {
  const question = readWorkflows(query, page, ctx);
  const { waste: asksWaste, ...asked } = question;
  const { window } = asked;
  const waste = asksWaste ? await coalesceWaste(keyOf(ctx, window), () => ctx.findWaste(ctx, window)) : null;
  return { question, costs: await coalesce(keyOf(ctx, question), () => getWorkflowCosts(ctx, asked, waste)) };
}
