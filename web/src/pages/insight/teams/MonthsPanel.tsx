import { useState } from 'react';
import { slots } from '../../../analysis/colors.ts';
import { useCosts, type Costs } from '../../../analysis/queries.ts';
import { initial, narrowed, parametersOf, type Question } from '../../../analysis/question.ts';
import { rangeOf } from '../../../analysis/ranges.ts';
import { metrics } from '../../../analysis/words.ts';
import { useChartHeight } from '../../../charts/ChartFrame.tsx';
import { ChartOrTable, ChartToCome } from '../../../charts/ChartOrTable.tsx';
import { Legend } from '../../../charts/Legend.tsx';
import { topSeries, type Series } from '../../../charts/series.ts';
import { SeriesChart } from '../../../charts/SeriesChart.tsx';
import { partialTitle, spansOf, type Span } from '../../../charts/spans.ts';
import { moneyColumn, shownColumn } from '../../../ui/cells.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { monthName } from '../../../ui/figures.ts';
import { lastMonths } from './months.ts';
import type { Asked } from './queries.ts';

const title = 'Cost by month';

type Props = Asked & {
  /** Keys of the owners, in the order of the table. */
  order: readonly string[];
  onMonth: (month: string) => void;
};

export function MonthsPanel({ by, metric, month, ...props }: Props) {
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const from = `${lastMonths(now)[11]}-01`;
  const costs = useCosts({
    group_by: by,
    metric,
    granularity: 'month',
    from,
    to: today,
    compare: 'none',
    limit: slots,
  });
  if (costs.data) return <Filled costs={costs.data} by={by} month={month} today={today} {...props} />;
  return <ChartToCome title={title} query={costs} />;
}

type FilledProps = Omit<Props, 'metric'> & { costs: Costs; today: string };

function Filled({ costs, by, month, today, order, onMonth }: FilledProps) {
  const [marked, setMarked] = useState<string | null>(null);
  const height = useChartHeight();
  const { metric, period } = costs;
  // Leaves out months before the first cost, so that the chart is not half empty.
  const first = Math.max(
    0,
    spansOf(costs).findIndex(({ total }) => total > 0),
  );
  const spans = spansOf(costs).slice(first);
  const placeOf = ({ key }: Series) => (order.includes(key) ? order.indexOf(key) : order.length);
  const series = topSeries(costs)
    .map((each) => ({
      ...each,
      values: each.values.slice(first),
    }))
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const highest = spans.toSorted((a, b) => b.total - a.total)[0];
  if (!highest?.total) return null;
  const question: Question = {
    ...initial,
    metric,
    compare: 'none',
    range: rangeOf({ from: period.start, to: period.end }, today),
    groupBy: [by],
  };
  const shown = spans.findIndex(({ start }) => start.startsWith(month));
  const chosen = spans.length > 1 ? spans[shown]?.start : undefined;
  const addressOf = ({ narrow }: Series) =>
    `/explore?${parametersOf(narrow ? narrowed(question, narrow) : question)}`;
  return (
    <ChartOrTable
      title={title}
      label={`Cost by month, highest in ${monthName(highest.start.slice(0, 7))}`}
      height={height}
      chart={
        <SeriesChart
          kind="bars"
          granularity="month"
          series={series}
          spans={spans}
          metric={metric}
          period={period}
          today={today}
          marked={marked}
          shaded={chosen ? { first: chosen, last: chosen } : null}
          onSpans={(start) => onMonth(start.slice(0, 7))}
        />
      }
      legend={
        <Legend
          entries={series.map((each) => ({
            ...each,
            value: each.values[shown] ?? null,
            href: addressOf(each),
          }))}
          heading={`${monthName(month)}${today.startsWith(month) ? ' so far' : ''}`}
          metric={metric}
          glyph="bar"
          partial={partialTitle(spans, { granularity: 'month', period, today })}
          onMark={setMarked}
        />
      }
      table={<MonthsTable spans={spans} metric={metric} height={height} />}
    />
  );
}

type TableProps = { spans: readonly Span[]; metric: Costs['metric']; height: number };

function MonthsTable({ spans, metric, height }: TableProps) {
  return (
    <DataTable<Span>
      label={title}
      minWidth={280}
      maxHeight={height}
      rows={spans.toReversed()}
      keyOf={({ start }) => start}
      columns={[
        shownColumn('Month', ({ start }) => start.slice(0, 7), monthName),
        moneyColumn(metrics[metric].title, ({ total }) => total, { isMain: true }),
      ]}
    />
  );
}
