import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { getDay, type DayOfCosts } from '../../ledger/costs/getDay.ts';
import { responses } from '../../platform/http/schemas.ts';
import { usd } from '../../platform/lib/money.ts';
import { config, tags, type Ask } from './ask.routes.ts';
import { DayParams, DaySchema } from './schema.ts';

export function dayRoutes(ask: Ask): FastifyPluginCallbackTypebox {
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
