import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Change } from '../../analysis/Change.tsx';
import type { Costs } from '../../analysis/queries.ts';
import { addDays } from '../../analysis/ranges.ts';
import { metrics, type Metric } from '../../analysis/words.ts';
import { trendOf } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/Sparkline.tsx';
import { Explained } from '../../ui/Explained.tsx';
import { Figure, Figures, FigureSkeleton } from '../../ui/Figure.tsx';
import { count, countOf, exactDollars, monthName, unitDollars, leftOutInWords } from '../../ui/figures.ts';
import { Failed } from '../../ui/Loaded.tsx';
import { isOutage } from '../../ui/outages.ts';
import { FigureLink, Money, MoneyLink } from '../../ui/text.tsx';
import { useCounts, useMinutes, type View } from './costView.ts';
import { headlineOf, partsOf } from './forecast.ts';
import { useForecast, type Forecast } from './queries.ts';

type Query = UseQueryResult<Costs>;

type SummaryProps = {
  view: View;
  costs: Query;
  /** What is shown instead of the cost per run, if anything. */
  last?: (perRun: ReactNode) => ReactNode;
};

export function Summary({ view, costs, last = (perRun) => perRun }: SummaryProps) {
  const { question, today, searchOf } = view;
  const counts = useCounts(question, today);
  // The forecast covers all CI at list prices, so it applies only to the whole cost.
  const isWhole = question.filters.length === 0 && question.metric === 'cost';
  const perRun = (
    <Loading query={counts.data ? costs : counts} label="Cost per run">
      {() => <PerRun counts={counts.data!} costs={costs.data!} />}
    </Loading>
  );
  const hrefBy = (metric: Metric) => `/explore${searchOf({ ...question, metric, groupBy: ['workflow'] })}`;
  return (
    <Figures>
      <Total
        query={costs}
        label={metrics[question.metric].title}
        link={(amount, metric) => <MoneyLink amount={amount} href={hrefBy(metric)} to="workflows by cost" />}
        each={(amount) => <Money amount={amount} />}
      />
      {isWhole ? <MonthEnd /> : <Minutes view={view} href={hrefBy('minutes')} />}
      <Total query={counts} label="Runs" link={linkBy(hrefBy)} each={countEach} />
      {last(perRun)}
    </Figures>
  );
}

function PerRun({ counts, costs }: { counts: Costs; costs: Costs }) {
  const { metric } = counts;
  const one = metric === 'jobs' ? 'job' : 'run';
  const [spent, ran] = [costs.total, counts.total];
  const value = ran.value > 0 ? spent.value / ran.value : 0;
  const previous =
    spent.previous_value !== null && ran.previous_value ? spent.previous_value / ran.previous_value : null;
  const trend = spent.series.map(({ start, value: cost }, index) => {
    const many = ran.series[index]?.value ?? 0;
    return { start, value: many > 0 ? cost / many : 0 };
  });
  return (
    <Figure
      label={`Cost per ${one}`}
      value={
        <Explained value={unitDollars(value)} label={`How the cost per ${one} is calculated`}>
          <Text inherit>
            <Money amount={spent.value} />, divided by {countOf(ran.value, one)}: {exactDollars(value)}.
          </Text>
          {one === 'run' && (
            <Text inherit>
              A run counts on the day it was created, also while it is in progress. A job counts on the day it
              completed.
            </Text>
          )}
        </Explained>
      }
      note={
        <Compared value={value} previous={previous} metric="cost" shown={unitDollars}>
          {countOf(ran.value, one)}
        </Compared>
      }
      trend={<Sparkline values={trendOf(trend, costs)} />}
    />
  );
}

const countEach = (value: number) => count(Math.round(value));

const linkBy = (hrefBy: (metric: Metric) => string) => (value: number, metric: Metric) => (
  <FigureLink
    value={count(value)}
    href={hrefBy(metric)}
    to={`workflows by ${metrics[metric].title.toLowerCase()}`}
  />
);

function Minutes({ view: { question, today }, href }: { view: View; href: string }) {
  const minutes = useMinutes(question, today);
  return <Total query={minutes} label="Billed minutes" link={linkBy(() => href)} each={countEach} />;
}

type TotalProps = {
  query: Query;
  label: string;
  link: (value: number, metric: Metric) => ReactNode;
  each: (value: number) => ReactNode;
};

/** A total that leads to what it consists of, compared with the period before. */
export function Total({ query, label, link, each }: TotalProps) {
  return (
    <Loading query={query} label={label}>
      {({ total, period, metric, granularity }) => (
        <Figure
          label={metrics[metric].title}
          value={link(total.value, metric)}
          note={
            <Compared value={total.value} previous={total.previous_value} metric={metric}>
              {/* For a single day, an average would repeat the total. */}
              {period.days === 1 ? 'on this day' : <>{each(total.value / period.days)} a day</>}
            </Compared>
          }
          trend={<Sparkline values={trendOf(total.series, { granularity, period })} />}
        />
      )}
    </Loading>
  );
}

function MonthEnd() {
  return (
    <Loading query={useForecast()} label="Forecast">
      {(month) => (
        <Figure
          label={
            <>
              Forecast
              {/* On phones, it would take a second line. */}
              <span className="mantine-visible-from-sm">
                {' '}
                for {monthName(month.month).replace(/ \d+$/, '')}
              </span>
            </>
          }
          value={
            <Explained value={headlineOf(month)} label="How the forecast is made">
              <ForecastExplained month={month} />
            </Explained>
          }
          note={
            month.confidence === 'none' ? (
              'After the first full day'
            ) : month.previous_month > 0 && !month.is_previous_month_whole ? (
              `${monthBefore(month.month)} is not comparable`
            ) : month.previous_month > 0 ? (
              <>
                <Change value={month.projected} previous={month.previous_month} metric="cost" /> vs{' '}
                <Money amount={month.previous_month} />
                <span className="mantine-visible-from-sm"> in {monthBefore(month.month)}</span>
              </>
            ) : (
              <>
                <Money amount={month.spent} /> so far
              </>
            )
          }
          trend={<MonthLine month={month} />}
        />
      )}
    </Loading>
  );
}

function monthBefore(month: string): string {
  return monthName(addDays(`${month}-01`, -1).slice(0, 7)).replace(/ \d+$/, '');
}

/** Cumulative cost by day, and its forecast. */
function MonthLine({ month: { daily, days_elapsed: elapsed, confidence } }: { month: Forecast }) {
  let sum = 0;
  const reached = daily.map(({ cost, projected }, index) => {
    const amount = index < elapsed - 1 ? cost : (projected ?? cost);
    return (sum += amount ?? 0);
  });
  return (
    <Sparkline
      values={reached.slice(0, elapsed)}
      expected={confidence === 'none' ? [] : reached.slice(elapsed)}
    />
  );
}

type ComparedProps = {
  value: number;
  previous: number | null;
  metric: Metric;
  shown?: (value: number) => string;
  children: ReactNode;
};

function Compared({ value, previous, metric, shown = metrics[metric].cell, children }: ComparedProps) {
  if (previous === null) return children;
  if (previous === 0) return 'Nothing before';
  // A change between two amounts that look equal would seem a mistake.
  if (value !== previous && shown(value) === shown(previous)) return 'About the same as before';
  return (
    <>
      <Change value={value} previous={previous} metric={metric} /> vs {shown(previous)}
    </>
  );
}

type LoadingProps<T> = { query: UseQueryResult<T>; label: string; children: (data: T) => ReactNode };

export function Loading<T>({ query, label, children }: LoadingProps<T>) {
  if (query.data !== undefined)
    return (
      <div className={query.isPlaceholderData ? 'is-stale figure-place' : 'figure-place'}>
        {children(query.data)}
      </div>
    );
  if (isOutage(query.error))
    return (
      <div className="figure-place">
        <Figure label={label} value="–" note="Failed to load" trend={<span className="sparkline" />} />
      </div>
    );
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div aria-busy="true" className="figure-place">
      <FigureSkeleton label={label} />
    </div>
  );
}

function ForecastExplained({ month }: { month: Forecast }) {
  const { low, high, spent, projected, rounded, confidence } = month;
  const { restOfToday, daysToCome, ofDaysToCome, correction } = partsOf(month);
  if (confidence === 'none')
    return (
      <Text inherit>
        A forecast needs at least one full day. {monthName(month.month)} has cost <Money amount={spent} /> so
        far.
      </Text>
    );
  return (
    <>
      <Text inherit>
        Spent so far: <Money amount={spent} />. Rest of today: <Money amount={restOfToday} />. The remaining{' '}
        {countOf(daysToCome, 'day')}: <Money amount={ofDaysToCome} />. Forecast: <Money amount={projected} />
        {rounded !== projected && `, rounded to ${headlineOf(month)}`}.
      </Text>
      <Text inherit>
        Each remaining day counts as the median of the same weekday in the last 8 weeks.{' '}
        {leftOutInWords(month.left_out_days)}{' '}
        {correction !== 0 && (
          <>
            On past days this was <Money amount={Math.abs(correction)} /> too{' '}
            {correction > 0 ? 'low' : 'high'}, so we {correction > 0 ? 'add' : 'subtract'} that amount.
          </>
        )}
      </Text>
      {low === null || high === null ? (
        <Text inherit>There is not enough history for a likely range.</Text>
      ) : (
        <Text inherit>
          Likely range: <Money amount={low} /> to <Money amount={high} />. About 3 of 4 months end within it.
          {confidence === 'low' && ' With so little history, it is rough.'}
        </Text>
      )}
    </>
  );
}
