import { cutLineIn, linesIn, shortLineIn, type Line } from './areaWords.ts';
import { othersTitle, type Leaf, type Tile } from './series.ts';

export type Box = { x: number; y: number; width: number; height: number };

/** An area of a treemap. Only the last area, for what is left, may have no line. */
export type Area = { leaf: Leaf; tile: Tile; box: Box; lines: Line[] };

type Size = { width: number; height: number };
type Valued = { value: number };

/** Square pixels. Smaller areas have no room for words in any shape. */
const minArea = 900;

/** The largest part of the whole that may be combined into the last area so that it has words. */
const maxGathered = 0.1;

/**
 * Divides a treemap into labeled areas: each tile with a color in the legend, and as many other areas as have room for
 * their words. The rest of a tile is one area, and so are the remaining tiles.
 */
export function areasOf(tiles: readonly Tile[], size: Size, amountOf: (value: number) => string): Area[] {
  const whole = { x: 0, y: 0, ...size };
  const perPixel = sumOf(tiles) / (size.width * size.height);
  const labeled = (leaf: Leaf, tile: Tile, box: Box, isEnd: boolean, parent: string | null): Area | null => {
    const lines = linesIn({ name: leaf.name, parent, amount: amountOf(leaf.value) }, box);
    if (lines.length > 0) return { leaf, tile, box, lines };
    return isEnd ? { leaf, tile, box, lines: shortLineIn(leaf.name, box) } : null;
  };
  const partsIn = (tile: Tile, box: Box): Area[] | null =>
    largestFitting(tile.children, tile.value, minArea * perPixel, (kept, left, mayBeBlank) => {
      if (kept.length === 0) return null;
      const leaves = [...kept, ...leafOf(left, tile)];
      // Flatter areas have room for longer words.
      for (const flatness of [aspect, 2 * aspect, 4 * aspect]) {
        const boxes = boxesOf(leaves, box, flatness);
        const areas = leaves.map((leaf, index) => {
          const isFirst = index === 0 && leaf.name !== tile.name;
          const isEnd = index > 0 && index === leaves.length - 1;
          return labeled(leaf, tile, boxes[index]!, isEnd, isFirst ? tile.name : null);
        });
        // One area is better than two of which one has no words.
        const fitting = unlessNull(areas, mayBeBlank && areas.length > 2);
        if (fitting) return fitting;
      }
      return null;
    });
  const wholeIn = (tile: Tile, box: Box): Area => {
    const leaf = { ...allOf(tile), name: tile.name };
    const words = labeled(leaf, tile, box, true, null)!;
    // The legend only has the names of colored tiles, so other names must not be cut.
    const isCut = words.lines.length === 0 && tile.slot !== null;
    const lines = isCut ? cutLineIn(tile.name, box) : words.lines;
    // As bold as the names of tiles with parts.
    return { ...words, lines: lines.map(boldBefore) };
  };
  const unnamed = tiles.filter(({ key }) => key === '');
  const named = tiles.filter(({ key }) => key !== '');
  const colored = named.filter(({ slot }) => slot !== null);
  const others = named.filter(({ slot }) => slot === null);
  // Chooses the tiles first, as whole areas. Laying out their parts is slow, so it happens only in the chosen layout.
  const areas = largestFitting(others, sumOf(tiles), minArea * perPixel, (kept, left, mayBeBlank) => {
    const shown = [...colored, ...kept, ...tileOf([...left, ...unnamed])];
    const boxes = boxesOf(shown, whole);
    const attempt = shown.map((tile, index) => wholeIn(tile, boxes[index]!));
    const own = attempt.slice(colored.length, colored.length + kept.length);
    if (own.some(({ lines }) => lines.length === 0)) return null;
    return mayBeBlank || kept.length === 0 || attempt.at(-1)!.lines.length > 0 ? attempt : null;
  })!;
  return areas.flatMap((area) => {
    const parts = partsIn(area.tile, area.box);
    const mayBeBlank = area.tile.slot !== null;
    return parts && (mayBeBlank || parts.every(({ lines }) => lines.length > 0)) ? parts : [area];
  });
}

/** Keeps as many of the first (largest) items as possible. The last area may be blank only if no attempt avoids it. */
function largestFitting<T extends Valued, Result>(
  all: readonly T[],
  whole: number,
  least: number,
  attempt: (kept: T[], left: T[], mayBeBlank: boolean) => Result | null,
): Result | null {
  const maxCount = all.filter(({ value }) => value >= least).length;
  const gathered = maxGathered * whole;
  for (const mayBeBlank of [false, true]) {
    for (let count = maxCount; count >= 0; count--) {
      const left = all.slice(count);
      if (!mayBeBlank && count < maxCount && sumOf(left) > gathered) break;
      const result = attempt(all.slice(0, count), left, mayBeBlank);
      if (result) return result;
    }
  }
  return null;
}

function boldBefore(line: Line, index: number, { length }: readonly Line[]): Line {
  return index < length - 1 ? { ...line, weight: 700 } : line;
}

function unlessNull(areas: (Area | null)[], mayBeBlank: boolean): Area[] | null {
  return areas.every((area) => area && (mayBeBlank || area.lines.length > 0)) ? (areas as Area[]) : null;
}

function leafOf(leaves: readonly Leaf[], { key, name, slot }: Tile): readonly Leaf[] {
  if (leaves.length < 2) return leaves;
  const value = sumOf(leaves);
  return [{ key: `${key}&`, name: othersTitle(leaves.length), parent: name, slot, value, narrow: null }];
}

function tileOf(tiles: readonly Tile[]): readonly Tile[] {
  if (tiles.length < 2) return tiles;
  const name = tiles.some(({ key }) => key === '') ? 'Others' : othersTitle(tiles.length);
  const leaf: Leaf = { key: '', name, parent: name, slot: null, value: sumOf(tiles), narrow: null };
  return [{ ...leaf, first: null, children: [leaf] }];
}

/** The only leaf of the tile, or one leaf that stands for all. */
function allOf({ key, name, slot, value, children }: Tile): Leaf {
  if (children.length === 1) return children[0]!;
  return { key, name, parent: name, slot, value, narrow: null };
}

function sumOf(values: readonly Valued[]): number {
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** Preferred ratio of width to height, because words are wide. */
const aspect = 1.6;

/**
 * A squarified treemap: rows along the shorter side, each extended while its areas come closer to the preferred shape.
 */
export function boxesOf(values: readonly Valued[], { x, y, width, height }: Box, flatness = aspect): Box[] {
  const perValue = (width * height * flatness) / sumOf(values);
  const areas = values.map(({ value }) => value * perValue);
  const boxes: Box[] = [];
  let rest: Box = { x: 0, y: 0, width, height: height * flatness };
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
    y: y + box.y / flatness,
    width: box.width,
    height: box.height / flatness,
  }));
}

/** The worst ratio of sides among the areas of the row. */
function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  return Math.max(
    ...row.map((area) => Math.max((side ** 2 * area) / sum ** 2, sum ** 2 / (side ** 2 * area))),
  );
}
