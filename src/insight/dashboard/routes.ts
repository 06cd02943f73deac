import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { Program } from '../../context.ts';
import {
  getRecentRuns,
  getSummary,
  getTopWorkflows,
  getTrends,
  getWorkflows,
  getWorkflowsOverview,
  successRate,
  wholeAverage,
} from '../../ledger/costs/overview.ts';
import type { SendCached } from '../../platform/http/cachedAnswers.ts';
import { responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { rowsOf } from '../../platform/lib/lists.ts';
import { usd } from '../../platform/lib/money.ts';
import { answerCachedWith, answerSharedWith, cachedConfig, tags, type AnswerCached } from './answers.http.ts';
import { detailRoutes } from './details.routes.ts';
import { outlookRoutes } from './outlook.routes.ts';
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

export function dashboardRoutes(program: Program, sendCached: SendCached): FastifyPluginCallbackTypebox {
  const answerShared = answerSharedWith(program);
  const answerCached = answerCachedWith(program, sendCached);

  return (server, _options, done) => {
    server.get(
      '/dashboard/summary',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'Get the cost summary',
          description: 'The last 30 days vs the previous 30 days.',
          querystring: SummaryQuery,
          response: responses(200, SummarySchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const summary = await getSummary(ctx);
          return {
            total_cost: usd(summary.totalCostNanos),
            net_total_cost: usd(summary.netTotalCostNanos),
            trend_percent: summary.trendPercent,
            total_runs: summary.totalRuns,
            avg_cost_per_run: usd(summary.averageCostPerRunNanos),
            period_days: summary.periodDays,
          };
        }),
    );

    server.get(
      '/dashboard/trends',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'Get daily costs and runs',
          description: 'One item per day, oldest first, including empty days.',
          querystring: DaysQuery,
          response: responses(200, TrendsSchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const { data, period } = await getTrends(ctx, request.query.days);
          return {
            data: data.map(({ day, costNanos, netCostNanos, runs }) => ({
              date: day,
              cost: usd(costNanos),
              net_cost: usd(netCostNanos),
              runs,
            })),
            period,
          };
        }),
    );

    server.register(recentRunsRoutes(answerCached));
    server.register(workflowRoutes(answerCached));
    server.register(detailRoutes(answerShared));
    server.register(outlookRoutes(answerShared));
    done();
  };
}

function recentRunsRoutes(answerCached: AnswerCached): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/dashboard/recent-runs',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'List the latest runs',
          description: 'Newest first, by creation time.',
          querystring: RecentRunsQuery,
          response: responses(200, RecentRunsSchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const runs = await getRecentRuns(ctx, Math.min(request.query.limit, maxItems));
          return {
            runs: runs.map((run) => ({
              id: run.id,
              workflow_id: run.workflowId,
              workflow_name: run.workflowName,
              repo_name: run.repository,
              branch: run.branch,
              run_number: run.runNumber,
              status: run.status,
              conclusion: run.conclusion,
              cost: usd(run.costNanos),
              duration_seconds: run.durationSeconds,
              created_at: run.createdAt,
              started_at: run.startedAt,
              completed_at: run.completedAt,
            })),
          };
        }),
    );
    done();
  };
}

function workflowRoutes(answerCached: AnswerCached): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/dashboard/top-workflows',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'List the most expensive workflows',
          querystring: TopWorkflowsQuery,
          response: responses(200, TopWorkflowsSchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const { days, limit } = request.query;
          const workflows = await getTopWorkflows(ctx, {
            days,
            limit: Math.min(limit, maxItems),
          });
          return { workflows: workflows.map(topWorkflowView) };
        }),
    );

    server.get(
      '/dashboard/workflows',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'List the workflows',
          description:
            'Workflows with runs or jobs in the window. Ties are ordered by repository, then name.',
          querystring: WorkflowsQuery,
          response: responses(200, WorkflowsSchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const { days, sort_by, sort_order } = request.query;
          const page = readPagination(request.query);
          const { workflows, total } = await getWorkflows(ctx, days, {
            ...conditionsAsked(request.query),
            sortBy: sort_by,
            sortOrder: sort_order,
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
        }),
    );
    server.register(workflowsSummaryRoutes(answerCached));
    done();
  };
}

function workflowsSummaryRoutes(answerCached: AnswerCached): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/dashboard/workflows/summary',
      {
        ...cachedConfig,
        schema: {
          tags,
          summary: 'Summary of all workflows',
          description: 'Takes the filters of the workflow list and sums up the matching workflows.',
          querystring: WorkflowsSummaryQuery,
          response: responses(200, WorkflowsSummarySchema),
        },
      },
      (request, reply) =>
        answerCached({ request, reply }, async (ctx) => {
          const overview = await getWorkflowsOverview(
            ctx,
            request.query.days,
            conditionsAsked(request.query),
          );
          return {
            total_workflows: Number(overview.workflows),
            total_runs: Number(overview.runs),
            total_cost: usd(overview.costNanos),
            net_total_cost: usd(overview.netCostNanos),
            avg_success_rate: successRate(overview),
            most_expensive_workflow: overview.mostExpensiveWorkflow,
            most_active_repo: overview.mostActiveRepo,
          };
        }),
    );
    done();
  };
}

function conditionsAsked({ repo, search, status }: Static<typeof WorkflowsSummaryQuery>) {
  return { repo: repo || undefined, search: search || undefined, status };
}

type TopWorkflow = Awaited<ReturnType<typeof getTopWorkflows>>[number];

function topWorkflowView(workflow: TopWorkflow) {
  return {
    workflow_id: workflow.workflowId,
    workflow_name: workflow.workflowName,
    repo_name: workflow.repository,
    total_cost: usd(workflow.costNanos),
    net_total_cost: usd(workflow.netCostNanos),
    total_runs: Number(workflow.runs),
    avg_duration_seconds: wholeAverage(workflow.durationSeconds, workflow.completedRuns),
  };
}
