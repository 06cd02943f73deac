import { CompositeChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { ChartNote } from '../../../ui/ChartNote.tsx';
import { axisOf, dayTicks, evenTicks } from '../../../ui/chartWords.ts';
import { DayColumns } from '../../../ui/DayColumns.tsx';
import { longDay, shortDay } from '../../../ui/figures.ts';
import type { Measure } from './measures.ts';
import type { WorkflowDay } from './queries.ts';

type Props = { days: WorkflowDay[]; measure: Measure; height: number; onDay: (day: string) => void };
type Point = { date: string; value: number | null };

export function DayChart({ days, measure, height, onDay }: Props) {
  const { title, type, of, inWords, exactly = inWords, onAxis, isWhole, max } = measure;
  const points: Point[] = days.map((day) => ({ date: day.date, value: of(day) }));
  const highest = Math.max(0, ...points.map(({ value }) => value ?? 0));
  // A line needs two points, so days between days without runs are dots.
  const isSparse = points.some(({ value }) => value === null);
  return (
    <CompositeChart
      h={height}
      data={points}
      dataKey="date"
      series={[{ name: 'value', label: title, type, color: 'teal.6' }]}
      withDots={type === 'line' && (isSparse || days.length <= 31)}
      dotProps={{ r: 2 }}
      connectNulls={false}
      curveType="linear"
      maxBarWidth={24}
      accessibilityLayer={false}
      xAxisProps={{ tickFormatter: shortDay, ...dayTicks }}
      yAxisProps={{ width: 60, ...axisOf(evenTicks(0, max ?? highest, isWhole)) }}
      valueFormatter={onAxis}
      tooltipProps={{
        content: ({ payload }) => {
          const point = payload[0]?.payload as Point | undefined;
          if (!point) return null;
          const value = point.value === null ? 'no runs' : exactly(point.value);
          return <ChartNote title={longDay(point.date)} lines={[[title, value]]} />;
        },
      }}
    >
      <DayColumns onDay={onDay} />
    </CompositeChart>
  );
}
