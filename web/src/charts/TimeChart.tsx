import type { ReactNode } from 'react';
import type { Granularity } from '../analysis/words.ts';
import { monthName, shortDay } from '../ui/figures.ts';
import './charts.css';
import { barOf, lineThrough, plotOf, stacked, type Plot } from './plot.ts';
import { Pointed, type Place } from './Pointed.tsx';
import { dateTicks, isLowerLeft, placeOfNote } from './spans.ts';
import { useWidth } from './useWidth.ts';

export type Part<Row> = {
  key: string;
  of: (row: Row) => number | null | undefined;
  color: string;
  opacity?: number;
};

export type Line<Row> = Part<Row> & {
  /** Makes a value visible even between days without one. */
  hasDots?: boolean;
  isDashed?: boolean;
  /** For a line that crosses bars of all colors. */
  hasOutline?: boolean;
};

type Props<Row> = {
  rows: Row[];
  height: number;
  granularity: Granularity;
  ticks: readonly number[];
  onAxis: (amount: number) => string;
  /** The axis is linear from 0 to 1, because 0 has no logarithm. */
  isLog?: boolean;
  /** The parts of each row's column, from the bottom up. With them, the column at the pointer is highlighted. */
  parts?: readonly Part<Row>[] | undefined;
  isPale?: ((row: Row) => boolean) | undefined;
  lines?: readonly Line<Row>[];
  /** The height of a column in any unit. The note appears on the side with lower columns. */
  heightOf?: ((row: Row) => number) | undefined;
  /** The height of the marked line, as on the axis. The note appears where it hides least of that line. */
  lineOf?: ((row: Row) => number | null) | undefined;
  top?: number;
  /** The spans that the rest of the page is about. */
  shaded?: { first: string; last: string } | null;
  note: (row: Row) => ReactNode;
  onPick?: ((start: string, amount: number) => void) | undefined;
  onRange?: ((first: string, last: string) => void) | undefined;
  onPoint?: ((place: Place | null) => void) | undefined;
  /** Marks in front of columns and lines. */
  children?: (plot: Plot) => ReactNode;
};

/** About what a chart of the overview has on a screen of 1,440 pixels. */
const assumedWidth = 850;
const below = 28;
const right = 22;

/** The frame of all charts over time: grid, axes, a note beside the pointer, and the selection of columns. */
export function TimeChart<Row extends { start: string }>(props: Props<Row>) {
  const { rows, height, granularity, ticks, onAxis, isLog = false, parts, lines = [], top = 8 } = props;
  const [ref, width] = useWidth(assumedWidth);
  const left = 16 + 7 * Math.max(...ticks.map((amount) => onAxis(amount).length));
  const area = { left, top, width: Math.max(1, width - left - right), height: height - top - below };
  const starts = rows.map(({ start }) => start);
  const plot = plotOf(area, starts, { ticks, isLog });
  const rowOf = (start: string) => rows.find((row) => row.start === start);
  const most = Math.max(2, Math.floor((width - 56) / 58));
  return (
    <div ref={ref} className="plot-frame">
      <Pointed
        plot={plot}
        size={{ width, height }}
        hasColumns={parts !== undefined}
        noteOf={(start) => {
          const row = rowOf(start);
          return row && props.note(row);
        }}
        noteBeside={(start) => noteBeside(plot, starts.indexOf(start), props)}
        dotsAt={(start) =>
          lines
            .filter(({ isDashed }) => !isDashed)
            .map(({ of, color }) => ({ amount: of(rowOf(start)!) ?? null, color }))
            .filter((dot): dot is typeof dot & { amount: number } => dot.amount !== null)
        }
        onPick={props.onPick}
        onRange={props.onRange}
        onPoint={props.onPoint}
      >
        <Grid plot={plot} ticks={ticks} />
        {props.shaded && <Shade plot={plot} {...props.shaded} />}
        {parts && <Columns plot={plot} rows={rows} parts={parts} isPale={props.isPale} />}
        {lines.map((line) => (
          <LineMark key={line.key} plot={plot} rows={rows} line={line} />
        ))}
        {props.children?.(plot)}
        <Axes
          plot={plot}
          amounts={ticks.map((amount) => [amount, onAxis(amount)])}
          days={dateTicks(starts, granularity, most)}
          dayName={granularity === 'month' ? shortMonth : shortDay}
        />
      </Pointed>
    </div>
  );
}

/** Approximate size of a note in pixels. */
const [noteWidth, noteHeight] = [170, 150];

type Placed<Row> = Pick<Props<Row>, 'rows' | 'heightOf' | 'lineOf'>;

/** The side with more room. */
function noteBeside<Row>(
  { column, top, height, yOf }: Plot,
  at: number,
  { rows, heightOf, lineOf }: Placed<Row>,
) {
  const columns = Math.ceil(noteWidth / column);
  if (!lineOf) return { isLeft: !!heightOf && isLowerLeft(rows.map(heightOf), at, columns) };
  const heights = rows.map((row) => {
    const amount = lineOf(row);
    return amount === null ? null : yOf(amount) - top;
  });
  const { isLeft, isTop } = placeOfNote(heights, at, { columns, noteHeight, chartHeight: height });
  return { isLeft, y: isTop ? top : top + height - noteHeight };
}

function shortMonth(start: string): string {
  return monthName(start.slice(0, 7)).replace(/^(\w{3})\w*/, '$1');
}

type InPlot<Rest> = Rest & { plot: Plot };

function Grid({ plot: { left, width, yOf }, ticks }: InPlot<{ ticks: readonly number[] }>) {
  return (
    <g className="plot-grid">
      {ticks.map((amount) => (
        <path key={amount} d={`M${left} ${yOf(amount)}h${width}`} />
      ))}
    </g>
  );
}

type AxesProps = {
  amounts: (readonly [amount: number, name: string])[];
  days: string[];
  dayName: (start: string) => string;
};

function Axes({ plot: { left, top, width, height, yOf, middleOf }, ...props }: InPlot<AxesProps>) {
  const { amounts, days, dayName } = props;
  return (
    <>
      <path d={`M${left} ${top + height}h${width}`} stroke="var(--chart-axis)" />
      <g className="plot-amounts">
        {amounts.map(([amount, name]) => (
          <text key={amount} x={left - 8} y={yOf(amount)} dy="0.355em">
            {name}
          </text>
        ))}
      </g>
      <g className="plot-days">
        {days.map((start) => (
          <text key={start} x={middleOf(start)} y={top + height + 12} dy="0.71em">
            {dayName(start)}
          </text>
        ))}
      </g>
    </>
  );
}

function Shade({ plot, first, last }: InPlot<{ first: string; last: string }>) {
  const { top, height, column, middleOf } = plot;
  const width = middleOf(last) - middleOf(first) + column;
  return <rect x={middleOf(first) - column / 2} y={top} width={width} height={height} className="shade" />;
}

const paleOpacity = 0.45;

type ColumnsProps<Row> = { rows: Row[]; parts: readonly Part<Row>[]; isPale: Props<Row>['isPale'] };

function Columns<Row extends { start: string }>({ plot, rows, parts, isPale }: InPlot<ColumnsProps<Row>>) {
  const width = barOf(plot.column);
  const heights = stacked(parts.map(({ of }) => rows.map(of)));
  return parts.map(({ key, color, opacity = 1 }, part) => (
    <g key={key} className="plot-part" fill={color} strokeWidth={Math.min(1, plot.column / 16)}>
      {rows.map((row, index) => {
        const { from, to } = heights[part]![index]!;
        if (from === to) return null;
        const [high, low] = [plot.yOf(Math.max(from, to)), plot.yOf(Math.min(from, to))];
        return (
          <rect
            key={row.start}
            x={plot.middleOf(row.start) - width / 2}
            y={high}
            width={width}
            height={low - high}
            fillOpacity={isPale?.(row) ? paleOpacity * opacity : opacity}
          />
        );
      })}
    </g>
  ));
}

type LineProps<Row> = { rows: Row[]; line: Line<Row> };

function LineMark<Row extends { start: string }>({ plot, rows, line }: InPlot<LineProps<Row>>) {
  const { of, color, opacity = 1, hasDots, isDashed = false, hasOutline } = line;
  const amounts = rows.map(of);
  const d = lineThrough(amounts, plot);
  if (d === '') return null;
  const width = isDashed ? (hasOutline ? 1.75 : 1.5) : 2;
  return (
    <>
      {hasOutline && (
        <path d={d} fill="none" stroke="var(--chart-gap)" strokeWidth={4} strokeOpacity={0.75} />
      )}
      <path
        d={d}
        fill="none"
        className={isDashed ? 'plot-line is-dashed' : 'plot-line'}
        stroke={color}
        strokeWidth={width}
        strokeOpacity={opacity}
      />
      {/* A path of a single point is not drawn. */}
      {(hasDots || rows.length === 1) &&
        rows.map(({ start }, index) => {
          const amount = amounts[index] ?? null;
          if (amount === null) return null;
          return <circle key={start} cx={plot.middleOf(start)} cy={plot.yOf(amount)} r={2.5} fill={color} />;
        })}
    </>
  );
}

export function Limit({ plot, amount, isDashed }: InPlot<{ amount: number; isDashed: boolean }>) {
  return (
    <path
      d={`M${plot.left} ${plot.yOf(amount)}h${plot.width}`}
      stroke="var(--chart-over)"
      strokeWidth={1.5}
      strokeDasharray={isDashed ? '4 3' : undefined}
    />
  );
}
