import { colorOf } from '../analysis/colors.ts';
import { metrics, type Granularity, type Metric } from '../analysis/words.ts';
import { useChartHeight } from './ChartFrame.tsx';
import { Pins, pinRoom, Warnings, type Pin, type PlacedPin } from './Pins.tsx';
import type { Place } from './Pointed.tsx';
import type { Series } from './series.ts';
import { SeriesNote } from './SeriesNote.tsx';
import {
  daysTitle,
  endOf,
  maxWithPrevious,
  nearestTo,
  partAt,
  partialOf,
  showsPrevious,
  spanAt,
  spanTitle,
  type Span,
} from './spans.ts';
import { evenTicks, logTicks } from './ticks.ts';
import { TimeChart, type Line, type Part } from './TimeChart.tsx';

type SeriesChartProps = {
  kind: 'bars' | 'lines';
  series: readonly Series[];
  spans: readonly Span[];
  metric: Metric;
  granularity: Granularity;
  period: { start: string; end: string };
  /** Amounts of this day are not final. */
  today: string;
  /** Uses a logarithmic axis for lines, so that a large one does not flatten the others. */
  isLog?: boolean;
  marked?: string | null;
  /** Null means that the chart has no room for pins. */
  pins?: readonly Pin[] | null;
  /** The spans that the rest of the page is about. */
  shaded?: { first: string; last: string } | null;
  /** Reasons of unusual spans, by their start. */
  warnings?: ReadonlyMap<string, string>;
  /** Called for a click on a part. Without it, a click selects the span. */
  onSeries?: (series: Series) => void;
  /** Without it, nothing can be clicked. */
  onSpans?: (first: string, last: string) => void;
  /** Called with the key of the line at the pointer, or null. */
  onMark?: (key: string | null) => void;
};

type Row = Span & { values: number[]; befores: (number | null)[] };

const heightOf = ({ total }: Row): number => total;

const none = new Map<string, string>();

/** Factor that leaves room for a mark between the highest column and the pins. */
const warningRoom = 1.1;

export function SeriesChart({
  kind,
  series,
  spans,
  metric,
  granularity,
  isLog = false,
  marked = null,
  pins = null,
  shaded = null,
  warnings = none,
  ...props
}: SeriesChartProps) {
  const { period, today, onSeries, onSpans, onMark } = props;
  const height = useChartHeight();
  const words = metrics[metric];
  const isStacked = kind === 'bars';
  const rows: Row[] = spans.map((span, index) => ({
    ...span,
    values: series.map(({ values }) => values[index] ?? 0),
    befores: series.map(({ previous }) => previous[index] ?? null),
  }));
  const starts = spans.map(({ start }) => start);
  const placed = placedOn(starts, pins ?? []);
  const isCompared = spans.some(({ previous }) => previous !== null && previous > 0);
  // With several lines, each has its own dashed line.
  const hasOwnPrevious = !isStacked && series.length > 1;
  const hasPrevious = !hasOwnPrevious && showsPrevious(spans);
  const highest = highestOf(rows, isStacked, hasOwnPrevious, hasPrevious);
  const { unit, ticks } = isLog
    ? logTicks(highest, words.isWhole)
    : { unit: 1, ticks: evenTicks(0, highest * (warnings.size > 0 ? warningRoom : 1), words.isWhole) };
  const pick = (start: string, units: number): void => {
    const amount = units * unit;
    const values = rows.find((row) => row.start === start)?.values ?? [];
    const index = isStacked ? partAt(amount, values) : nearestTo(amount, values);
    const picked = index === null ? undefined : series[index];
    if (onSeries && picked?.narrow) onSeries(picked);
    else onSpans?.(start, start);
  };
  const note = (row: Row) => {
    const isSoFar = row.start <= today && today <= endOf(row.start, granularity, period);
    return (
      <SeriesNote
        {...row}
        previous={isCompared ? row.previous : null}
        metric={metric}
        isSoFar={isSoFar}
        title={`${spanTitle(row.start, granularity, period)}${isSoFar ? ', so far' : ''}`}
        parts={series.map((each, index) => ({ ...each, value: row.values[index]! }))}
        notes={notesOn(row.start, warnings, placed)}
        days={daysTitle(row.start, { granularity, period, today })}
      />
    );
  };
  const partial = partialOf(spans, { granularity, period, today });
  const line = isStacked ? -1 : series.length === 1 ? 0 : series.findIndex(({ key }) => key === marked);
  const tops = new Map(
    rows.filter(({ start }) => warnings.has(start)).map(({ start, total }) => [start, total]),
  );
  return (
    <TimeChart
      rows={rows}
      height={height}
      granularity={granularity}
      note={note}
      ticks={ticks}
      isLog={isLog}
      parts={isStacked ? partsOf(series, unit, marked) : undefined}
      isPale={({ start }) => partial.has(start)}
      lines={[
        ...(isStacked ? [] : linesOf(series, unit, marked, hasOwnPrevious)),
        ...(hasPrevious ? [previousLine(unit)] : []),
      ]}
      heightOf={heightOf}
      onAxis={(units) => words.axis(units * unit)}
      lineOf={line < 0 ? undefined : ({ values }: Row) => values[line]! / unit}
      top={pins && pins.length > 0 ? pinRoom : 8}
      shaded={shaded}
      onPick={onSpans && pick}
      onRange={onSpans}
      onPoint={onMark && hasOwnPrevious ? (place) => onMark(keyAt(place, rows, series, unit)) : undefined}
    >
      {(plot) => (
        <>
          <Warnings plot={plot} tops={tops} />
          <Pins plot={plot} pins={placed} />
        </>
      )}
    </TimeChart>
  );
}

/** The key of the line near the pointer; null if there is none. */
function keyAt(
  place: Place | null,
  rows: readonly Row[],
  series: readonly Series[],
  unit: number,
): string | null {
  const values = rows.find(({ start }) => start === place?.start)?.values ?? [];
  const amount = (place?.amount ?? 0) * unit;
  const nearest = nearestTo(amount, values);
  const isNear = nearest !== null && Math.abs(values[nearest]! - amount) <= place!.near * unit;
  return isNear ? series[nearest]!.key : null;
}

const opacityOf = (key: string, marked: string | null): number =>
  marked === null || marked === key ? 1 : 0.2;

function partsOf(series: readonly Series[], unit: number, marked: string | null): Part<Row>[] {
  return series.map(({ key, slot }, index) => ({
    key,
    of: ({ values }) => values[index]! / unit,
    color: colorOf(slot),
    opacity: opacityOf(key, marked),
  }));
}

/** Each line, after that of its previous period. */
function linesOf(
  series: readonly Series[],
  unit: number,
  marked: string | null,
  hasOwnPrevious: boolean,
): Line<Row>[] {
  const isCrowded = series.length > maxWithPrevious;
  return partsOf(series, unit, marked).flatMap((part, index): Line<Row>[] => {
    const isMarked = part.key === marked;
    const before: Line<Row> = {
      ...part,
      key: `${part.key} before`,
      of: ({ befores }) => unitsOf(befores[index] ?? null, unit),
      opacity: isMarked ? 1 : part.opacity! * 0.6,
      isDashed: true,
    };
    return [...(hasOwnPrevious && (isMarked || !isCrowded) ? [before] : []), part];
  });
}

function previousLine(unit: number): Line<Row> {
  return {
    key: 'before',
    of: ({ previous }) => unitsOf(previous, unit),
    color: 'var(--chart-previous)',
    isDashed: true,
    hasOutline: true,
  };
}

const unitsOf = (amount: number | null, unit: number): number | null =>
  amount === null ? null : amount / unit;

function placedOn(starts: readonly string[], pins: readonly Pin[]): PlacedPin[] {
  return pins.flatMap((pin) => {
    const first = spanAt(pin.start, starts) ?? starts[0];
    const last = spanAt(pin.end, starts);
    return first !== undefined && last !== null ? [{ ...pin, first, last }] : [];
  });
}

function notesOn(start: string, warnings: ReadonlyMap<string, string>, pins: readonly PlacedPin[]): string[] {
  const warning = warnings.get(start);
  const texts = pins
    .filter(({ first, last }) => first <= start && start <= last)
    .map(({ number, text }) => `${number}. ${text}`);
  return warning === undefined ? texts : [warning, ...texts];
}

function highestOf(rows: Row[], isStacked: boolean, hasOwnPrevious: boolean, hasPrevious: boolean): number {
  const heights = rows.map(({ values, befores, previous }) => {
    const height = isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
    const before = hasOwnPrevious ? befores.map((value) => value ?? 0) : [hasPrevious ? (previous ?? 0) : 0];
    return Math.max(height, ...before);
  });
  return Math.max(0, ...heights);
}
