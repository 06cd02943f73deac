import { Type } from 'typebox';
import { comparisons, granularities } from '../../ledger/costs/costQuestion.ts';
import { workflowMetrics, workflowSorts } from '../../ledger/costs/workflowCosts.ts';
import {
  CalendarDay,
  defaulted,
  nullable,
  nullableText,
  NullableTimestamp,
  PageQuery,
  Pagination,
  Period,
  comparedText,
  PreviousPeriod,
  sampleText,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { filters, Ownership, WeekStart, windowQuery } from './schema.ts';

export const WorkflowCostsQuery = Type.Object({
  ...windowQuery,
  ...PageQuery.properties,
  metric: defaulted(
    words(workflowMetrics, {
      description:
        'of all amounts: list cost, or list cost without free runners, included minutes and discounts',
    }),
    'cost' as const,
  ),
  granularity: defaulted(words(granularities, { description: 'of `series`' }), 'total' as const),
  week_start: WeekStart,
  compare: defaulted(
    words(comparisons, {
      description: comparedText,
    }),
    'none' as const,
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "part of the workflow's or repository's name, in any case",
      examples: ['build'],
    }),
  ),
  status: Type.Optional(
    words(['success', 'failure', 'cancelled', 'skipped', 'queued', 'in_progress', 'completed'], {
      description: "status or conclusion of the workflow's latest run in the period",
    }),
  ),
  waste: defaulted(
    Type.Boolean({ description: 'whether to find `waste_cost` too, which takes longer' }),
    false,
  ),
  sort: defaulted(
    words(workflowSorts, {
      description:
        '`-` sorts downwards; unknown values are last. `change` needs a comparison, and `waste` needs `waste=true`',
    }),
    '-cost' as const,
  ),
  ownership: Ownership,
  ...filters,
});

const nullableUsd = (description: string) =>
  Type.Unsafe<DecimalNumber | null>({
    type: ['number', 'null'],
    format: 'decimal',
    description,
    examples: [3.2],
  });

const seconds = (description: string) => nullable(Type.Number({ description, examples: [272.5] }));

const figures = {
  cost: Usd,
  previous_cost: nullableUsd('null without a comparison'),
  change_percent: nullable(
    Type.Number({ description: 'one decimal; null without a comparison, or if the previous cost is 0' }),
  ),
  series: Type.Array(Type.Object({ start: CalendarDay, cost: Usd }), {
    description: 'the cost of each day, week or month; empty with the granularity `total`',
  }),
  runs: nullable(
    Type.Integer({
      description: 'created in the period; null if a filter matches only some jobs of the runs',
    }),
  ),
  success_rate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'of completed runs that were not skipped; null without any',
    }),
  ),
  duration_p50_seconds: seconds('the median duration of a run; null without one that ended'),
  duration_p95_seconds: seconds('95% of the runs took this long or less'),
  last_run_at: NullableTimestamp,
  last_run_conclusion: nullableText(
    'failure',
    'of the latest run in the period; null until that run completes',
  ),
  waste_cost: nullableUsd(
    'what the jobs of the workflow wasted, at list prices. Null unless asked for, where the filters take only some ' +
      'of its jobs, and in a period that is too long: more than 90 days, or very many jobs',
  ),
};

export const WorkflowCostsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      workflow_id: sampleText('wf_e18db5f418965475a75a'),
      workflow_name: sampleText('Build'),
      repo_name: sampleText('acme/api', 'owner/name'),
      share_percent: Type.Number({ description: 'of the total cost, one decimal' }),
      ...figures,
    }),
  ),
  total: Type.Object({ workflows: Type.Integer(), ...figures }, { description: 'of all pages' }),
  period: Period,
  previous_period: Type.Union([PreviousPeriod, Type.Null()]),
  pagination: Pagination,
});
