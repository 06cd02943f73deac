import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { colorOf } from '../../../analysis/colors.ts';
import { metrics, type Granularity, type Metric } from '../../../analysis/words.ts';
import { axisOf, evenTicks } from '../../../ui/chartWords.ts';
import { monthName, shortDay } from '../../../ui/figures.ts';
import { dateTicks, nearestTo, partAt, showsPrevious, spanTitle, type Series, type Span } from './series.ts';
import { SeriesNote } from './SeriesNote.tsx';
import { SpanPicker } from './SpanPicker.tsx';

type SeriesChartProps = {
  kind: 'bars' | 'lines';
  series: Series[];
  spans: Span[];
  metric: Metric;
  granularity: Granularity;
  period: { start: string; end: string };
  height: number;
  isNarrow: boolean;
  /** The key of the series that stands out. */
  marked: string | null;
  onSeries: (series: Series) => void;
  onSpans: (first: string, last: string) => void;
};

type Row = Span & { values: number[] };

export function SeriesChart({
  kind,
  series,
  spans,
  metric,
  granularity,
  height,
  ...props
}: SeriesChartProps) {
  const { period, isNarrow, marked, onSeries, onSpans } = props;
  const words = metrics[metric];
  const isStacked = kind === 'bars';
  const rows: Row[] = spans.map((span, index) => ({
    ...span,
    values: series.map(({ values }) => values[index] ?? 0),
  }));
  const hasPrevious = showsPrevious(kind, series.length, spans);
  const pick = (start: string, amount: number): void => {
    const values = rows.find((row) => row.start === start)?.values ?? [];
    const index = isStacked ? partAt(amount, values) : nearestTo(amount, values);
    const picked = index === null ? undefined : series[index];
    if (picked?.narrow) onSeries(picked);
    else onSpans(start, start);
  };
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 600, height }}>
      <ComposedChart
        data={rows}
        margin={{ top: 8, right: 12, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--chart-grid)" />
        <XAxis
          dataKey="start"
          ticks={dateTicks(
            spans.map(({ start }) => start),
            granularity,
            isNarrow ? 5 : 14,
          )}
          tickFormatter={granularity === 'month' ? shortMonth : shortDay}
          interval={0}
          tickLine={false}
          axisLine={{ stroke: 'var(--chart-axis)' }}
          tick={tick}
          height={28}
          tickMargin={6}
        />
        <YAxis
          {...axisOf(evenTicks(0, highestOf(rows, isStacked, hasPrevious), words.isWhole))}
          tickFormatter={words.axis}
          tickLine={false}
          axisLine={false}
          tick={tick}
          width={isNarrow ? 44 : 56}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={isStacked ? false : { stroke: 'var(--chart-axis)' }}
          content={({ payload }) => {
            const row = payload[0]?.payload as Row | undefined;
            if (!row) return null;
            const title = spanTitle(row.start, granularity, period);
            const parts = series.map((each, index) => ({ ...each, value: row.values[index]! }));
            return <SeriesNote {...{ title, metric, parts }} total={row.total} previous={row.previous} />;
          }}
        />
        {series.map((each, index) =>
          markOf(each, index, { isStacked, isNarrow, marked, count: spans.length }),
        )}
        {hasPrevious && previousLine}
        <SpanPicker hasColumns={isStacked} onPick={pick} onRange={onSpans} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

const previousLine = (
  <Line
    dataKey="previous"
    type="linear"
    stroke="var(--chart-previous)"
    strokeWidth={1.5}
    strokeDasharray="4 3"
    dot={false}
    activeDot={false}
    isAnimationActive={false}
  />
);

function highestOf(rows: Row[], isStacked: boolean, hasPrevious: boolean): number {
  const heights = rows.map(({ values, previous }) => {
    const height = isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
    return hasPrevious ? Math.max(height, previous ?? 0) : height;
  });
  return Math.max(0, ...heights);
}

type Look = { isStacked: boolean; isNarrow: boolean; marked: string | null; count: number };

function markOf({ key, slot }: Series, index: number, { isStacked, isNarrow, marked, count }: Look) {
  const opacity = marked === null || marked === key ? 1 : 0.2;
  const valueOf = (row: Row) => row.values[index];
  if (isStacked)
    return (
      <Bar
        key={key}
        dataKey={valueOf}
        stackId="all"
        fill={colorOf(slot)}
        fillOpacity={opacity}
        stroke="var(--chart-gap)"
        strokeWidth={count < 45 ? 1 : isNarrow ? 0 : 0.5}
        maxBarSize={48}
        isAnimationActive={false}
      />
    );
  return (
    <Line
      key={key}
      dataKey={valueOf}
      stroke={colorOf(slot)}
      strokeOpacity={opacity}
      strokeWidth={2}
      dot={count === 1 ? { r: 3 } : false}
      activeDot={{ r: 4, stroke: 'var(--chart-gap)' }}
      isAnimationActive={false}
    />
  );
}

const tick = { fontSize: 12, fill: 'var(--mantine-color-dimmed)' };

function shortMonth(start: string): string {
  return monthName(start.slice(0, 7)).replace(/^(\w{3})\w*/, '$1');
}
