import { useState } from 'react';
import { ResponsiveContainer, Tooltip, Treemap } from 'recharts';
import { colorOf, inkOf } from '../analysis/colors.ts';
import { metrics, type Metric } from '../analysis/words.ts';
import { share } from '../ui/figures.ts';
import { linesIn } from './areaWords.ts';
import { withoutTiny, type Leaf, type Tile } from './series.ts';
import { SeriesNote } from './SeriesNote.tsx';

type Props = {
  tiles: Tile[];
  total: number;
  metric: Metric;
  height: number;
  marked: string | null;
  /** Without it, nothing can be clicked. */
  onLeaf?: (leaf: Leaf) => void;
};

type Place = { x: number; y: number; width: number; height: number; depth: number };

/** In square pixels: a word, with room around it. */
const leastArea = 2_400;

export function TreemapChart({ tiles: all, total, metric, height, marked, onLeaf }: Props) {
  const [width, setWidth] = useState(600);
  const sum = all.reduce((before, { value }) => before + value, 0);
  const tiles = withoutTiny(all, (leastArea * sum) / (width * height));
  const leaves = new Map(tiles.flatMap(({ children }) => children).map((leaf) => [leaf.key, leaf]));
  const rootOf = new Map(tiles.flatMap((tile) => tile.children.map((leaf) => [leaf.key, tile])));
  const data = tiles.map(({ key, name, children }) => ({
    ...{ key, name },
    children: children.map((leaf) => ({ key: leaf.key, name: leaf.name, value: leaf.value })),
  }));
  const words = metrics[metric];
  return (
    <ResponsiveContainer
      width="100%"
      height={height}
      initialDimension={{ width: 600, height }}
      onResize={setWidth}
    >
      <Treemap
        data={data}
        dataKey="value"
        aspectRatio={1.6}
        isAnimationActive={false}
        content={(node) => {
          const { key, ...place } = node as unknown as Place & { key: string };
          const leaf = leaves.get(key);
          if (place.depth !== 2 || !leaf) return <g />;
          const isFaded = marked !== null && marked !== rootOf.get(key)?.key;
          const isFirst = rootOf.get(key)?.children[0] === leaf;
          return (
            <LeafTile
              {...{ leaf, place, isFaded, isFirst, onLeaf: onLeaf ?? null }}
              amount={words.cell(leaf.value)}
            />
          );
        }}
      >
        <Tooltip
          isAnimationActive={false}
          content={({ payload }) => {
            const leaf = leaves.get((payload[0]?.payload as { key?: string } | undefined)?.key ?? '-');
            if (!leaf) return null;
            const title = leaf.name === leaf.parent ? leaf.name : `${leaf.parent} · ${leaf.name}`;
            const part = total > 0 ? `${share(leaf.value / total)} of the total` : '';
            return (
              <SeriesNote title={`${title} · ${part}`} total={leaf.value} previous={null} metric={metric} />
            );
          }}
        />
      </Treemap>
    </ResponsiveContainer>
  );
}

type LeafProps = {
  leaf: Leaf;
  place: Place;
  amount: string;
  isFaded: boolean;
  isFirst: boolean;
  onLeaf: ((leaf: Leaf) => void) | null;
};

/** Small tiles have no room for words; the tooltip and the table have them. */
function LeafTile({ leaf, place: { x, y, width, height }, amount, isFaded, isFirst, onLeaf }: LeafProps) {
  const { name } = leaf;
  const parent = isFirst && leaf.parent !== name ? leaf.parent : null;
  const flat = linesIn({ name, parent, amount }, { width, height });
  // A narrow area has its words from top to bottom.
  const isTurned = flat.length === 0 && height > width;
  const lines = isTurned ? linesIn({ name, parent, amount }, { width: height, height: width }) : flat;
  return (
    <g
      opacity={isFaded ? 0.25 : 1}
      cursor={onLeaf && leaf.narrow ? 'pointer' : 'default'}
      onClick={() => leaf.narrow && onLeaf?.(leaf)}
    >
      <rect
        {...{ x, y, width, height }}
        fill={colorOf(leaf.slot)}
        stroke="var(--chart-gap)"
        strokeWidth={2}
      />
      {lines.map(({ text, weight }, index) => (
        <text
          key={`${index} ${text}`}
          {...(isTurned
            ? {
                transform: `translate(${x + width / 2 - 4 + 8 * (lines.length - 1) - 16 * index} ${y + 6}) rotate(90)`,
              }
            : { x: x + 7, y: y + Math.min(17, height / 2 + 4) + 16 * index })}
          fontSize={12}
          fontWeight={weight}
          fill={inkOf(leaf.slot)}
          stroke="none"
        >
          {text}
        </text>
      ))}
    </g>
  );
}
