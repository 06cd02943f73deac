import { colorOf } from '../../../analysis/colors.ts';
import { ChartNote } from '../../../charts/ChartNote.tsx';
import { spanTitle } from '../../../charts/spans.ts';
import { evenTicks } from '../../../charts/ticks.ts';
import { TimeChart } from '../../../charts/TimeChart.tsx';
import type { Day, Measure } from './measures.ts';

type Props = { days: Day[]; measure: Measure; height: number; onDay: (day: string) => void };
type Point = { start: string; values: (number | null)[] };

export function DayChart({ days, measure, height, onDay }: Props) {
  const { title, lines, type, inWords, onAxis, isWhole, max } = measure;
  const points: Point[] = days.map((day) => ({ start: day.date, values: lines.map(({ of }) => of(day)) }));
  const highest = Math.max(0, ...points.flatMap(({ values }) => values.map((value) => value ?? 0)));
  // A line needs two adjacent points, so isolated days are dots.
  const isSparse = points.some(({ values }) => values[0] === null);
  const isOne = lines.length === 1;
  const marks = lines.map((line, index) => ({
    key: line.title,
    of: ({ values }: Point) => values[index],
    color: colorOf(index),
    hasDots: isSparse || days.length <= 31,
  }));
  const words = (value: number | null) => (value === null ? '–' : inWords(value));
  return (
    <TimeChart
      rows={points}
      height={height}
      granularity="day"
      ticks={evenTicks(0, max ?? highest, isWhole)}
      onAxis={onAxis}
      {...(type === 'bar' ? { parts: marks } : { lines: marks })}
      note={({ start, values }) => (
        <ChartNote
          title={spanTitle(start, 'day', { end: start })}
          amount={isOne && values[0] !== null ? words(values[0]!) : undefined}
          aside={values[0] === null ? 'Nothing ended' : isOne ? title.toLowerCase() : undefined}
          lines={
            isOne || values[0] === null
              ? []
              : lines.map((line, index) => ({
                  key: line.title,
                  title: line.title,
                  color: colorOf(index),
                  amount: words(values[index]!),
                }))
          }
        />
      )}
      onPick={onDay}
    />
  );
}
