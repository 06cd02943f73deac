import { colorOf } from '../../../analysis/colors.ts';
import { ChartNote } from '../../../charts/ChartNote.tsx';
import { spanTitle } from '../../../charts/spans.ts';
import { evenTicks } from '../../../charts/ticks.ts';
import { Bars, TimeChart, Values } from '../../../charts/TimeChart.tsx';
import type { Measure } from './measures.ts';
import type { WorkflowDay } from './queries.ts';

type Props = { days: WorkflowDay[]; measure: Measure; height: number; onDay: (day: string) => void };
type Point = { start: string; value: number | null };

export function DayChart({ days, measure, height, onDay }: Props) {
  const { title, type, of, inWords, exactly = inWords, onAxis, isWhole, max } = measure;
  const points: Point[] = days.map((day) => ({ start: day.date, value: of(day) }));
  const highest = Math.max(0, ...points.map(({ value }) => value ?? 0));
  // A line needs two points, so days between days without runs are dots.
  const isSparse = points.some(({ value }) => value === null);
  const look = { of: ({ value }: Point) => value, color: colorOf(0) };
  return (
    <TimeChart
      rows={points}
      height={height}
      granularity="day"
      ticks={evenTicks(0, max ?? highest, isWhole)}
      onAxis={onAxis}
      hasColumns={type === 'bar'}
      note={({ start, value }) => (
        <ChartNote
          title={spanTitle(start, 'day', { end: start })}
          amount={value === null ? undefined : exactly(value)}
          aside={value === null ? 'No runs' : title.toLowerCase().replace(/^daily /, '')}
        />
      )}
      onPick={onDay}
    >
      {type === 'bar' ? (
        <Bars {...look} count={days.length} />
      ) : (
        <Values {...look} dots={isSparse || days.length <= 31} />
      )}
    </TimeChart>
  );
}
