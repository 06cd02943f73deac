import { Fragment } from 'react';
import { colorOf } from '../analysis/colors.ts';
import { metrics, type Granularity, type Metric } from '../analysis/words.ts';
import { Pins, pinRoom, Shade, Warnings, type Pin, type PlacedPin } from './Pins.tsx';
import type { Series } from './series.ts';
import { SeriesNote } from './SeriesNote.tsx';
import {
  endOf,
  nearestTo,
  partAt,
  showsPrevious,
  spanAt,
  spanTitle,
  unfinishedOf,
  type Span,
} from './spans.ts';
import { evenTicks, logTicks } from './ticks.ts';
import { Bars, PreviousLine, TimeChart, Values } from './TimeChart.tsx';

type SeriesChartProps = {
  kind: 'bars' | 'lines';
  series: readonly Series[];
  spans: readonly Span[];
  metric: Metric;
  granularity: Granularity;
  period: { start: string; end: string };
  /** Its amounts are not final. */
  today: string;
  height: number;
  /** Of lines: a large one does not flatten the others. */
  isLog?: boolean;
  /** The key of the series that stands out. */
  marked?: string | null;
  /** Null: the chart has no room for pins. */
  pins?: readonly Pin[] | null;
  /** From one span to another: what the rest of the page is about. */
  shaded?: { first: string; last: string } | null;
  /** Spans that stand out, and why. */
  warnings?: ReadonlyMap<string, string>;
  /** A click on a part; without it, a click is on its span. */
  onSeries?: (series: Series) => void;
  /** Without it, nothing can be clicked. */
  onSpans?: (first: string, last: string) => void;
};

type Row = Span & { values: number[]; befores: (number | null)[] };

const none = new Map<string, string>();

export function SeriesChart({
  kind,
  series,
  spans,
  metric,
  granularity,
  height,
  isLog = false,
  marked = null,
  pins = null,
  shaded = null,
  warnings = none,
  ...props
}: SeriesChartProps) {
  const { period, today, onSeries, onSpans } = props;
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
  // Of several lines, each has its own.
  const hasOwnPrevious = !isStacked && series.length > 1;
  const hasPrevious = !hasOwnPrevious && showsPrevious(spans);
  const highest = highestOf(rows, isStacked, hasOwnPrevious, hasPrevious);
  const { unit, ticks } = isLog
    ? logTicks(highest, words.isWhole)
    : { unit: 1, ticks: evenTicks(0, highest, words.isWhole) };
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
        {...{ metric, isSoFar }}
        title={`${spanTitle(row.start, granularity, period)}${isSoFar ? ', so far' : ''}`}
        parts={series.map((each, index) => ({ ...each, value: row.values[index]! }))}
        notes={notesOn(row.start, warnings, placed)}
      />
    );
  };
  const soFar = unfinishedOf(spans, today, granularity, period);
  const opacityOf = ({ key }: Series) => (marked === null || marked === key ? 1 : 0.2);
  return (
    <TimeChart
      {...{ rows, height, granularity, note, ticks, isLog }}
      onAxis={(units) => words.axis(units * unit)}
      hasColumns={isStacked}
      top={pins && pins.length > 0 ? pinRoom : 8}
      onPick={onSpans && pick}
      onRange={onSpans}
    >
      {shaded && <Shade {...shaded} />}
      <Marks {...{ kind, series, soFar, opacityOf, hasOwnPrevious, unit }} count={spans.length} />
      {hasPrevious && (
        <PreviousLine of={({ previous }: Row) => (previous === null ? null : previous / unit)} />
      )}
      <Warnings
        tops={
          new Map(rows.filter(({ start }) => warnings.has(start)).map(({ start, total }) => [start, total]))
        }
      />
      <Pins pins={placed} />
    </TimeChart>
  );
}

type MarksProps = Pick<SeriesChartProps, 'kind' | 'series'> & {
  soFar: number;
  count: number;
  opacityOf: (series: Series) => number;
  hasOwnPrevious: boolean;
  unit: number;
};

function Marks({ kind, series, soFar, count, opacityOf, hasOwnPrevious, unit }: MarksProps) {
  return series.map((each, index) => {
    const [color, opacity] = [colorOf(each.slot), opacityOf(each)];
    const of = (row: Row) => row.values[index]! / unit;
    const before = ({ befores }: Row) => {
      const value = befores[index] ?? null;
      return value === null ? null : value / unit;
    };
    if (kind === 'bars') return <Bars key={each.key} {...{ of, color, opacity, count, soFar }} />;
    return (
      <Fragment key={each.key}>
        {hasOwnPrevious && <PreviousLine of={before} color={color} opacity={0.6 * opacity} />}
        <Values {...{ of, color, opacity }} dots={count === 1} />
      </Fragment>
    );
  });
}

/** Those that touch the spans which start on these days. */
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
