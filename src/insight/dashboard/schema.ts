import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  defaulted,
  NullableString,
  NullableTimestamp,
  OrgIdQuery,
  PageQuery,
  Pagination,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';

const Days = defaulted(
  Type.Integer({ minimum: 1, description: "today and the days before it; cut to the plan's history" }),
  30,
);
const limitOf = (value: number) =>
  defaulted(Type.Integer({ minimum: 1, description: 'more than 100 counts as 100' }), value);

export const SummaryQuery = OrgIdQuery;
export const DaysQuery = Type.Object({ ...OrgIdQuery.properties, days: Days });
export const TopWorkflowsQuery = Type.Object({ ...DaysQuery.properties, limit: limitOf(5) });
export const RecentRunsQuery = Type.Object({ ...OrgIdQuery.properties, limit: limitOf(10) });

const workflowConditions = {
  repo: Type.Optional(
    Type.String({ maxLength: 255, description: '`owner/name` or the bare name, in any case' }),
  ),
  status: Type.Optional(
    words(['success', 'failure', 'cancelled', 'skipped', 'queued', 'in_progress', 'completed'], {
      description: "status or conclusion of the workflow's latest run",
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'part of the name of the workflow or repository, in any case',
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
  sort_order: defaulted(words(['asc', 'desc']), 'desc' as const),
});

export const SummarySchema = Type.Object({
  total_cost: Usd,
  trend_percent: Type.Number({ description: 'against the 30 days before' }),
  total_runs: Type.Integer(),
  avg_cost_per_run: Usd,
  period_days: Type.Integer(),
});

export const TrendsSchema = Type.Object({
  data: Type.Array(Type.Object({ date: CalendarDay, cost: Usd, runs: Type.Integer() })),
  period: Type.Object({ start: CalendarDay, end: CalendarDay, days: Type.Integer() }),
});

const workflowNames = {
  workflow_id: Type.String(),
  workflow_name: Type.String(),
  repo_name: Type.String({ description: 'owner/name' }),
};

export const TopWorkflowsSchema = Type.Object({
  workflows: Type.Array(
    Type.Object({
      ...workflowNames,
      total_cost: Usd,
      total_runs: Type.Integer(),
      avg_duration_seconds: Type.Integer(),
    }),
  ),
});

export const RecentRunsSchema = Type.Object({
  runs: Type.Array(
    Type.Object({
      id: Type.String(),
      ...workflowNames,
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
  avg_success_rate: Type.Number({ minimum: 0, maximum: 1 }),
  most_expensive_workflow: NullableString,
  most_active_repo: NullableString,
});

const Period = Type.Object({ start: CalendarDay, end: CalendarDay, days: Type.Integer() });

export const DayParams = Type.Object({ day: CalendarDay });

export const DaySchema = dataOf(
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

export const WindowQuery = Type.Object({ days: Days });

export const WorkflowSchema = dataOf(
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

const NullableUsd = Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'] });

export const ProjectionSchema = dataOf(
  Type.Object({
    month: Type.String({ description: 'YYYY-MM, UTC' }),
    spent: Usd,
    projected: usdOf('the forecast: the middle of the likely range'),
    rounded: usdOf('`projected` without the digits that the likely range leaves open, as for a headline'),
    usual_pace: usdOf('the forecast before what earlier ones missed is added'),
    low: NullableUsd,
    high: NullableUsd,
    confidence: words(['none', 'low', 'good'], {
      description:
        '`none`: no whole day to judge by, and no range. `low`: fewer than 42 earlier forecasts to judge how far off ' +
        'this one may be; with fewer than 14, no range. `good`: 42 or more',
    }),
    previous_month: Usd,
    days_elapsed: Type.Integer({ description: 'today counts' }),
    days_in_month: Type.Integer(),
    daily: Type.Array(
      Type.Object({
        date: CalendarDay,
        cost: NullableUsd,
        projected: NullableUsd,
        low: NullableUsd,
        high: NullableUsd,
      }),
      {
        description:
          'Every day of the month. `cost` up to today, the others from today on. Errors of days even out over a ' +
          'month: the ranges of the days add up to more than the range of the month.',
      },
    ),
  }),
);

const BookName = Type.Object({ id: Type.String(), name: Type.String() });

const EndedPriceList = Type.Object({
  book: BookName,
  last_day: Type.String({ format: 'date', description: 'until when the list held, UTC' }),
  next_book: Type.Object(BookName.properties, { description: 'the one to use since' }),
  period: Type.Object(Period.properties, {
    description: "the days since the list ended, cut to the plan's history",
  }),
  cost_now: usdOf('of the jobs of these days, as recorded'),
  cost_then: usdOf('of the same jobs with the next book'),
  difference: usdOf('`cost_then` less `cost_now`, exact while no rule has changed since they were recorded'),
});

export const OutlookSchema = dataOf(
  Type.Object({
    ended_price_list: Type.Unsafe<Type.Static<typeof EndedPriceList> | null>({
      ...EndedPriceList,
      type: ['object', 'null'],
      description: 'null while the chosen price list holds',
    }),
  }),
);

export const UnknownsSchema = dataOf(
  Type.Object({
    unpriced: Type.Object({
      jobs: Type.Integer(),
      minutes: Type.Integer(),
      runners: Type.Array(
        Type.Object({
          labels: Type.Array(Type.String()),
          runner_group: NullableString,
          jobs: Type.Integer(),
          minutes: Type.Integer(),
          last_seen: CalendarDay,
        }),
        { description: 'the ten with the most minutes' },
      ),
    }),
    incomplete_runs: Type.Integer({ description: 'created before yesterday and not reported as completed' }),
    flagged_jobs: Type.Object(
      {
        guessed_runner: Type.Integer(),
        missing_labels: Type.Integer(),
        negative_duration: Type.Integer(),
        over_time_limit: Type.Integer(),
      },
      { description: 'jobs whose cost deserves a second look, by flag' },
    ),
    runs_examined: Type.Integer({
      description: 'runs whose jobs were looked at for flags: the newest of the window, 500 at most',
    }),
    quiet_days: Type.Array(CalendarDay, {
      description: 'whole days without any run, of weekdays that usually have some; oldest first',
    }),
    last_event_at: NullableTimestamp,
    period: Period,
  }),
);
