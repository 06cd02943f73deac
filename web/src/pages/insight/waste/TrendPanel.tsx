import { Skeleton, Text } from '@mantine/core';
import { lazy } from 'react';
import { addDays } from '../../../analysis/ranges.ts';
import type { Comparison } from '../../../analysis/words.ts';
import { chartPlaceholder, useChartHeight } from '../../../charts/ChartFrame.tsx';
import type { Series } from '../../../charts/series.ts';
import { ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { categoryShown } from './categories.ts';
import { useTrend, type CategoryName, type Trend } from './queries.ts';

const SeriesChart = lazy(async () => ({
  default: (await import('../../../charts/SeriesChart.tsx')).SeriesChart,
}));

const title = 'Weekly waste';
const weeksAsked = 12;

const lineOf = { previous_period: 'the twelve weeks before', previous_year: 'a year before' } as const;

type Props = {
  repo: string;
  today: string;
  compare: Comparison;
  /** Whether what people wait for is there. */
  isReady: boolean;
  marked: CategoryName | null;
  /** From the bottom. */
  order: readonly CategoryName[];
  onCategory: (category: CategoryName) => void;
  onWeeks: (dates: { from: string; to: string }) => void;
};

/** The colors are those of the categories beside it. */
export function TrendPanel({ repo, isReady, ...props }: Props) {
  const { compare } = props;
  const trend = useTrend({ compare, ...(repo && { repo }) }, { enabled: isReady });
  const { height } = useChartHeight();
  if (trend.data) return <Weeks {...props} trend={trend.data} height={height} />;
  return (
    <Panel title={title} aside={trend.error ? null : <Skeleton height={26} width={104} />}>
      {trend.error ? (
        <Failed error={trend.error} retry={() => void trend.refetch()} height={height} />
      ) : (
        <>
          {chartPlaceholder}
          <Text size="sm" c="dimmed" role="status">
            Adding up the jobs of twelve weeks…
          </Text>
        </>
      )}
    </Panel>
  );
}

type WeeksProps = Omit<Props, 'repo' | 'isReady'> & { trend: Trend; height: number };

function Weeks({ trend: { weeks, period }, height, ...props }: WeeksProps) {
  const { today, compare, marked, order, onCategory, onWeeks } = props;
  const shown = order.filter((name) => name !== 'skipped_after_queueing');
  const costOf = (week: Trend['weeks'][number], name: CategoryName) =>
    week.categories.find(({ category }) => category === name)?.cost ?? 0;
  const series = shown.map((name): Series => {
    const values = weeks.map((week) => costOf(week, name));
    const { label, slot } = categoryShown[name];
    const value = values.reduce((sum, each) => sum + each, 0);
    return { key: name, title: label, slot, value, values, previous: [], narrow: name };
  });
  const endOf = (start: string) => weeks.find((week) => week.start === start)?.end ?? start;
  const isCompared = weeks.some(({ previous_waste_cost: previous }) => (previous ?? 0) > 0);
  const first = addDays(mondayOf(today), 7 * (1 - weeksAsked));
  return (
    <ChartOrTable
      title={title}
      label={`Waste by week and category, from ${longDay(period.start)} to ${longDay(period.end)}`}
      height={height}
      chart={
        <SeriesChart
          kind="bars"
          series={series}
          spans={weeks.map(({ start, waste_cost: total, previous_waste_cost: previous }) => ({
            ...{ start, total, previous, comparedWith: null },
          }))}
          {...{ metric: 'cost', granularity: 'week', period, today, height, marked }}
          onSeries={({ key }) => onCategory(key as CategoryName)}
          onSpans={(from, last) => onWeeks({ from, to: endOf(last) })}
        />
      }
      table={<WeeksTable {...{ weeks, costOf, height, shown, isCompared }} />}
    >
      <Text size="sm" c="dimmed">
        {period.start > first
          ? `Since ${longDay(period.start)}: your plan, or the number of jobs, allows no more weeks.`
          : `The last twelve weeks, from Monday${isCompared && compare !== 'none' ? `; the line is ${lineOf[compare]}` : ''}. Click a color for its fixes, drag to choose weeks.`}
      </Text>
    </ChartOrTable>
  );
}

function mondayOf(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}

type TableProps = {
  weeks: Trend['weeks'];
  costOf: (week: Trend['weeks'][number], name: CategoryName) => number;
  height: number;
  shown: readonly CategoryName[];
  isCompared: boolean;
};

/** The newest first. */
function WeeksTable({ weeks, costOf, height, shown, isCompared }: TableProps) {
  const labels = shown.map((name) => categoryShown[name].label);
  return (
    <WideTable label={title} minWidth={480} maxHeight={height}>
      <Columns
        texts={['From (UTC)']}
        numbers={['Waste', ...(isCompared ? ['Before'] : []), ...labels]}
        kept="Waste"
      />
      <tbody>
        {weeks.toReversed().map((week) => (
          <tr key={week.start}>
            <th scope="row">{longDay(week.start)}</th>
            <td className={keptNumber}>
              <Money amount={week.waste_cost} />
            </td>
            {isCompared && (
              <td className="number">
                {week.previous_waste_cost === null ? '–' : <Money amount={week.previous_waste_cost} />}
              </td>
            )}
            {shown.map((name) => (
              <td key={name} className="number">
                <Money amount={costOf(week, name)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
