import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useRef, useState, type KeyboardEvent } from 'react';
import { metrics, valueTitle, type Metric } from '../analysis/words.ts';
import { useChartHeight } from './ChartFrame.tsx';
import type { Cell } from './series.ts';
import { NoteBeside } from './SeriesNote.tsx';

type Props = { cells: Cell[][]; metric: Metric; onCell?: (cell: Cell) => void };

type At = { row: number; column: number };

const label = { width: 40, height: 48 };
const gap = 2;
const scale = [0, 0.04, 0.16, 0.36, 0.64, 1];
const moves: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Weekdays by hours. The grid is one tab stop; arrow keys move between cells. */
export function HeatMap({ cells, metric, onCell }: Props) {
  const height = useChartHeight();
  const { ref, width } = useElementSize();
  const grid = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<At>({ row: 0, column: 0 });
  const [noted, setNoted] = useState<(At & { x: number; y: number }) | null>(null);
  const words = metrics[metric];
  const highest = Math.max(...cells.flat().map(({ value }) => value), 0);
  const cellWidth = Math.max(0, (width - label.width) / 24);
  const cellHeight = (height - label.height) / 7;

  const press = (event: KeyboardEvent): void => {
    const [rows, columns] = moves[event.key] ?? [];
    const isOpened = event.key === 'Enter' || event.key === ' ';
    if (!isOpened && rows === undefined) return;
    event.preventDefault();
    if (isOpened) return open(at);
    const next = { row: (at.row + rows! + 7) % 7, column: (at.column + columns! + 24) % 24 };
    grid.current?.querySelector<SVGElement>(`[data-cell="${next.row}-${next.column}"]`)?.focus();
  };
  const open = ({ row, column }: At): void => {
    const cell = cells[row]![column]!;
    if (cell.value > 0) onCell?.(cell);
  };
  const focus = (place: At): void => {
    setAt(place);
    const [x, y] = [label.width + (place.column + 0.5) * cellWidth, (place.row + 0.5) * cellHeight];
    setNoted({ ...place, x, y });
  };

  return (
    <Box ref={ref} h={height} pos="relative" onPointerLeave={() => setNoted(null)}>
      <svg
        ref={grid}
        role="grid"
        aria-label={`${words.title} by weekday and hour, UTC, on average`}
        width={width}
        height={height}
        onKeyDown={press}
        onBlur={() => setNoted(null)}
      >
        {cells.map((row, rowIndex) => (
          <g key={row[0]!.weekday} role="row">
            <text {...axisText} role="rowheader" x={0} y={(rowIndex + 0.5) * cellHeight + 4}>
              {valueTitle('weekday', row[0]!.weekday).slice(0, 3)}
            </text>
            {row.map((cell, column) => (
              <rect
                key={cell.hour}
                role="gridcell"
                className={cell.value > 0 ? 'heat-cell' : 'heat-cell heat-empty'}
                data-cell={`${rowIndex}-${column}`}
                aria-label={`${valueTitle('weekday', cell.weekday)} ${cell.hour}:00: ${averageIn(words, cell.value)}`}
                tabIndex={at.row === rowIndex && at.column === column ? 0 : -1}
                x={label.width + column * cellWidth}
                y={rowIndex * cellHeight}
                width={Math.max(0, cellWidth - gap)}
                height={cellHeight - gap}
                rx={3}
                fill={cell.value > 0 ? shade(cell.value / highest) : undefined}
                cursor={onCell && cell.value > 0 ? 'pointer' : 'default'}
                onFocus={() => focus({ row: rowIndex, column })}
                onClick={() => open({ row: rowIndex, column })}
                onPointerMove={({ clientX, clientY }) => {
                  const box = grid.current!.getBoundingClientRect();
                  setNoted({ row: rowIndex, column, x: clientX - box.left, y: clientY - box.top });
                }}
              />
            ))}
          </g>
        ))}
        <Scales
          cellWidth={cellWidth}
          height={height}
          lowest={words.cell(0)}
          highest={`${averageIn(words, highest)} on average`}
        />
      </svg>
      {noted && <CellNote cell={cells[noted.row]![noted.column]!} at={noted} width={width} metric={metric} />}
    </Box>
  );
}

const axisText = { fontSize: 12, fill: 'var(--mantine-color-dimmed)' };

type ScalesProps = { cellWidth: number; height: number; lowest: string; highest: string };

function Scales({ cellWidth, height, lowest, highest }: ScalesProps) {
  const step = cellWidth < 20 ? 6 : cellWidth < 34 ? 3 : 2;
  const hours = Array.from({ length: 24 / step }, (_, index) => index * step);
  const shades = label.width + 8 + 7 * lowest.length;
  return (
    <g aria-hidden="true">
      {hours.map((hour) => (
        <text key={hour} {...axisText} x={label.width + hour * cellWidth} y={height - label.height + 16}>
          {`${String(hour).padStart(2, '0')}:00`}
        </text>
      ))}
      <text {...axisText} x={label.width} y={height - 4}>
        {lowest}
      </text>
      {scale.map((part, index) => (
        <rect
          key={part}
          x={shades + 18 * index}
          y={height - 15}
          width={16}
          height={12}
          rx={2}
          fill={part > 0 ? shade(part) : undefined}
          className={part > 0 ? undefined : 'heat-empty'}
        />
      ))}
      <text {...axisText} x={shades + 6 + 18 * scale.length} y={height - 4}>
        {highest}
      </text>
    </g>
  );
}

type NoteProps = { cell: Cell; at: { x: number; y: number }; width: number; metric: Metric };

function CellNote({ cell: { weekday, hour, value, previous, total, days }, at, width, metric }: NoteProps) {
  const words = metrics[metric];
  const weekdayName = valueTitle('weekday', weekday);
  return (
    <NoteBeside
      at={at}
      width={width}
      title={`${weekdayName}, ${hour}:00–${hour}:59 UTC`}
      total={words.isWhole ? tenth(value) : value}
      previous={previous}
      metric={metric}
      notes={days > 1 ? [`on average; ${words.amount(total)} on ${days} ${weekdayName}s`] : []}
    />
  );
}

const tenth = (value: number): number => Math.round(10 * value) / 10;

function averageIn({ amount, isWhole }: (typeof metrics)[Metric], value: number): string {
  return amount(isWhole ? tenth(value) : value);
}

/**
 * One hue, so that more is darker on light pages and brighter on dark ones. The square root keeps one high cell from
 * making all others pale.
 */
function shade(part: number): string {
  return `color-mix(in srgb, var(--series-1) ${Math.round(12 + 88 * Math.sqrt(part))}%, var(--chart-gap))`;
}
