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
  useActiveTooltipLabel,
  useChartWidth,
  usePlotArea,
  useYAxisScale,
  XAxis,
  YAxis,
  type RectangleProps,
} from 'recharts';
import type { Granularity } from '../analysis/words.ts';
import { monthName, shortDay } from '../ui/figures.ts';
import './charts.css';
import { SpanPicker, type Place } from './SpanPicker.tsx';
import { dateTicks, isLowerLeft, placeOfNote } from './spans.ts';

type Props<Row> = {
  rows: Row[];
  height: number;
  granularity: Granularity;
  ticks: readonly number[];
  onAxis: (amount: number) => string;
  /** The axis is linear from 0 to 1, because 0 has no logarithm. */
  isLog?: boolean;
  /** Whether each row is a column, highlighted under the pointer. */
  hasColumns: boolean;
  /** The height of a column in any unit. The note appears on the side with lower columns. */
  heightOf?: ((row: Row) => number) | undefined;
  /** The height of the marked line, as on the axis. The note appears where it hides least of that line. */
  lineOf?: ((row: Row) => number | null) | undefined;
  top?: number;
  note: (row: Row) => ReactNode;
  onPick?: ((start: string, amount: number) => void) | undefined;
  onRange?: ((first: string, last: string) => void) | undefined;
  onPoint?: ((place: Place | null) => void) | undefined;
  children: ReactNode;
};

/** The frame of all charts over time: grid, axes, a note beside the cursor, and the selection of columns. */
export function TimeChart<Row extends { start: string }>({
  rows,
  height,
  granularity,
  ticks,
  onAxis,
  isLog = false,
  hasColumns,
  heightOf,
  lineOf,
  top = 8,
  note,
  onPick,
  onRange,
  onPoint,
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
        <Note of={note} rows={rows} hasColumns={hasColumns} heightOf={heightOf} lineOf={lineOf} />
        {children}
        <SpanPicker hasColumns={hasColumns} onPick={onPick} onRange={onRange} onPoint={onPoint} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

type NoteProps<Row> = Pick<Props<Row>, 'rows' | 'hasColumns' | 'heightOf' | 'lineOf'> & {
  of: (row: Row) => ReactNode;
};

/** Approximate size of a note in pixels. */
const [noteWidth, noteHeight] = [170, 150];

/** A note beside the column at the pointer, on the side with more room. */
function Note<Row extends { start: string }>({ of, rows, hasColumns, heightOf, lineOf }: NoteProps<Row>) {
  const column = (useChartWidth() ?? 600) / rows.length;
  const active = useActiveTooltipLabel();
  const at = rows.findIndex(({ start }) => start === active);
  const columns = Math.ceil(noteWidth / column);
  const area = usePlotArea();
  const placeOf = useYAxisScale();
  const onLine = (row: Row): number | null => {
    const amount = lineOf!(row);
    return amount === null ? null : (placeOf!(amount) ?? 0) - area!.y;
  };
  const place =
    lineOf && area && placeOf
      ? placeOfNote(rows.map(onLine), at, { columns, noteHeight, chartHeight: area.height })
      : null;
  const isLeft = place?.isLeft ?? (!!heightOf && isLowerLeft(rows.map(heightOf), at, columns));
  return (
    <Tooltip
      isAnimationActive={false}
      offset={hasColumns ? Math.min(maxBarSize, column) / 2 + 8 : 10}
      reverseDirection={{ x: isLeft }}
      {...(place && { position: { y: area!.y + (place.isTop ? 0 : area!.height - noteHeight) } })}
      cursor={hasColumns ? false : { stroke: 'var(--chart-axis)' }}
      content={({ payload }) => {
        const row = payload[0]?.payload as Row | undefined;
        return row ? of(row) : null;
      }}
    />
  );
}

type DateProps = { starts: string[]; granularity: Granularity };

function DateAxis({ starts, granularity }: DateProps) {
  const width = useChartWidth() ?? 600;
  return (
    <XAxis
      dataKey="start"
      // Lines use it too, so that a day has the same position in all charts.
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

const maxBarSize = 48;
const paleOpacity = 0.45;

type BarsProps<Row> = MarkProps<Row> & {
  count: number;
  isPale?: ((index: number) => boolean) | undefined;
};

export function Bars<Row>({ of, color, opacity = 1, count, isPale }: BarsProps<Row>) {
  const width = useChartWidth() ?? 600;
  return (
    <Bar
      dataKey={of}
      stackId="all"
      fill={color}
      fillOpacity={opacity}
      stroke="var(--chart-gap)"
      strokeWidth={Math.min(1, width / count / 16)}
      maxBarSize={maxBarSize}
      isAnimationActive={false}
      shape={(props: RectangleProps & { index?: number }) => (
        <Rectangle {...props} fillOpacity={isPale?.(props.index ?? -1) ? paleOpacity * opacity : opacity} />
      )}
    />
  );
}

/** `dots` makes a value visible even between days without one. */
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
      {/* A light outline, because the line crosses bars of all colors. */}
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

export function Limit({ amount, isDashed }: { amount: number; isDashed: boolean }) {
  return (
    <ReferenceLine
      y={amount}
      stroke="var(--chart-over)"
      strokeWidth={1.5}
      {...(isDashed && { strokeDasharray: '4 3' })}
    />
  );
}
