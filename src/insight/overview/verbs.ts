import type { Static } from 'typebox';
import { successRate, wholeAverage } from '../../ledger/costs/ratios.ts';
import { getRecentRuns, getSummary, getTrends } from '../../ledger/costs/summary.ts';
import {
  getTopWorkflows,
  getWorkflows,
  getWorkflowsOverview,
  type WorkflowTotals,
} from '../../ledger/costs/workflowSums.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { rowsOf } from '../../platform/lib/lists.ts';
import { usd } from '../../platform/lib/money.ts';
import { detailVerbs, read, verb } from './details.verbs.ts';
import { outlookVerbs } from './outlook.verbs.ts';
import {
  DaysQuery,
  RecentRunsQuery,
  RecentRunsSchema,
  SummaryQuery,
  SummarySchema,
  TopWorkflowsQuery,
  TopWorkflowsSchema,
  TrendsSchema,
  WorkflowsQuery,
  WorkflowsSchema,
  WorkflowsSummaryQuery,
  WorkflowsSummarySchema,
} from './schema.ts';

const maxItems = 100;

const cached = { ...read, isWhole: true, isCached: true } as const;

export const overviewVerbs = [
  verb({
    ...cached,
    name: 'dashboard summary get',
    at: 'GET /dashboard/summary',
    title: 'Get the cost summary',
    description: 'The last 30 days vs the previous 30 days.',
    query: SummaryQuery,
    answer: SummarySchema,
    run: async (ctx) => {
      const summary = await getSummary(ctx);
      return {
        total_cost: usd(summary.totalCostNanos),
        net_total_cost: usd(summary.netTotalCostNanos),
        trend_percent: summary.trendPercent,
        total_runs: summary.totalRuns,
        avg_cost_per_run: usd(summary.averageCostPerRunNanos),
        period_days: summary.periodDays,
      };
    },
  }),
  verb({
    ...cached,
    name: 'dashboard trend list',
    at: 'GET /dashboard/trends',
    title: 'Get daily costs and runs',
    description: 'One item per day, oldest first, including empty days.',
    query: DaysQuery,
    answer: TrendsSchema,
    run: async (ctx, { query }) => {
      const { data, period } = await getTrends(ctx, query.days);
      return {
        data: data.map(({ day, costNanos, netCostNanos, runs }) => ({
          date: day,
          cost: usd(costNanos),
          net_cost: usd(netCostNanos),
          runs,
        })),
        period,
      };
    },
  }),
  verb({
    ...cached,
    name: 'dashboard recent-run list',
    at: 'GET /dashboard/recent-runs',
    title: 'List the latest runs',
    description: 'Newest first, by creation time.',
    query: RecentRunsQuery,
    answer: RecentRunsSchema,
    run: async (ctx, { query }) => {
      const runs = await getRecentRuns(ctx, Math.min(query.limit, maxItems));
      return { runs: runs.map(recentRunView) };
    },
  }),
  verb({
    ...cached,
    name: 'dashboard top-workflow list',
    at: 'GET /dashboard/top-workflows',
    title: 'List the most expensive workflows',
    query: TopWorkflowsQuery,
    answer: TopWorkflowsSchema,
    run: async (ctx, { query: { days, limit } }) => {
      const workflows = await getTopWorkflows(ctx, { days, limit: Math.min(limit, maxItems) });
      return { workflows: workflows.map(topWorkflowView) };
    },
  }),
  verb({
    ...cached,
    name: 'dashboard workflow list',
    at: 'GET /dashboard/workflows',
    title: 'List the workflows',
    description: 'Workflows with runs or jobs in the window. Ties are ordered by repository, then name.',
    query: WorkflowsQuery,
    answer: WorkflowsSchema,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { workflows, total } = await getWorkflows(ctx, query.days, {
        ...conditionsAsked(query),
        sortBy: query.sort_by,
        sortOrder: query.sort_order,
        ...rowsOf(page),
      });
      return {
        workflows: workflows.map((workflow) => ({
          ...topWorkflowView(workflow),
          success_rate: successRate(workflow),
          last_run_at: workflow.lastRunAt,
        })),
        pagination: paginationView(page, total),
      };
    },
  }),
  verb({
    ...cached,
    name: 'dashboard workflow-summary get',
    at: 'GET /dashboard/workflows/summary',
    title: 'Summary of all workflows',
    description: 'Takes the filters of the workflow list and sums up the matching workflows.',
    query: WorkflowsSummaryQuery,
    answer: WorkflowsSummarySchema,
    run: async (ctx, { query }) => {
      const overview = await getWorkflowsOverview(ctx, query.days, conditionsAsked(query));
      return {
        total_workflows: overview.workflows,
        total_runs: Number(overview.runs),
        total_cost: usd(overview.costNanos),
        net_total_cost: usd(overview.netCostNanos),
        avg_success_rate: successRate(overview),
        most_expensive_workflow: overview.mostExpensiveWorkflow,
        most_active_repo: overview.mostActiveRepo,
      };
    },
  }),
  ...detailVerbs,
  ...outlookVerbs,
];

function recentRunView(run: Awaited<ReturnType<typeof getRecentRuns>>[number]) {
  return { ...apiFields(run), repo_name: run.repository };
}

function conditionsAsked({ repo, search, status }: Static<typeof WorkflowsSummaryQuery>) {
  return { repo: repo || undefined, search: search || undefined, status };
}

function topWorkflowView(workflow: WorkflowTotals) {
  return {
    ...apiFields(workflow),
    repo_name: workflow.repository,
    total_cost: usd(workflow.costNanos),
    net_total_cost: usd(workflow.netCostNanos),
    total_runs: Number(workflow.runs),
    avg_duration_seconds: wholeAverage(workflow.durationSeconds, workflow.completedRuns),
  };
}
