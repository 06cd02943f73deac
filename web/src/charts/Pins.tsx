import { DefaultZIndexes, usePlotArea, useXAxisScale, useYAxisScale, ZIndexLayer } from 'recharts';
import { apart } from './ticks.ts';

export type Pin = { number: number; start: string; end: string; text: string };
/** `first` and `last` are the starts of the spans where the pin's period begins and ends. */
export type PlacedPin = Pin & { first: string; last: string };

export const pinRoom = 24;
const radius = 8;

export function Pins({ pins }: { pins: readonly PlacedPin[] }) {
  const area = usePlotArea();
  const middleOf = useXAxisScale();
  if (!area || !middleOf) return null;
  const y = area.y - radius - 6;
  const at = (start: string) => middleOf(start, { position: 'middle' }) ?? 0;
  const heads = apart(
    pins.map(({ first }) => at(first)),
    2 * radius + 1,
    { start: area.x, end: area.x + area.width },
  );
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.line}>
      {pins.map(({ number, first, last }, index) => {
        const x = heads[index]!;
        return (
          <g key={number} aria-hidden="true" className="pin">
            {last !== first && (
              <rect
                x={at(first)}
                y={area.y - 5}
                width={at(last) - at(first)}
                height={3}
                rx={1.5}
                className="pin-span"
              />
            )}
            {/* From a head that had to move, it leads to its day. */}
            <path
              d={`M${x} ${y + radius}L${at(first)} ${area.y + 4}V${area.y + area.height}`}
              className="pin-line"
            />
            <circle cx={x} cy={y} r={radius} className="pin-head" />
            <text x={x} y={y + 3.5} className="pin-number">
              {number}
            </text>
          </g>
        );
      })}
    </ZIndexLayer>
  );
}

export function Shade({ first, last }: { first: string; last: string }) {
  const area = usePlotArea();
  const placeOf = useXAxisScale();
  if (!area || !placeOf) return null;
  const [start, end] = [placeOf(first, { position: 'start' }) ?? 0, placeOf(last, { position: 'end' }) ?? 0];
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.barBackground}>
      <rect x={start} y={area.y} width={end - start} height={area.height} className="shade" />
    </ZIndexLayer>
  );
}

/** Marks columns that are cut off at the top of the scale. */
export function Breaks({ starts, color }: { starts: readonly string[]; color: string }) {
  const area = usePlotArea();
  const placeOf = useXAxisScale();
  if (!area || !placeOf) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.line}>
      {starts.map((start) => {
        const [left, right] = (['start', 'end'] as const).map(
          (position) => placeOf(start, { position }) ?? 0,
        );
        const [x, y] = [(left! + right!) / 2, area.y + 12];
        return (
          <g key={start} aria-hidden="true">
            <path
              d={`M${left! - 2} ${y + 3}L${right! + 2} ${y - 3}`}
              stroke="var(--chart-gap)"
              strokeWidth={4}
            />
            <path d={`M${x - 5} ${area.y}L${x} ${area.y - 7}L${x + 5} ${area.y}Z`} fill={color} />
          </g>
        );
      })}
    </ZIndexLayer>
  );
}

/** A mark above each unusual column. `tops` maps the start of a span to its height. */
export function Warnings({ tops }: { tops: ReadonlyMap<string, number> }) {
  const middleOf = useXAxisScale();
  const heightOf = useYAxisScale();
  if (!middleOf || !heightOf) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.line}>
      {[...tops].map(([start, amount]) => {
        const [x, y] = [middleOf(start, { position: 'middle' }) ?? 0, (heightOf(amount) ?? 0) - 8];
        return (
          <path
            key={start}
            d={`M${x} ${y - 4.5}L${x + 4.5} ${y}L${x} ${y + 4.5}L${x - 4.5} ${y}Z`}
            className="warning-mark"
          />
        );
      })}
    </ZIndexLayer>
  );
}
