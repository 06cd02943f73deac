import type { Plot } from './plot.ts';
import { apart } from './ticks.ts';

export type Pin = { number: number; start: string; end: string; text: string };
/** `first` and `last` are the starts of the spans where the pin's period begins and ends. */
export type PlacedPin = Pin & { first: string; last: string };

export const pinRoom = 24;
const radius = 8;

export function Pins({ plot, pins }: { plot: Plot; pins: readonly PlacedPin[] }) {
  const { left, top, width, height, middleOf: at } = plot;
  const y = top - radius - 6;
  const heads = apart(
    pins.map(({ first }) => at(first)),
    2 * radius + 1,
    { start: left, end: left + width },
  );
  return pins.map(({ number, first, last }, index) => {
    const x = heads[index]!;
    return (
      <g key={number} aria-hidden="true" className="pin">
        {last !== first && (
          <rect
            x={at(first)}
            y={top - 5}
            width={at(last) - at(first)}
            height={3}
            rx={1.5}
            className="pin-span"
          />
        )}
        {/* From a head that had to move, it leads to its day. */}
        <path d={`M${x} ${y + radius}L${at(first)} ${top + 4}V${top + height}`} className="pin-line" />
        <circle cx={x} cy={y} r={radius} className="pin-head" />
        <text x={x} y={y + 4} className="pin-number">
          {number}
        </text>
      </g>
    );
  });
}

type BreaksProps = { plot: Plot; starts: readonly string[]; color: string };

/** Marks columns that are cut off at the top of the scale. */
export function Breaks({ plot: { top, column, middleOf }, starts, color }: BreaksProps) {
  return starts.map((start) => {
    const [x, y, half] = [middleOf(start), top + 12, column / 2 + 2];
    return (
      <g key={start} aria-hidden="true">
        <path d={`M${x - half} ${y + 3}L${x + half} ${y - 3}`} stroke="var(--chart-gap)" strokeWidth={4} />
        <path d={`M${x - 5} ${top}L${x} ${top - 7}L${x + 5} ${top}Z`} fill={color} />
      </g>
    );
  });
}

/** A mark above each unusual column. `tops` maps the start of a span to its height. */
export function Warnings({ plot, tops }: { plot: Plot; tops: ReadonlyMap<string, number> }) {
  return [...tops].map(([start, amount]) => {
    const [x, y] = [plot.middleOf(start), plot.yOf(amount) - 8];
    return (
      <path
        key={start}
        d={`M${x} ${y - 4.5}L${x + 4.5} ${y}L${x} ${y + 4.5}L${x - 4.5} ${y}Z`}
        className="warning-mark"
      />
    );
  });
}
