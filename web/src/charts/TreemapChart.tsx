import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useMemo, useState, type PointerEvent } from 'react';
import { colorOf, inkOf } from '../analysis/colors.ts';
import { metrics, type Metric } from '../analysis/words.ts';
import { share } from '../ui/figures.ts';
import { areasOf, type Area } from './areas.ts';
import './charts.css';
import { useChartHeight } from './ChartFrame.tsx';
import type { Leaf, Tile } from './series.ts';
import { NoteBeside } from './SeriesNote.tsx';

type Props = {
  tiles: Tile[];
  total: number;
  metric: Metric;
  marked: string | null;
  /** Without it, nothing can be clicked. */
  onArea?: (leaf: Leaf, tile: Tile) => void;
};

type Noted = { area: Area; x: number; y: number };

export function TreemapChart({ tiles, total, metric, marked, onArea }: Props) {
  const height = useChartHeight();
  const { ref, width } = useElementSize();
  const [noted, setNoted] = useState<Noted | null>(null);
  const areas = useMemo(
    () => (width > 0 ? areasOf(tiles, { width, height }, metrics[metric].cell) : []),
    [tiles, width, height, metric],
  );
  return (
    <Box ref={ref} h={height} pos="relative" onPointerLeave={() => setNoted(null)}>
      <svg width={width} height={height} display="block">
        {areas.map((area) => (
          <AreaTile
            key={area.leaf.key}
            area={area}
            isFaded={marked !== null && marked !== area.tile.key}
            onClick={onArea && area.tile.key !== '' ? () => onArea(area.leaf, area.tile) : null}
            onPointerMove={({ clientX, clientY, currentTarget }) => {
              const { left, top } = currentTarget.ownerSVGElement!.getBoundingClientRect();
              setNoted({ area, x: clientX - left, y: clientY - top });
            }}
          />
        ))}
      </svg>
      {noted && <AreaNote noted={noted} width={width} total={total} metric={metric} />}
    </Box>
  );
}

type AreaProps = {
  area: Area;
  isFaded: boolean;
  onClick: (() => void) | null;
  onPointerMove: (event: PointerEvent<SVGGElement>) => void;
};

function AreaTile({ area: { leaf, box, lines }, isFaded, onClick, onPointerMove }: AreaProps) {
  return (
    <g
      opacity={isFaded ? 0.25 : 1}
      cursor={onClick ? 'pointer' : 'default'}
      onPointerMove={onPointerMove}
      {...(onClick && { onClick })}
    >
      <rect {...box} fill={colorOf(leaf.slot)} stroke="var(--chart-gap)" strokeWidth={2} />
      {lines.map(({ text, weight }, index) => (
        <text
          key={`${index} ${text}`}
          x={box.x + 7}
          y={box.y + Math.min(17, box.height / 2 + 4) + 16 * index}
          fontSize={12}
          fontWeight={weight}
          fill={inkOf(leaf.slot)}
        >
          {text}
        </text>
      ))}
    </g>
  );
}

type NoteProps = { noted: Noted; width: number; total: number; metric: Metric };

function AreaNote({ noted: { area, ...at }, width, total, metric }: NoteProps) {
  const { name, parent, value } = area.leaf;
  const title = name === parent ? name : `${parent} · ${name}`;
  const part = total > 0 ? ` · ${share(value / total)} of the total` : '';
  return (
    <NoteBeside
      at={at}
      width={width}
      title={`${title}${part}`}
      total={value}
      previous={null}
      metric={metric}
    />
  );
}
