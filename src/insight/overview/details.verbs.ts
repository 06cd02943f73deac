import { Type } from 'typebox';
import { type DetailedWorkflow, getWorkflow } from '../../ledger/costs/details.ts';
import { successRate, wholeAverage } from '../../ledger/costs/ratios.ts';
import { type PlanCostContext } from '../../ledger/costs/summary.ts';
import { type DayOfCosts, getDay } from '../../ledger/costs/workflowSums.ts';
import { getWorkflowFile } from '../../ledger/runs/reading.ts';
import {
  CalendarDay,
  idParams,
  nullableText,
  NullableTimestamp,
  Period,
  sampleText,
  Usd,
  usdOf,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { usd } from '../../platform/lib/money.ts';
import { NetTotal, WindowQuery, workflowNames } from './schema.ts';

const DaySchema = Type.Object({
  day: CalendarDay,
  total_cost: Usd,
  jobs: Type.Integer({ description: 'paid jobs that completed on this day' }),
  billed_minutes: Type.Integer(),
  runs: Type.Integer({ description: 'runs that were created on this day' }),
  workflows: Type.Array(
    Type.Object({ ...workflowNames, cost: Usd, jobs: Type.Integer(), billed_minutes: Type.Integer() }),
    { description: 'most expensive first; without workflows that have no paid job' },
  ),
});

const WorkflowSchema = Type.Object({
  id: sampleText('run_github_7000000001'),
  workflow_name: Type.String({ examples: ['Build'] }),
  repo_name: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
  workflow_path: nullableText(
    '.github/workflows/build.yml',
    'of its file; null if its provider does not say it',
  ),
  total_cost: Usd,
  net_total_cost: NetTotal,
  total_runs: Type.Integer(),
  success_rate: Type.Number({ minimum: 0, maximum: 1 }),
  avg_duration_seconds: Type.Integer(),
  last_run_at: NullableTimestamp,
  trend_percent: Type.Number({ description: 'change in cost vs the previous period of equal length' }),
  previous_cost: usdOf('US dollars, previous period of equal length'),
  daily: Type.Array(
    Type.Object({
      date: CalendarDay,
      cost: Usd,
      runs: Type.Integer(),
      success_rate: Type.Number({ minimum: 0, maximum: 1 }),
      avg_duration_seconds: Type.Integer(),
      billed_minutes: Type.Integer(),
    }),
    { description: 'one item per day, oldest first, including empty days' },
  ),
  runner_kinds: Type.Array(
    Type.Object({
      kind: sampleText('linux_2_core', '`unpriced` for runners without a price'),
      jobs: Type.Integer(),
      minutes: Type.Integer(),
      cost: Usd,
    }),
    { description: 'most expensive first' },
  ),
  period: Period,
});

export const read = { tag: 'Dashboard', access: { scope: 'costs:read', role: 'viewer' } } as const;

export const verb = verbsWith<VerbContext & Pick<PlanCostContext, 'log'>>();

export const detailVerbs = [
  verb({
    ...read,
    name: 'dashboard day get',
    at: 'GET /dashboard/days/:day',
    title: 'Get a day',
    description:
      'The cost of a day by workflow, most expensive first. Costs count on the day a job completed: ' +
      '`GET /api/v1/runs` with `completed_on` and `workflow_id` lists the runs of an item.',
    params: Type.Object({ day: CalendarDay }),
    answer: DaySchema,
    faults: [404],
    isShared: true,
    run: async (ctx, { params: { day } }) => dayView(await getDay(ctx, day)),
  }),
  verb({
    ...read,
    name: 'workflow get',
    at: 'GET /workflows/:id',
    title: 'Get a workflow',
    page: '/workflows/:id',
    assistant: true,
    description: 'The sums of the workflow list, by day and by runner kind.',
    params: idParams('wf_e18db5f418965475a75a'),
    query: WindowQuery,
    answer: WorkflowSchema,
    faults: [404],
    isShared: true,
    run: async (ctx, { params: { id }, query: { days } }) => {
      const [workflow, file] = await Promise.all([getWorkflow(ctx, id, days), getWorkflowFile(ctx, id)]);
      return { ...workflowView(workflow), workflow_path: file?.workflowPath ?? null };
    },
  }),
];

function dayView({ workflows, ...totals }: DayOfCosts) {
  return {
    ...apiFields(totals),
    total_cost: usd(totals.costNanos),
    workflows: workflows.map((workflow) => ({ ...apiFields(workflow), repo_name: workflow.repository })),
  };
}

function workflowView({ totals, daily, runnerKinds, ...workflow }: DetailedWorkflow) {
  return {
    ...apiFields(workflow),
    workflow_name: workflow.name,
    repo_name: workflow.repository,
    total_cost: usd(totals.costNanos),
    net_total_cost: usd(totals.netCostNanos),
    total_runs: Number(totals.runs),
    success_rate: successRate(totals),
    avg_duration_seconds: wholeAverage(totals.durationSeconds, totals.completedRuns),
    daily: daily.map((day) => ({
      ...apiFields(day),
      date: day.day,
      success_rate: successRate(day),
      avg_duration_seconds: wholeAverage(day.durationSeconds, day.completedRuns),
    })),
    runner_kinds: runnerKinds.map((kind) => ({ ...apiFields(kind), minutes: Number(kind.billedMinutes) })),
  };
}
