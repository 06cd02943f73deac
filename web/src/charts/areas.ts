import { linesIn, shortLineIn, type Line } from './areaWords.ts';
import { othersTitle, type Leaf, type Tile } from './series.ts';

export type Box = { x: number; y: number; width: number; height: number };

/** Of a treemap. Only a strip at the end has no line. */
export type Area = { leaf: Leaf; tile: Tile; box: Box; lines: Line[] };

type Size = { width: number; height: number };
type Valued = { value: number };

/** In square pixels: smaller areas have no room for words in any shape. */
const minArea = 900;

/** As many areas as have room for their words. What is left of a tile is one area, as are the tiles that are left. */
export function areasOf(tiles: readonly Tile[], size: Size, amountOf: (value: number) => string): Area[] {
  const whole = { x: 0, y: 0, ...size };
  const perPixel = sumOf(tiles) / (size.width * size.height);
  const areasIn = (tile: Tile, box: Box, isLast: boolean): Area[] | null => {
    const labeled = (leaf: Leaf, within: Box, isEnd: boolean, parent: string | null): Area | null => {
      const lines = linesIn({ name: leaf.name, parent, amount: amountOf(leaf.value) }, within);
      if (lines.length > 0) return { leaf, tile, box: within, lines };
      return isEnd ? { leaf, tile, box: within, lines: shortLineIn(leaf.name, within) } : null;
    };
    const parts = largestFitting(tile.children, minArea * perPixel, (kept, left) => {
      if (kept.length === 0) return null;
      const leaves = [...kept, ...leafOf(left, tile)];
      const boxes = boxesOf(leaves, box);
      return unlessNull(
        leaves.map((leaf, index) => {
          const isFirst = index === 0 && leaf.name !== tile.name;
          const isEnd = index > 0 && index === leaves.length - 1;
          return labeled(leaf, boxes[index]!, isEnd, isFirst ? tile.name : null);
        }),
      );
    });
    if (parts) return parts;
    const together = labeled({ ...allOf(tile), name: tile.name }, box, isLast, null);
    return together && [together];
  };
  const unnamed = tiles.filter(({ key }) => key === '');
  const found = largestFitting(
    tiles.filter(({ key }) => key !== ''),
    minArea * perPixel,
    (kept, left) => {
      const shown = [...kept, ...tileOf([...left, ...unnamed])];
      const boxes = boxesOf(shown, whole);
      return unlessNull(
        shown.map((tile, index) =>
          areasIn(tile, boxes[index]!, kept.length > 0 && index === shown.length - 1),
        ),
      )?.flat();
    },
  );
  if (found) return found;
  const boxes = boxesOf(tiles, whole);
  return tiles.map((tile, index) => ({ leaf: allOf(tile), tile, box: boxes[index]!, lines: [] }));
}

/** With as many of the first, which are the largest, as can be. */
function largestFitting<T extends Valued, Result>(
  all: readonly T[],
  least: number,
  attempt: (kept: T[], left: T[]) => Result | null | undefined,
): Result | null {
  for (let count = all.filter(({ value }) => value >= least).length; count >= 0; count--) {
    const result = attempt(all.slice(0, count), all.slice(count));
    if (result) return result;
  }
  return null;
}

function unlessNull<T>(values: (T | null)[]): T[] | null {
  return values.includes(null) ? null : (values as T[]);
}

function leafOf(leaves: readonly Leaf[], { key, name, slot }: Tile): readonly Leaf[] {
  if (leaves.length < 2) return leaves;
  const value = sumOf(leaves);
  return [{ key: `${key}&`, name: othersTitle(leaves.length), parent: name, slot, value, narrow: null }];
}

function tileOf(tiles: readonly Tile[]): readonly Tile[] {
  if (tiles.length < 2) return tiles;
  const name = tiles.some(({ key }) => key === '') ? 'All others' : othersTitle(tiles.length);
  const leaf: Leaf = { key: '', name, parent: name, slot: null, value: sumOf(tiles), narrow: null };
  return [{ ...leaf, first: null, children: [leaf] }];
}

/** The only leaf, or one of all. */
function allOf({ key, name, slot, value, children }: Tile): Leaf {
  if (children.length === 1) return children[0]!;
  return { key, name, parent: name, slot, value, narrow: null };
}

function sumOf(values: readonly Valued[]): number {
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** How much wider than high an area should be, because words are. */
const aspect = 1.6;

/** Squarified: rows along the shorter side, each as long as its areas come nearer to their shape. */
export function boxesOf(values: readonly Valued[], { x, y, width, height }: Box): Box[] {
  const perValue = (width * height * aspect) / sumOf(values);
  const areas = values.map(({ value }) => value * perValue);
  const boxes: Box[] = [];
  let rest: Box = { x: 0, y: 0, width, height: height * aspect };
  while (boxes.length < areas.length) {
    const left = areas.slice(boxes.length);
    const side = Math.min(rest.width, rest.height);
    let count = 1;
    while (count < left.length && worst(left.slice(0, count + 1), side) <= worst(left.slice(0, count), side))
      count++;
    const row = left.slice(0, count);
    const depth = row.reduce((sum, area) => sum + area, 0) / side;
    const isColumn = rest.width >= rest.height;
    let at = 0;
    for (const area of row) {
      const length = area / depth;
      boxes.push(
        isColumn
          ? { x: rest.x, y: rest.y + at, width: depth, height: length }
          : { x: rest.x + at, y: rest.y, width: length, height: depth },
      );
      at += length;
    }
    rest = isColumn
      ? { ...rest, x: rest.x + depth, width: rest.width - depth }
      : { ...rest, y: rest.y + depth, height: rest.height - depth };
  }
  return boxes.map((box) => ({
    x: x + box.x,
    y: y + box.y / aspect,
    width: box.width,
    height: box.height / aspect,
  }));
}

/** The ratio of the sides of the area that is farthest from a square. */
function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  return Math.max(
    ...row.map((area) => Math.max((side ** 2 * area) / sum ** 2, sum ** 2 / (side ** 2 * area))),
  );
}
