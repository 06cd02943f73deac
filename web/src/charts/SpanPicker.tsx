import { useState, type PointerEvent } from 'react';
import {
  DefaultZIndexes,
  useActiveTooltipLabel,
  usePlotArea,
  useXAxisDomain,
  useXAxisScale,
  useYAxisInverseScale,
  ZIndexLayer,
} from 'recharts';

type Props = {
  /** Whether to highlight the column at the pointer. */
  hasColumns: boolean;
  onPick: ((start: string, amount: number) => void) | undefined;
  onRange: ((first: string, last: string) => void) | undefined;
  /** Called with the pointer's position and the distance that still counts as near, or with null when it leaves. */
  onPoint?: ((place: Place | null) => void) | undefined;
};

export type Place = { start: string; amount: number; near: number };

/** Distance in pixels that counts as near. */
const nearby = 24;

/** Pixels; shorter drags count as clicks. */
const minDrag = 8;

/** Covers a chart: a click picks a point in a column, a drag picks a range of columns. */
export function SpanPicker({ hasColumns, onPick, onRange, onPoint }: Props) {
  const area = usePlotArea();
  const starts = useXAxisDomain() as string[] | undefined;
  const middleOf = useXAxisScale();
  const amountAt = useYAxisInverseScale();
  const active = useActiveTooltipLabel();
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  if (!area || !starts?.length || !middleOf || !amountAt) return null;
  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent<SVGRectElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return { x: area.x + clientX - left, y: area.y + clientY - top };
  };
  const startAt = (x: number): string => {
    const distance = (start: string) => Math.abs((middleOf(start, { position: 'middle' }) ?? Infinity) - x);
    return starts.reduce((nearest, start) => (distance(start) < distance(nearest) ? start : nearest));
  };
  const end = (event: PointerEvent<SVGRectElement>): void => {
    if (!drag) return;
    setDrag(null);
    const { x, y } = placeOf(event);
    if (!onRange || Math.abs(drag.to - drag.from) < minDrag) return onPick?.(startAt(x), Number(amountAt(y)));
    const [low, high] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    onRange?.(startAt(low), startAt(high));
  };
  const width = area.width / starts.length;
  const middle = hasColumns && active !== undefined ? middleOf(active, { position: 'middle' }) : undefined;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label}>
      {middle !== undefined && !drag && (
        <rect
          x={middle - width / 2}
          y={area.y}
          width={width}
          height={area.height}
          fill="var(--chart-hover)"
        />
      )}
      {onRange && drag && Math.abs(drag.to - drag.from) >= minDrag && (
        <rect
          y={area.y}
          height={area.height}
          x={Math.min(drag.from, drag.to)}
          width={Math.abs(drag.to - drag.from)}
          fill="var(--chart-brush)"
        />
      )}
      <rect
        x={area.x}
        y={area.y}
        width={area.width}
        height={area.height}
        fill="transparent"
        cursor={onPick ? 'pointer' : 'default'}
        style={{ touchAction: 'pan-y' }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const { x } = placeOf(event);
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: x, to: x });
        }}
        onPointerMove={(event) => {
          const { x, y } = placeOf(event);
          const amount = Number(amountAt(y));
          onPoint?.({ start: startAt(x), amount, near: Number(amountAt(y - nearby)) - amount });
          if (!drag) return;
          setDrag({ ...drag, to: Math.min(Math.max(x, area.x), area.x + area.width) });
        }}
        onPointerUp={end}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => onPoint?.(null)}
      />
    </ZIndexLayer>
  );
}
