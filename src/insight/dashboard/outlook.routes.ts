import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { getProjection, type MonthProjection } from '../../ledger/costs/overview.ts';
import { getUnknowns, type Unknowns } from '../../ledger/costs/unknowns.ts';
import { findEndedList } from '../../ledger/repricing/endedList.ts';
import { endedListView } from '../../ledger/repricing/views.ts';
import { unpricedView } from '../../ledger/runs/views.ts';
import { responses } from '../../platform/http/schemas.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import { config, tags, type Ask } from './ask.routes.ts';
import { OutlookSchema, ProjectionSchema, UnknownsSchema, WindowQuery } from './schema.ts';

/** What the month will cost, what the sums do not know, and what makes them wrong as long as nobody acts. */
export function outlookRoutes(ask: Ask): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/dashboard/outlook',
      {
        config,
        schema: {
          tags,
          summary: 'What needs a decision',
          description:
            'A chosen price list that has ended, with the difference that the list which follows makes. ' +
            '`POST /pricing/switch` chooses that one and reprices.',
          response: responses(200, OutlookSchema),
        },
      },
      (request) =>
        ask(request, async (ctx) => {
          const ended = await findEndedList(ctx);
          return { data: { ended_price_list: ended && endedListView(ended) } };
        }),
    );

    server.get(
      '/dashboard/projection',
      {
        config,
        schema: {
          tags,
          summary: 'Forecast the month',
          description:
            'What the current UTC month will cost: what is spent, for each day to come the median of the same weekday ' +
            'over the last 8 weeks, and what such forecasts lately missed. `projected` is the middle; about three of ' +
            'four months end between `low` and `high`, if costs come as they did.',
          response: responses(200, ProjectionSchema),
        },
      },
      (request) => ask(request, async (ctx) => ({ data: projectionView(await getProjection(ctx)) })),
    );

    server.get(
      '/dashboard/unknowns',
      {
        config,
        schema: {
          tags,
          summary: 'What the sums do not know',
          description:
            'Minutes without a price, runs that never ended, costs that deserve a second look, and days from which ' +
            'nothing was reported.',
          querystring: WindowQuery,
          response: responses(200, UnknownsSchema),
        },
      },
      (request) =>
        ask(request, async (ctx) => ({ data: unknownsView(await getUnknowns(ctx, request.query.days)) })),
    );
    done();
  };
}

function projectionView({ band, daily, ...projection }: MonthProjection) {
  return {
    month: projection.month,
    spent: usd(projection.spentNanos),
    projected: usd(projection.projectedNanos),
    rounded: usd(projection.roundedNanos),
    usual_pace: usd(projection.usualPaceNanos),
    low: usdOrNull(band?.lowNanos),
    high: usdOrNull(band?.highNanos),
    confidence: projection.confidence,
    previous_month: usd(projection.previousMonthNanos),
    days_elapsed: projection.daysElapsed,
    days_in_month: daily.length,
    daily: daily.map(({ day, costNanos, projectedNanos, band: ofDay }) => ({
      date: day,
      cost: usdOrNull(costNanos),
      projected: usdOrNull(projectedNanos),
      low: usdOrNull(ofDay?.lowNanos),
      high: usdOrNull(ofDay?.highNanos),
    })),
  };
}

function unknownsView({ unpriced, flaggedJobs, ...unknowns }: Unknowns) {
  const flagged = (flag: string) => flaggedJobs.counts.get(flag) ?? 0;
  return {
    unpriced: {
      jobs: unpriced.jobs,
      minutes: unpriced.minutes,
      runners: unpriced.runners.map(unpricedView),
    },
    incomplete_runs: unknowns.incompleteRuns,
    flagged_jobs: {
      guessed_runner: flagged('guessed_runner'),
      missing_labels: flagged('missing_labels'),
      negative_duration: flagged('negative_duration'),
      over_time_limit: flagged('over_time_limit'),
    },
    runs_examined: flaggedJobs.runsExamined,
    quiet_days: unknowns.quietDays,
    last_event_at: unknowns.lastEventAt,
    period: unknowns.period,
  };
}
