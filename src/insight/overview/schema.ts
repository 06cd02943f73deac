import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nullableText,
  NullableTimestamp,
  OrgIdQuery,
  PageQuery,
  Pagination,
  Period,
  RunNumber,
  sampleText,
  SortOrder,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';

const Days = defaulted(
  Type.Integer({ minimum: 1, description: "today and the days before it; cut to the plan's history" }),
  30,
);
const limitOf = (value: number) =>
  defaulted(Type.Integer({ minimum: 1, description: 'values above 100 count as 100' }), value);

export const SummaryQuery = OrgIdQuery;
export const DaysQuery = Type.Object({ ...OrgIdQuery.properties, days: Days });
export const TopWorkflowsQuery = Type.Object({ ...DaysQuery.properties, limit: limitOf(5) });
export const RecentRunsQuery = Type.Object({ ...OrgIdQuery.properties, limit: limitOf(10) });

const workflowConditions = {
  repo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: '`owner/name` or the bare name, in any case',
      examples: ['acme/api'],
    }),
  ),
  status: Type.Optional(
    words(['success', 'failure', 'cancelled', 'skipped', 'queued', 'in_progress', 'completed'], {
      description: "status or conclusion of the workflow's latest run",
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "part of the workflow's or repository's name, in any case",
      examples: ['build'],
    }),
  ),
};

export const WorkflowsSummaryQuery = Type.Object({ ...DaysQuery.properties, ...workflowConditions });

export const WorkflowsQuery = Type.Object({
  ...DaysQuery.properties,
  ...PageQuery.properties,
  ...workflowConditions,
  sort_by: defaulted(
    words(['cost', 'runs', 'duration', 'name', 'success_rate', 'last_run']),
    'cost' as const,
  ),
  sort_order: SortOrder,
});

export const NetTotal = usdOf('what is left after free runners, included minutes and discounts');

export const SummarySchema = Type.Object({
  total_cost: Usd,
  net_total_cost: NetTotal,
  trend_percent: Type.Number({ description: 'vs the previous 30 days' }),
  total_runs: Type.Integer(),
  avg_cost_per_run: Usd,
  period_days: Type.Integer(),
});

export const TrendsSchema = Type.Object({
  data: Type.Array(Type.Object({ date: CalendarDay, cost: Usd, net_cost: NetTotal, runs: Type.Integer() })),
  period: Period,
});

export const workflowNames = {
  workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
  workflow_name: Type.String({ examples: ['Build'] }),
  repo_name: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
};

export const TopWorkflowsSchema = Type.Object({
  workflows: Type.Array(
    Type.Object({
      ...workflowNames,
      total_cost: Usd,
      net_total_cost: NetTotal,
      total_runs: Type.Integer(),
      avg_duration_seconds: Type.Integer(),
    }),
  ),
});

export const RecentRunsSchema = Type.Object({
  runs: Type.Array(
    Type.Object({
      id: sampleText('run_github_7000000001'),
      ...workflowNames,
      branch: nullableText('main'),
      run_number: RunNumber,
      status: words(['queued', 'in_progress', 'completed']),
      conclusion: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        enum: ['success', 'failure', 'cancelled', 'skipped', null],
      }),
      cost: Usd,
      duration_seconds: Type.Integer(),
      created_at: Timestamp,
      started_at: NullableTimestamp,
      completed_at: NullableTimestamp,
    }),
  ),
});

export const WorkflowsSchema = Type.Object({
  workflows: Type.Array(
    Type.Object({
      ...workflowNames,
      total_cost: Usd,
      net_total_cost: NetTotal,
      total_runs: Type.Integer(),
      success_rate: Type.Number({ minimum: 0, maximum: 1 }),
      avg_duration_seconds: Type.Integer(),
      last_run_at: NullableTimestamp,
    }),
  ),
  pagination: Pagination,
});

export const WorkflowsSummarySchema = Type.Object({
  total_workflows: Type.Integer(),
  total_runs: Type.Integer(),
  total_cost: Usd,
  net_total_cost: NetTotal,
  avg_success_rate: Type.Number({ minimum: 0, maximum: 1 }),
  most_expensive_workflow: nullableText('Build'),
  most_active_repo: nullableText('acme/api'),
});

export const WindowQuery = Type.Object({ days: Days });
