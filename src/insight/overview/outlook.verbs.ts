import { Type } from 'typebox';
import { getDataQuality, type DataQuality } from '../../ledger/costs/dataQuality.ts';
import { getProjection, type MonthProjection } from '../../ledger/costs/summary.ts';
import { findEndedList } from '../../ledger/repricing/endedList.ts';
import { endedListView } from '../../ledger/repricing/views.ts';
import {
  CalendarDay,
  nullableText,
  NullableTimestamp,
  Period,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { type DecimalNumber, usdOrNull } from '../../platform/lib/money.ts';
import { read, verb } from './details.verbs.ts';
import { WindowQuery } from './schema.ts';

const NullableUsd = Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'] });

const ProjectionSchema = Type.Object({
  month: sampleText('2026-03', 'YYYY-MM, UTC'),
  spent: Usd,
  projected: usdOf('the forecast: the middle of the likely range'),
  rounded: usdOf('`projected`, rounded to what the likely range supports, for headlines'),
  usual_pace: usdOf('the forecast without the correction for earlier forecast errors'),
  low: NullableUsd,
  high: NullableUsd,
  confidence: words(['none', 'low', 'good'], {
    description:
      '`none`: no complete day yet, and no range. `low`: fewer than 42 earlier forecasts to compare ' +
      'with; with fewer than 14, no range. `good`: 42 or more',
  }),
  previous_month: Usd,
  is_previous_month_whole: Type.Boolean({
    description: 'whether it was recorded from its first three days on; otherwise it is no comparison',
  }),
  days_elapsed: Type.Integer({ description: 'today counts' }),
  days_in_month: Type.Integer(),
  left_out_days: Type.Array(CalendarDay, {
    description: 'days marked unusual, which it leaves out: they count in `spent` only',
  }),
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
        'Every day of the month. `cost` up to today, the others from today on. Daily errors even out ' +
        "over a month, so the daily ranges add up to more than the month's range.",
    },
  ),
});

const BookName = Type.Object({
  id: sampleText('github_2025'),
  name: sampleText("GitHub's price list until 2025-12-31"),
});

const EndedPriceList = Type.Object({
  book: BookName,
  last_day: Type.String({
    format: 'date',
    description: 'last day of the list, UTC',
    examples: ['2025-12-31'],
  }),
  next_book: Type.Object(BookName.properties, { description: 'the list that follows' }),
  period: Type.Object(Period.properties, {
    description: "the days since the list ended, cut to the plan's history",
  }),
  cost_now: usdOf('recorded cost of the jobs of these days'),
  cost_then: usdOf('cost of the same jobs with the next list'),
  difference: usdOf('`cost_then` minus `cost_now`; exact unless rules changed since the jobs were recorded'),
});

const OutlookSchema = Type.Object({
  ended_price_list: Type.Unsafe<Type.Static<typeof EndedPriceList> | null>({
    ...EndedPriceList,
    type: ['object', 'null'],
    description: 'null while the chosen price list is valid',
  }),
});

const UnknownsSchema = Type.Object({
  unpriced: Type.Object({
    jobs: Type.Integer(),
    minutes: Type.Integer(),
    runners: Type.Array(
      Type.Object({
        labels: Type.Array(sampleText('gpu-large')),
        runner_group: nullableText('GPU runners'),
        has_new_label: Type.Boolean({ description: 'newer than this version of Runcost' }),
        jobs: Type.Integer(),
        minutes: Type.Integer(),
        last_seen: CalendarDay,
      }),
      { description: 'the ten with the most minutes' },
    ),
  }),
  incomplete_runs: Type.Integer({
    description: 'created before yesterday and not yet reported as completed',
  }),
  flagged_jobs: Type.Object(
    {
      guessed_runner: Type.Integer(),
      missing_labels: Type.Integer(),
      negative_duration: Type.Integer(),
      over_time_limit: Type.Integer(),
    },
    {
      description:
        'jobs that completed in the period and whose cost needs a second look, by flag; `over_time_limit` counts ' +
        'all of them, the others only the last 5,000 jobs',
    },
  ),
  runs_examined: Type.Integer({
    description: 'runs of the jobs that were checked for flags: the last 5,000 that completed in the period',
  }),
  quiet_days: Type.Array(CalendarDay, {
    description: 'complete days without a run, on weekdays that usually have some; oldest first',
  }),
  last_event_at: NullableTimestamp,
  period: Period,
});

export const outlookVerbs = [
  verb({
    ...read,
    name: 'dashboard outlook get',
    at: 'GET /dashboard/outlook',
    title: 'Get open decisions',
    assistant: true,
    description:
      'A chosen price list that has ended, and the cost difference with the list that follows. `POST ' +
      '/pricing/switch` switches and reprices.',
    answer: OutlookSchema,
    isShared: true,
    run: async (ctx) => {
      const ended = await findEndedList(ctx);
      return { ended_price_list: ended && endedListView(ended) };
    },
  }),
  verb({
    ...read,
    name: 'dashboard projection get',
    at: 'GET /dashboard/projection',
    title: 'Forecast the month',
    assistant: true,
    description:
      'The expected cost of the current UTC month: the cost so far, the median of the same weekday over ' +
      'the last 8 weeks for each remaining day, and a correction for recent forecast errors, or for those ' +
      'made as many days before the end of earlier months. Days marked unusual are left out. `projected` is the middle of the likely range `low` to `high`, which contains about three ' +
      'of four months if costs behave as before.',
    answer: ProjectionSchema,
    isShared: true,
    run: async (ctx) => projectionView(await getProjection(ctx)),
  }),
  verb({
    ...read,
    name: 'dashboard data-quality get',
    at: 'GET /dashboard/unknowns',
    title: 'Get the data quality',
    assistant: true,
    description:
      'Unpriced minutes, runs that never ended, costs that need a second look, and days without ' +
      'reports.',
    query: WindowQuery,
    answer: UnknownsSchema,
    isShared: true,
    run: async (ctx, { query: { days } }) => unknownsView(await getDataQuality(ctx, days)),
  }),
];

function projectionView({ band, daily, ...projection }: MonthProjection) {
  return {
    ...apiFields(projection),
    low: usdOrNull(band?.lowNanos),
    high: usdOrNull(band?.highNanos),
    days_in_month: daily.length,
    daily: daily.map(({ day, band: ofDay, ...costs }) => ({
      ...apiFields(costs),
      date: day,
      low: usdOrNull(ofDay?.lowNanos),
      high: usdOrNull(ofDay?.highNanos),
    })),
  };
}

function unknownsView({ unpriced, flaggedJobs, overTimeLimit, ...unknowns }: DataQuality) {
  const flagged = (flag: string) => flaggedJobs.counts.get(flag) ?? 0;
  return {
    ...apiFields(unknowns),
    unpriced: { ...unpriced, runners: unpriced.runners.map(apiFields) },
    flagged_jobs: {
      guessed_runner: flagged('guessed_runner'),
      missing_labels: flagged('missing_labels'),
      negative_duration: flagged('negative_duration'),
      over_time_limit: overTimeLimit,
    },
    runs_examined: flaggedJobs.runsExamined,
  };
}
