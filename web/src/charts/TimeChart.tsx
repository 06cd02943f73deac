import type { ReactNode } from 'react';
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  Rectangle,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  useChartWidth,
  XAxis,
  YAxis,
  type RectangleProps,
} from 'recharts';
import type { Granularity } from '../analysis/words.ts';
import { monthName, shortDay } from '../ui/figures.ts';
import './charts.css';
import { SpanPicker } from './SpanPicker.tsx';
import { dateTicks } from './spans.ts';

type Props<Row> = {
  rows: Row[];
  height: number;
  granularity: Granularity;
  ticks: readonly number[];
  onAxis: (amount: number) => string;
  /** From 0 to 1 it is linear, because nothing has no logarithm. */
  isLog?: boolean;
  /** Whether a row is a column, which stands out under the pointer. */
  hasColumns: boolean;
  /** Room above the highest line, such as for pins. */
  top?: number;
  note: (row: Row) => ReactNode;
  /** A click anywhere in a column. */
  onPick?: ((start: string, amount: number) => void) | undefined;
  /** A drag over columns. */
  onRange?: ((first: string, last: string) => void) | undefined;
  children: ReactNode;
};

/** The frame of all charts over time: grid, axes, a note beside the cursor, and the pick of a column. */
export function TimeChart<Row extends { start: string }>({
  rows,
  height,
  granularity,
  ticks,
  onAxis,
  isLog = false,
  hasColumns,
  top = 8,
  note,
  onPick,
  onRange,
  children,
}: Props<Row>) {
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 600, height }}>
      <ComposedChart data={rows} margin={{ top, right: 18, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--chart-grid)" />
        <DateAxis starts={rows.map(({ start }) => start)} granularity={granularity} />
        <YAxis
          ticks={ticks}
          domain={[ticks[0]!, ticks.at(-1)!]}
          scale={isLog ? 'symlog' : 'auto'}
          // By default, the chart would move the top label off its line.
          interval={0}
          tickFormatter={onAxis}
          tickLine={false}
          axisLine={false}
          tick={tick}
          width={12 + 7 * Math.max(...ticks.map((amount) => onAxis(amount).length))}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={hasColumns ? false : { stroke: 'var(--chart-axis)' }}
          content={({ payload }) => {
            const row = payload[0]?.payload as Row | undefined;
            return row ? note(row) : null;
          }}
        />
        {children}
        <SpanPicker hasColumns={hasColumns} onPick={onPick} onRange={onRange} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

type DateProps = { starts: string[]; granularity: Granularity };

function DateAxis({ starts, granularity }: DateProps) {
  const width = useChartWidth() ?? 600;
  return (
    <XAxis
      dataKey="start"
      // Also for lines, so that a day is at the same place in all charts.
      scale="band"
      ticks={dateTicks(starts, granularity, Math.max(2, Math.floor((width - 56) / 58)))}
      tickFormatter={granularity === 'month' ? shortMonth : shortDay}
      interval={0}
      tickLine={false}
      axisLine={{ stroke: 'var(--chart-axis)' }}
      tick={tick}
      height={28}
      tickMargin={6}
    />
  );
}

const tick = { fontSize: 12, fill: 'var(--mantine-color-dimmed)' };

function shortMonth(start: string): string {
  return monthName(start.slice(0, 7)).replace(/^(\w{3})\w*/, '$1');
}

type MarkProps<Row> = { of: (row: Row) => number | null | undefined; color: string; opacity?: number };

/** Of the column that is not over yet. */
const soFarOpacity = 0.45;

type BarsProps<Row> = MarkProps<Row> & {
  /** How many columns there are. */
  count: number;
  /** The column that is not over yet. */
  soFar?: number | undefined;
};

/** Those of a chart are stacked. */
export function Bars<Row>({ of, color, opacity = 1, count, soFar }: BarsProps<Row>) {
  const width = useChartWidth() ?? 600;
  return (
    <Bar
      dataKey={of}
      stackId="all"
      fill={color}
      fillOpacity={opacity}
      stroke="var(--chart-gap)"
      strokeWidth={Math.min(1, width / count / 16)}
      maxBarSize={48}
      isAnimationActive={false}
      shape={(props: RectangleProps & { index?: number }) => (
        <Rectangle {...props} fillOpacity={props.index === soFar ? soFarOpacity * opacity : opacity} />
      )}
    />
  );
}

/** With `dots`, also a value between days without one is seen. */
export function Values<Row>({ of, color, opacity = 1, dots = false }: MarkProps<Row> & { dots?: boolean }) {
  return (
    <Line
      dataKey={of}
      stroke={color}
      strokeOpacity={opacity}
      strokeWidth={2}
      dot={dots ? { r: 2.5, fill: color, strokeWidth: 0 } : false}
      activeDot={{ r: 4, stroke: 'var(--chart-gap)' }}
      isAnimationActive={false}
    />
  );
}

type PreviousProps<Row> = Pick<MarkProps<Row>, 'of'> & Partial<MarkProps<Row>>;

export function PreviousLine<Row>({ of, color, opacity = 1 }: PreviousProps<Row>) {
  const line = {
    dataKey: of,
    type: 'linear' as const,
    dot: false,
    activeDot: false,
    isAnimationActive: false,
  };
  return (
    <>
      {/* It crosses bars of all colors. */}
      {!color && <Line {...line} stroke="var(--chart-gap)" strokeWidth={4} strokeOpacity={0.75} />}
      <Line
        {...line}
        stroke={color ?? 'var(--chart-previous)'}
        strokeOpacity={opacity}
        strokeWidth={color ? 1.5 : 1.75}
        strokeDasharray="4 3"
      />
    </>
  );
}

export function Limit({ amount, label }: { amount: number; label: string }) {
  return (
    <ReferenceLine
      y={amount}
      stroke="var(--chart-over)"
      strokeWidth={1.5}
      label={{
        value: label,
        position: 'insideBottomLeft',
        fontSize: 12,
        fill: 'var(--chart-over)',
      }}
    />
  );
}
