type Box = { left: number; top: number; width: number; height: number };

/** Where a chart over time draws its amounts, in pixels. Every span has a column of the same width. */
export type Plot = Box & {
  column: number;
  middleOf: (start: string) => number;
  startAt: (x: number) => string;
  yOf: (amount: number) => number;
  amountAt: (y: number) => number;
};

type Axis = { ticks: readonly number[]; isLog: boolean };

/** Linear from 0 to 1 if logarithmic, because 0 has no logarithm. */
const logOf = (amount: number): number => Math.sign(amount) * Math.log1p(Math.abs(amount));
const amountOf = (log: number): number => Math.sign(log) * Math.expm1(Math.abs(log));
const same = (amount: number): number => amount;

export function plotOf(area: Box, starts: readonly string[], { ticks, isLog }: Axis): Plot {
  const { left, top, width, height } = area;
  const [to, from] = isLog ? [logOf, amountOf] : [same, same];
  const [lowest, highest] = [to(ticks[0]!), to(ticks.at(-1)!)];
  const perPixel = (highest - lowest) / height;
  const column = width / starts.length;
  const places = new Map(starts.map((start, index) => [start, left + (index + 0.5) * column]));
  return {
    ...area,
    column,
    middleOf: (start) => places.get(start) ?? left,
    startAt: (x) => starts[Math.min(Math.max(0, Math.floor((x - left) / column)), starts.length - 1)]!,
    yOf: (amount) => top + height - (to(amount) - lowest) / perPixel,
    amountAt: (y) => from(lowest + (top + height - y) * perPixel),
  };
}

/** In a chart of a few days, wider bars would look like blocks. */
const maxBar = 48;

export function barOf(column: number): number {
  const width = 0.8 * column;
  return Math.min(maxBar, width > 1 ? Math.floor(width) : width);
}

type Amount = number | null | undefined;

/** The lower and upper amount of each part of a column, by part. */
export function stacked(parts: readonly (readonly Amount[])[]): { from: number; to: number }[][] {
  const reached: number[] = [];
  return parts.map((amounts) =>
    amounts.map((amount, index) => {
      const from = reached[index] ?? 0;
      return { from, to: (reached[index] = from + (amount ?? 0)) };
    }),
  );
}

/** A line through the amounts of the columns, interrupted where there is none. */
export function lineThrough(amounts: readonly Amount[], { left, column, yOf }: Plot): string {
  const isThere = (amount: Amount) => amount !== null && amount !== undefined;
  return amounts
    .map((amount, index) => {
      if (!isThere(amount)) return '';
      const x = left + (index + 0.5) * column;
      return `${isThere(amounts[index - 1]) ? 'L' : 'M'}${x.toFixed(2)} ${yOf(amount!).toFixed(2)}`;
    })
    .join('');
}

type Beside = { x: number; y: number; gap: number; isLeft: boolean };

/** The upper left corner of a note beside a point: on the preferred side if it has room, and below if it fits. */
export function noteAt(
  { x, y, gap, isLeft }: Beside,
  note: { width: number; height: number },
  { left, top, width, height }: Box,
): { x: number; y: number } {
  const [before, after] = [x - gap - note.width, x + gap];
  const fits = (place: number) => place >= left && place + note.width <= left + width;
  const [first, second] = isLeft ? [before, after] : [after, before];
  const below = y + gap;
  return {
    x: [first, second].find(fits) ?? Math.max(0, Math.min(left, left + width - note.width)),
    y: below + note.height <= top + height ? below : Math.max(top, y - gap - note.height),
  };
}
