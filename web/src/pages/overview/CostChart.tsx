import { CompositeChart, type CompositeChartSeries } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { ChartNote } from '../../shown/ChartNote.tsx';
import { axisDollars, chartTicks } from '../../shown/chartWords.ts';
import { dollars, longDay, shortDay } from '../../shown/figures.ts';
import type { CostDay } from './costDays.ts';

const series: CompositeChartSeries[] = [
  { name: 'band', type: 'area', color: 'orange.4', label: 'Expected between' },
  { name: 'cost', type: 'bar', color: 'teal.6', label: 'Cost' },
  { name: 'before', type: 'line', color: 'gray.6', label: '30 days before' },
  { name: 'projected', type: 'line', color: 'orange.6', label: 'Projected', strokeDasharray: '4 4' },
];

export function CostChart({ days, height }: { days: CostDay[]; height: number }) {
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
      xAxisProps={{ tickFormatter: shortDay, ...chartTicks }}
      yAxisProps={{ width: 64 }}
      valueFormatter={axisDollars}
      tooltipProps={{
        content: ({ payload }) => {
          const day = payload[0]?.payload as CostDay | undefined;
          return day ? <ChartNote title={longDay(day.date)} lines={linesOf(day)} /> : null;
        },
      }}
    />
  );
}

function linesOf({ cost, before, projected, band }: CostDay): [string, string][] {
  const lines: [string, number | null][] = [
    [projected === null ? 'Cost' : 'So far', cost],
    ['30 days before', before],
    ['Projected', projected],
  ];
  return [
    ...lines.flatMap(([name, amount]): [string, string][] =>
      amount === null ? [] : [[name, dollars(amount)]],
    ),
    ...(band ? [['Expected between', band.map(dollars).join(' and ')] as [string, string]] : []),
  ];
}
