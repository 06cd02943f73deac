import { Group } from '@mantine/core';
import { weekStartAsked } from '../../../analysis/question.ts';
import { addDays, datesOf, datesTitle, periodAround, type Range } from '../../../analysis/ranges.ts';
import type { Comparison } from '../../../analysis/words.ts';
import { useChartHeight } from '../../../charts/ChartFrame.tsx';
import { ChartOrTable, ChartToCome } from '../../../charts/ChartOrTable.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import type { Series } from '../../../charts/series.ts';
import { SeriesChart } from '../../../charts/SeriesChart.tsx';
import { type CategoryName } from '../../../parts/waste/waste.ts';
import { categoryShown } from '../../../parts/waste/wasteCategories.ts';
import { moneyColumn, shownColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Note } from '../../../ui/text.tsx';
import { comparedWeeks } from './comparedWeeks.ts';
import { useTrend, type Trend } from './queries.ts';

const title = 'Weekly waste';
const weeksAsked = 12;

const lineOf = { previous_period: 'Previous 12 weeks', previous_year: 'Previous year' } as const;

type Props = {
  repo: string;
  today: string;
  /** The range of the page, whose weeks are shaded. */
  range: Range;
  compare: Comparison;
  isReady: boolean;
  marked: CategoryName | null;
  order: readonly CategoryName[];
  onCategory: (category: CategoryName) => void;
  onWeeks: (dates: { from: string; to: string }) => void;
};

/** The colors match the categories beside it. */
export function TrendPanel({ repo, isReady, ...props }: Props) {
  const { compare } = props;
  const trend = useTrend({ compare, ...weekStartAsked(), ...(repo && { repo }) }, { enabled: isReady });
  if (trend.data) return <Weeks {...props} trend={trend.data} />;
  return (
    <ChartToCome title={title} query={trend} hasLegend={false}>
      <Note role="status">Adding up the jobs of twelve weeks…</Note>
    </ChartToCome>
  );
}

type Week = Trend['weeks'][number];
type WeeksProps = Omit<Props, 'repo' | 'isReady'> & { trend: Trend };

function Weeks({ trend: { weeks, period }, ...props }: WeeksProps) {
  const height = useChartHeight();
  const { today, range, compare, marked, order, onCategory, onWeeks } = props;
  const shown = order.filter((name) => name !== 'skipped_after_queueing');
  const costOf = (week: Week, name: CategoryName) =>
    week.categories.find(({ category }) => category === name)?.cost ?? 0;
  const series = shown.map((name): Series => {
    const values = weeks.map((week) => costOf(week, name));
    const { label, slot } = categoryShown[name];
    const value = values.reduce((sum, each) => sum + each, 0);
    return { key: name, title: label, slot, value, values, previous: [], narrow: name };
  });
  const endOf = (start: string) => weeks.find((week) => week.start === start)?.end ?? start;
  const before = comparedWeeks(weeks);
  const isCompared = compare !== 'none' && before !== null;
  const dates = datesOf(range, today);
  const inside = weeks.filter(({ start, end }) => start <= dates.to && end >= dates.from);
  const shaded =
    inside.length > 0 && inside.length < weeks.length
      ? { first: inside[0]!.start, last: inside.at(-1)!.start }
      : null;
  const first = addDays(periodAround(today, 'week').from, 7 * (1 - weeksAsked));
  return (
    <ChartOrTable
      title={title}
      label={`Waste by week and category, from ${longDay(period.start)} to ${longDay(period.end)}`}
      height={height}
      chart={
        <SeriesChart
          kind="bars"
          series={series}
          spans={weeks.map(({ start, waste_cost: total }, index) => ({
            start,
            total,
            previous: before?.[index] ?? null,
            comparedWith: null,
          }))}
          metric="cost"
          granularity="week"
          period={period}
          today={today}
          marked={marked}
          shaded={shaded}
          onSeries={({ key }) => onCategory(key as CategoryName)}
          onSpans={(from, last) => onWeeks({ from, to: endOf(last) })}
        />
      }
      table={
        <WeeksTable
          weeks={weeks}
          costOf={costOf}
          height={height}
          shown={shown}
          before={isCompared ? before : null}
        />
      }
    >
      <Group gap="4px 16px">
        {isCompared && (
          <Keys keys={[{ title: lineOf[compare], kind: 'dashed', color: 'var(--chart-previous)' }]} />
        )}
        <Note size="xs">
          {shaded && `Shaded: ${datesTitle(dates)}. `}
          {compare !== 'none' && !isCompared && `${lineOf[compare]}: nothing recorded to compare. `}
          {period.start > first
            ? `Since ${longDay(period.start)}: your plan, or the number of jobs, allows no more weeks.`
            : 'Click a color for its fixes, drag to choose weeks.'}
        </Note>
      </Group>
    </ChartOrTable>
  );
}

type TableProps = {
  weeks: readonly Week[];
  costOf: (week: Week, name: CategoryName) => number;
  height: number;
  shown: readonly CategoryName[];
  before: readonly (number | null)[] | null;
};

/** Newest first. */
function WeeksTable({ weeks, costOf, height, shown, before }: TableProps) {
  const ofCategory = (name: CategoryName): Column<Week> =>
    moneyColumn(categoryShown[name].label, (week) => costOf(week, name));
  return (
    <DataTable<Week>
      label={title}
      minWidth={480}
      maxHeight={height}
      rows={weeks.toReversed()}
      keyOf={({ start }) => start}
      columns={[
        shownColumn('From (UTC)', ({ start }) => start, longDay),
        moneyColumn('Waste', ({ waste_cost: cost }) => cost, { isMain: true }),
        ...(before ? [moneyColumn<Week>('Before', (week) => before[weeks.indexOf(week)] ?? null)] : []),
        ...shown.map(ofCategory),
      ]}
    />
  );
}
