import { CompositeChart, type CompositeChartSeries } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { ChartNote } from '../../../ui/ChartNote.tsx';
import { axisDollars, axisOf, dayTicks, evenTicks } from '../../../ui/chartWords.ts';
import { DayColumns } from '../../../ui/DayColumns.tsx';
import { dollars, exactDollars, longDay, shortDay } from '../../../ui/figures.ts';
import type { CostDay } from './costDays.ts';
import { daysCompared } from './days.ts';

const beforeName = `Same weekday, ${daysCompared} days earlier`;

const series: CompositeChartSeries[] = [
  { name: 'band', type: 'area', color: 'orange.4', label: 'Likely range' },
  { name: 'cost', type: 'bar', color: 'teal.6', label: 'Cost' },
  { name: 'before', type: 'line', color: 'gray.6', label: beforeName },
  { name: 'projected', type: 'line', color: 'orange.6', label: 'Forecast', strokeDasharray: '4 4' },
];

type Props = { days: CostDay[]; height: number; onDay: (day: string) => void };

export function CostChart({ days, height, onDay }: Props) {
  return (
    <CompositeChart
      h={height}
      data={days}
      dataKey="date"
      series={series.filter(({ name }) => days.some((day) => day[name as keyof CostDay] !== null))}
      withLegend
      withDots={false}
      connectNulls={false}
      curveType="linear"
      maxBarWidth={24}
      accessibilityLayer={false}
      areaProps={{ strokeOpacity: 0 }}
      xAxisProps={{ tickFormatter: shortDay, ...dayTicks }}
      yAxisProps={{ width: 64, ...axisOf(evenTicks(0, highestOf(days))) }}
      valueFormatter={axisDollars}
      tooltipProps={{
        content: ({ payload }) => {
          const day = payload[0]?.payload as CostDay | undefined;
          return day ? <ChartNote title={longDay(day.date)} lines={linesOf(day)} /> : null;
        },
      }}
    >
      <DayColumns
        onDay={(opened) => {
          if (days.some(({ date, cost }) => date === opened && cost !== null)) onDay(opened);
        }}
      />
    </CompositeChart>
  );
}

function highestOf(days: CostDay[]): number {
  return Math.max(
    ...days.map(({ cost, before, projected, band }) =>
      Math.max(cost ?? 0, before ?? 0, projected ?? 0, band?.[1] ?? 0),
    ),
  );
}

function linesOf({ cost, before, projected, band }: CostDay): [string, string][] {
  const lines: [string, string | null][] = [
    [projected === null ? 'Cost' : 'So far', cost === null ? null : exactDollars(cost)],
    [beforeName, before === null ? null : exactDollars(before)],
    ['Forecast', projected === null ? null : dollars(projected)],
  ];
  return [
    ...lines.flatMap(([name, amount]): [string, string][] => (amount === null ? [] : [[name, amount]])),
    ...(band ? [['Likely range', band.map(dollars).join(' – ')] as [string, string]] : []),
  ];
}
