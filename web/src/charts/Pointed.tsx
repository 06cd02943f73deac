import { useLayoutEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { barOf, noteAt, type Plot } from './plot.ts';

export type Place = { start: string; amount: number; near: number };
/** A point of a line, which a circle marks. */
type Dot = { amount: number; color: string };

type Props = {
  plot: Plot;
  size: { width: number; height: number };
  /** Whether to highlight the column at the pointer, instead of points on lines. */
  hasColumns: boolean;
  dotsAt: (start: string) => readonly Dot[];
  noteOf: (start: string) => ReactNode;
  /** The side of the note, and its upper end if it does not follow the pointer. */
  noteBeside: (start: string) => { isLeft: boolean; y?: number };
  onPick?: ((start: string, amount: number) => void) | undefined;
  onRange?: ((first: string, last: string) => void) | undefined;
  /** Called with the pointer's position and the distance that still counts as near, or with null when it leaves. */
  onPoint?: ((place: Place | null) => void) | undefined;
  children: ReactNode;
};

/** Distance in pixels that counts as near. */
const nearby = 24;

/** Pixels; shorter drags count as clicks. */
const minDrag = 8;

/** A chart under a pointer, which shows a note. A click picks a point in a column, a drag picks a range of columns. */
export function Pointed({ plot, size, hasColumns, onPick, onRange, onPoint, children, ...props }: Props) {
  const { left, top, width, height, column, startAt, amountAt, middleOf } = plot;
  const [active, setActive] = useState<{ start: string; y: number } | null>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const area = { x: left, y: top, width, height };
  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent<SVGRectElement>) => {
    const box = currentTarget.getBoundingClientRect();
    return { x: left + clientX - box.left, y: top + clientY - box.top };
  };
  const range = drag && { low: Math.min(drag.from, drag.to), high: Math.max(drag.from, drag.to) };
  const isRange = !!onRange && !!range && range.high - range.low >= minDrag;
  const end = (event: PointerEvent<SVGRectElement>): void => {
    if (!drag) return;
    setDrag(null);
    const { x, y } = placeOf(event);
    // The last move may not be rendered yet.
    const [low, high] = [Math.min(drag.from, x), Math.max(drag.from, x)];
    if (onRange && high - low >= minDrag) onRange(startAt(low), startAt(high));
    else onPick?.(startAt(x), amountAt(y));
  };
  const note = active && props.noteOf(active.start);
  return (
    <>
      <svg
        width="100%"
        height={size.height}
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        className="plot"
      >
        {children}
        {note && !drag && hasColumns && (
          <rect {...area} x={middleOf(active.start) - column / 2} width={column} fill="var(--chart-hover)" />
        )}
        {note && !hasColumns && (
          <Cursor plot={plot} x={middleOf(active.start)} dots={props.dotsAt(active.start)} />
        )}
        {isRange && <rect {...area} x={range.low} width={range.high - range.low} fill="var(--chart-brush)" />}
        <rect
          {...area}
          fill="transparent"
          cursor={onPick ? 'pointer' : 'default'}
          style={{ touchAction: 'pan-y' }}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            const { x, y } = placeOf(event);
            event.currentTarget.setPointerCapture(event.pointerId);
            setActive({ start: startAt(x), y });
            setDrag({ from: x, to: x });
          }}
          onPointerMove={(event) => {
            const { x, y } = placeOf(event);
            const amount = amountAt(y);
            setActive({ start: startAt(x), y });
            onPoint?.({ start: startAt(x), amount, near: amountAt(y - nearby) - amount });
            if (drag) setDrag({ ...drag, to: Math.min(Math.max(x, left), left + width) });
          }}
          onPointerUp={end}
          onPointerCancel={() => setDrag(null)}
          onPointerLeave={() => onPoint?.(null)}
          // After a tap, browsers send this only with the next tap elsewhere, so that the note can be read.
          onMouseLeave={() => setActive(null)}
        />
      </svg>
      {note && (
        <BesidePoint
          plot={plot}
          at={{ x: middleOf(active.start), y: active.y }}
          gap={hasColumns ? barOf(column) / 2 + 8 : 10}
          {...props.noteBeside(active.start)}
        >
          {note}
        </BesidePoint>
      )}
    </>
  );
}

function Cursor({ plot: { top, height, yOf }, x, dots }: { plot: Plot; x: number; dots: readonly Dot[] }) {
  return (
    <>
      <path d={`M${x} ${top}V${top + height}`} stroke="var(--chart-axis)" />
      {dots.map(({ amount, color }) => (
        <circle
          key={color}
          cx={x}
          cy={yOf(amount)}
          r={4}
          fill={color}
          stroke="var(--chart-gap)"
          strokeWidth={2}
        />
      ))}
    </>
  );
}

type BesideProps = {
  plot: Plot;
  at: { x: number; y: number };
  gap: number;
  isLeft: boolean;
  y?: number;
  children: ReactNode;
};

function BesidePoint({ plot, at, gap, isLeft, y, children }: BesideProps) {
  const note = useRef<HTMLDivElement>(null);
  // Its size depends on its text, so it is placed once it is laid out, before it is painted.
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height, style } = note.current!;
    const place = noteAt({ ...at, gap, isLeft }, { width, height }, plot);
    style.translate = `${place.x}px ${y ?? place.y}px`;
  });
  return (
    <div ref={note} className="plot-note">
      {children}
    </div>
  );
}
