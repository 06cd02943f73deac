import { Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Compared } from '../../analysis/Change.tsx';
import { ChangeReason, ChangeSentence } from '../../analysis/ChangeSentence.tsx';
import { beforeTitle } from '../../analysis/changeWords.ts';
import type { Costs } from '../../analysis/queries.ts';
import { isOfOneRepository } from '../../analysis/question.ts';
import { metrics, type Metric } from '../../analysis/words.ts';
import { trendOf } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/Sparkline.tsx';
import { Explained } from '../../ui/Explained.tsx';
import { Figure, FigureSkeleton } from '../../ui/Figure.tsx';
import { count, countOf, dollars, exactDollars, unitDollars } from '../../ui/figures.ts';
import { Failed } from '../../ui/Loaded.tsx';
import { isOutage } from '../../ui/outages.ts';
import { FigureLink, Money, MoneyLink } from '../../ui/text.tsx';
import { useCounts, useGroupChange, useMinutes, type View } from './costView.ts';

type Query = UseQueryResult<Costs>;

type SummaryProps = {
  view: View;
  costs: Query;
  /** Figures beside the cost, if not those of a part of the costs. */
  children?: ReactNode;
};

export function Summary({ view, costs, children }: SummaryProps) {
  return (
    <div className={view.question.metric === 'net_cost' ? 'summary is-net' : 'summary'}>
      <CostFigure view={view} costs={costs} />
      {children || (
        <>
          <Minutes view={view} />
          <Runs view={view} />
          <CostPerRun view={view} costs={costs} />
        </>
      )}
    </div>
  );
}

type OfView = { view: View };

const hrefBy = ({ question, searchOf }: View, metric: Metric) =>
  `/explore${searchOf({ ...question, metric, groupBy: ['workflow'] })}`;

/** The cost, its change, and why it changed. */
function CostFigure({ view, costs }: OfView & { costs: Query }) {
  return (
    <Loading query={costs} label={metrics[view.question.metric].title}>
      {({ total, period, previous_period: before, metric }) => (
        <Figure
          label={metrics[metric].title}
          value={<MoneyLink amount={total.value} href={hrefBy(view, metric)} to="workflows by cost" />}
          note={
            <Compared
              value={total.value}
              previous={total.previous_value}
              metric={metric}
              {...(before && { days: beforeTitle(period, before) })}
            >
              <Average total={<Money amount={total.value / period.days} />} days={period.days} />
            </Compared>
          }
          trend={before && <Reason view={view} />}
        />
      )}
    </Loading>
  );
}

function Reason({ view }: OfView) {
  const { question } = view;
  const { data: change, isPending, isPlaceholderData } = useGroupChange(view, 'workflow');
  if (!change) return isPending && <Skeleton height={40} />;
  const isOfOne = isOfOneRepository(question);
  return (
    <Text size="sm" aria-live="polite" className={isPlaceholderData ? 'is-stale' : undefined}>
      {question.metric === 'net_cost' ? (
        <>
          At list prices: <ChangeSentence change={change} isOfOne={isOfOne} />
        </>
      ) : (
        <ChangeReason change={change} isOfOne={isOfOne} />
      )}
    </Text>
  );
}

/** For a single day, an average would repeat the total. */
function Average({ total, days }: { total: ReactNode; days: number }) {
  return days === 1 ? 'on this day' : <>{total} a day</>;
}

export function CostPerRun({ view: { question, today }, costs }: OfView & { costs: Query }) {
  const counts = useCounts(question, today);
  return (
    <Loading query={counts.data ? costs : counts} label="Cost per run">
      {() => <PerRun counts={counts.data!} costs={costs.data!} />}
    </Loading>
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
        <Compared value={value} previous={previous} metric="cost" shown={value < 0.1 ? unitDollars : dollars}>
          {countOf(ran.value, one)}
        </Compared>
      }
      trend={<Sparkline values={trendOf(trend, costs)} />}
    />
  );
}

const countEach = (value: number) => count(Math.round(value));

const linkBy = (view: View) => (value: number, metric: Metric) => (
  <FigureLink
    value={count(value)}
    href={hrefBy(view, metric)}
    to={`workflows by ${metrics[metric].title.toLowerCase()}`}
  />
);

export function Minutes({ view }: OfView) {
  const minutes = useMinutes(view.question, view.today);
  return <Total query={minutes} label="Billed minutes" link={linkBy(view)} each={countEach} />;
}

function Runs({ view }: OfView) {
  const counts = useCounts(view.question, view.today);
  return <Total query={counts} label="Runs" link={linkBy(view)} each={countEach} />;
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
              <Average total={each(total.value / period.days)} days={period.days} />
            </Compared>
          }
          trend={<Sparkline values={trendOf(total.series, { granularity, period })} />}
        />
      )}
    </Loading>
  );
}

type LoadingProps<T> = {
  query: UseQueryResult<T>;
  label: string;
  hasTrend?: boolean;
  children: (data: T) => ReactNode;
};

export function Loading<T>({ query, label, hasTrend = true, children }: LoadingProps<T>) {
  if (query.data !== undefined)
    return (
      <div className={query.isPlaceholderData ? 'is-stale figure-place' : 'figure-place'}>
        {children(query.data)}
      </div>
    );
  if (isOutage(query.error))
    return (
      <div className="figure-place">
        <Figure
          label={label}
          value="–"
          note="Failed to load"
          trend={hasTrend && <span className="sparkline" />}
        />
      </div>
    );
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div aria-busy="true" className="figure-place">
      <FigureSkeleton label={label} hasTrend={hasTrend} />
    </div>
  );
}
