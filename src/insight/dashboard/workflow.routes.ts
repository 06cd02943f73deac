import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { getWorkflow, type DetailedWorkflow } from '../../ledger/costs/getWorkflow.ts';
import { successRate, wholeAverage } from '../../ledger/costs/percent.ts';
import { IdParams, responses } from '../../platform/http/schemas.ts';
import { usd } from '../../platform/lib/money.ts';
import { config, tags, type Ask } from './ask.routes.ts';
import { WindowQuery, WorkflowSchema } from './schema.ts';

export function workflowDetailRoutes(ask: Ask): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/workflows/:id',
      {
        config,
        schema: {
          tags,
          summary: 'Get a workflow',
          description: 'The sums that the list of workflows has, day by day and by kind of runner.',
          params: IdParams,
          querystring: WindowQuery,
          response: responses(200, WorkflowSchema, [404]),
        },
      },
      (request) =>
        ask(request, async (ctx) => ({
          data: workflowView(await getWorkflow(ctx, request.params.id, request.query.days)),
        })),
    );
    done();
  };
}

function workflowView({ totals, ...workflow }: DetailedWorkflow) {
  return {
    id: workflow.id,
    workflow_name: workflow.name,
    repo_name: workflow.repository,
    total_cost: usd(totals.costNanos),
    total_runs: Number(totals.runs),
    success_rate: successRate(totals),
    avg_duration_seconds: wholeAverage(totals.durationSeconds, totals.completedRuns),
    last_run_at: workflow.lastRunAt,
    trend_percent: workflow.trendPercent,
    previous_cost: usd(workflow.previousCostNanos),
    daily: workflow.daily.map((day) => ({
      date: day.day,
      cost: usd(day.costNanos),
      runs: Number(day.runs),
      success_rate: successRate(day),
      avg_duration_seconds: wholeAverage(day.durationSeconds, day.completedRuns),
      billed_minutes: Number(day.billedMinutes),
    })),
    runner_kinds: workflow.runnerKinds.map(({ kind, jobs, minutes, costNanos }) => ({
      kind,
      jobs: Number(jobs),
      minutes: Number(minutes),
      cost: usd(costNanos),
    })),
    period: workflow.period,
  };
}
