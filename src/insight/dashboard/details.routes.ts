import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type DayOfCosts, type DetailedWorkflow, getDay, getWorkflow } from '../../ledger/costs/details.ts';
import { successRate, wholeAverage } from '../../ledger/costs/overview.ts';
import {
  CalendarDay,
  dataOf,
  IdParams,
  NullableTimestamp,
  responses,
  Usd,
  usdOf,
} from '../../platform/http/schemas.ts';
import { usd } from '../../platform/lib/money.ts';
import { type Ask, config, tags } from './ask.routes.ts';
import { Period, WindowQuery, workflowNames } from './schema.ts';

const DayParams = Type.Object({ day: CalendarDay });

const DaySchema = dataOf(
  Type.Object({
    day: CalendarDay,
    total_cost: Usd,
    jobs: Type.Integer({ description: 'completed on that day and paid' }),
    billed_minutes: Type.Integer(),
    runs: Type.Integer({ description: 'created on that day' }),
    workflows: Type.Array(
      Type.Object({ ...workflowNames, cost: Usd, jobs: Type.Integer(), billed_minutes: Type.Integer() }),
      { description: 'the dearest first; those without a paid job are left out' },
    ),
  }),
);

const WorkflowSchema = dataOf(
  Type.Object({
    id: Type.String(),
    workflow_name: Type.String(),
    repo_name: Type.String({ description: 'owner/name' }),
    total_cost: Usd,
    total_runs: Type.Integer(),
    success_rate: Type.Number({ minimum: 0, maximum: 1 }),
    avg_duration_seconds: Type.Integer(),
    last_run_at: NullableTimestamp,
    trend_percent: Type.Number({ description: 'of the cost, against as many days before' }),
    previous_cost: usdOf('US dollars, of as many days before'),
    daily: Type.Array(
      Type.Object({
        date: CalendarDay,
        cost: Usd,
        runs: Type.Integer(),
        success_rate: Type.Number({ minimum: 0, maximum: 1 }),
        avg_duration_seconds: Type.Integer(),
        billed_minutes: Type.Integer(),
      }),
      { description: 'one item a day, oldest first, days with nothing included' },
    ),
    runner_kinds: Type.Array(
      Type.Object({
        kind: Type.String({ description: '`unpriced` for runners that no price is known for' }),
        jobs: Type.Integer(),
        minutes: Type.Integer(),
        cost: Usd,
      }),
      { description: 'the dearest first' },
    ),
    period: Period,
  }),
);

/** What a day and a workflow cost, in detail. */
export function detailRoutes(ask: Ask): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/dashboard/days/:day',
      {
        config,
        schema: {
          tags,
          summary: 'What a day cost',
          description:
            'By workflow, the dearest first. Costs stand on the day on which a job completed: `GET /api/v1/runs` with ' +
            '`completed_on` and `workflow_id` lists the runs behind an item.',
          params: DayParams,
          response: responses(200, DaySchema, [404]),
        },
      },
      (request) => ask(request, async (ctx) => ({ data: dayView(await getDay(ctx, request.params.day)) })),
    );

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

function dayView({ day, workflows, ...totals }: DayOfCosts) {
  return {
    day,
    total_cost: usd(totals.costNanos),
    jobs: Number(totals.jobs),
    billed_minutes: Number(totals.billedMinutes),
    runs: Number(totals.runs),
    workflows: workflows.map((workflow) => ({
      workflow_id: workflow.workflowId,
      workflow_name: workflow.workflowName,
      repo_name: workflow.repository,
      cost: usd(workflow.costNanos),
      jobs: Number(workflow.jobs),
      billed_minutes: Number(workflow.billedMinutes),
    })),
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
