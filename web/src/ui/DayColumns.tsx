import { DefaultZIndexes, usePlotArea, useXAxisDomain, useXAxisScale, ZIndexLayer } from 'recharts';

/** Covers a chart and reports clicks by day. The chart itself needs pointer moves, which touch lacks. */
export function DayColumns({ onDay }: { onDay: (day: string) => void }) {
  const area = usePlotArea();
  const days = useXAxisDomain() as string[] | undefined;
  const middleOf = useXAxisScale();
  if (!area || !days?.length || !middleOf) return null;
  const dayAt = (x: number): string => {
    const distance = (day: string) => Math.abs((middleOf(day, { position: 'middle' }) ?? Infinity) - x);
    return days.reduce((nearest, day) => (distance(day) < distance(nearest) ? day : nearest));
  };
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label}>
      <rect
        {...{ x: area.x, y: area.y, width: area.width, height: area.height }}
        fill="transparent"
        cursor="pointer"
        onClick={({ clientX, currentTarget }) =>
          onDay(dayAt(area.x + clientX - currentTarget.getBoundingClientRect().left))
        }
      />
    </ZIndexLayer>
  );
}
